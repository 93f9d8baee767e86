/* ear.c - see ear.h. */
#include "speech/ear.h"

#include <stdlib.h>

#include "base/must.h"

#define PER_MS (SHERPA_RATE / 1000)
#define QUIET (EAR_QUIET_MS * PER_MS)
#define NEW_FOR_PARTIAL (EAR_PARTIAL_MS * PER_MS)
#define BEFORE_SPEECH (1000 * PER_MS)
#define SAMPLES_MAX (EAR_SECONDS_MAX * SHERPA_RATE)

/* The recogniser is made for sentences: what is longer is heard in parts, which are cut where
 * it is most quiet. */
#define PART_MAX (24 * SHERPA_RATE)
#define CUT_WITHIN (8 * SHERPA_RATE) /* of a part's end */
#define CUT_WINDOW (100 * PER_MS)

struct ear {
	struct sherpa *sherpa;
	struct detector *detector; /* NULL: nobody asked */
	struct ear_options options;
	struct ear_listener listener;
	float *samples;
	size_t count, room;
	size_t judged;  /* of them, by the detector */
	size_t decoded; /* of them, at the last partial words */
	size_t dropped; /* before them, while nobody spoke */
	bool speaks, has_spoken;
};

static void begin_utterance(struct ear *ear)
{
	ear->count = ear->judged = ear->decoded = ear->dropped = 0;
	ear->has_spoken = false;
}

struct ear *ear_create(struct sherpa *sherpa, const struct ear_options *options,
                       const struct ear_listener *listener)
{
	struct ear *ear = must_zero(1, sizeof(*ear));

	ear->sherpa = sherpa;
	ear->options = *options;
	ear->listener = *listener;
	ear->room = 10 * SHERPA_RATE;
	ear->samples = must_zero(ear->room, sizeof(*ear->samples));
	if (options->detects)
		ear->detector = detector_create(sherpa, &options->times);
	begin_utterance(ear);
	return ear;
}

void ear_destroy(struct ear *ear)
{
	if (!ear)
		return;
	detector_destroy(ear->detector);
	free(ear->samples);
	free(ear);
}

/* What was before somebody spoke is no part of the utterance, but for a moment. */
static void drop_silence(struct ear *ear)
{
	size_t gone = ear->judged > BEFORE_SPEECH ? ear->judged - BEFORE_SPEECH : 0;

	if (gone < BEFORE_SPEECH)
		return;
	memmove(ear->samples, ear->samples + gone, (ear->count - gone) * sizeof(*ear->samples));
	ear->count -= gone;
	ear->judged -= gone;
	ear->decoded = 0;
	ear->dropped += gone;
}

static void judge(struct ear *ear)
{
	for (; ear->count - ear->judged >= SHERPA_WINDOW; ear->judged += SHERPA_WINDOW) {
		bool speaks = detector_feed(ear->detector, ear->samples + ear->judged);

		if (speaks != ear->speaks)
			ear->listener.speaks(ear->listener.self, speaks,
			                     (unsigned)((ear->dropped + ear->judged) / PER_MS));
		ear->has_spoken = ear->has_spoken || speaks;
		ear->speaks = speaks;
	}
	if (!ear->has_spoken)
		drop_silence(ear);
}

bool ear_feed(struct ear *ear, struct text pcm)
{
	size_t more = pcm.len / 2;

	if (ear->count + more > SAMPLES_MAX)
		return false;
	if (ear->count + more > ear->room) {
		ear->room = 2 * (ear->count + more);
		ear->samples = must_grow(ear->samples, ear->room * sizeof(*ear->samples));
	}
	for (size_t i = 0; i < more; i++) {
		int16_t sample = (int16_t)((unsigned char)pcm.at[2 * i] |
		                           (unsigned char)pcm.at[2 * i + 1] << 8);

		ear->samples[ear->count++] = (float)sample / 32768;
	}
	if (ear->detector)
		judge(ear);
	return true;
}

/* ---- words ---- */

/* Where the next part ends that begins at from. */
static size_t part_end(const struct ear *ear, size_t from)
{
	float least = -1;
	size_t best = from + PART_MAX;

	if (ear->count - from <= PART_MAX)
		return ear->count;
	for (size_t at = from + PART_MAX - CUT_WITHIN; at + CUT_WINDOW <= from + PART_MAX;
	     at += CUT_WINDOW / 2) {
		float power = 0;

		for (size_t i = at; i < at + CUT_WINDOW; i++)
			power += ear->samples[i] * ear->samples[i];
		if (least < 0 || power < least) {
			least = power;
			best = at + CUT_WINDOW / 2;
		}
	}
	return best;
}

/* Decodes a part with silence around it, without which many more words are wrong. */
static bool hear_part(struct ear *ear, size_t from, size_t to, struct buf *words, bool wait)
{
	size_t len = to - from + 2 * QUIET;
	float *part = must_zero(len, sizeof(*part));
	struct buf said;
	bool heard;

	memcpy(part + QUIET, ear->samples + from, (to - from) * sizeof(*part));
	buf_init(&said, 64 * KIB);
	heard = sherpa_hear(ear->sherpa, part, len, &said, wait);
	if (said.len && words->len)
		buf_add_char(words, ' ');
	buf_add(words, buf_text(&said));
	buf_finish(&said);
	free(part);
	return heard;
}

static bool hear_all(struct ear *ear, struct buf *words, bool wait)
{
	for (size_t from = 0, to; from < ear->count; from = to) {
		to = part_end(ear, from);
		if (!hear_part(ear, from, to, words, wait))
			return false;
	}
	return true;
}

bool ear_rest(struct ear *ear, struct buf *words)
{
	size_t decoded = ear->count;

	if (!ear->options.partials || ear->count - ear->decoded < NEW_FOR_PARTIAL ||
	    ear->count > PART_MAX || (ear->detector && !ear->has_spoken))
		return false;
	if (!hear_all(ear, words, false))
		return false;
	ear->decoded = decoded;
	return words->len > 0;
}

void ear_end(struct ear *ear, struct buf *words)
{
	hear_all(ear, words, true);
	begin_utterance(ear);
}

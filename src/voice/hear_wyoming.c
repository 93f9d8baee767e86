/* hear_wyoming.c - hearing by an engine that speaks Wyoming.
 *
 * Words of an utterance that goes on come from engines in two ways: `transcript-chunk` adds to what
 * was said before, as the protocol has it; `transcript-partial`, of our own engine, replaces it.
 *
 * Some engines go by their own ear for silence, and send a transcript before the sound has ended.
 * It is a part of what is said: the next sound goes to a new connection. */
#include "voice/means.h"

#include <stdlib.h>

#include "base/base64.h"
#include "base/must.h"
#include "base/put.h"
#include "voice/about.h"

#define BYTES_MAX ((uint64_t)VOICE_SECONDS_MAX * VOICE_RATE * 2)
#define CHUNK_MAX (1 * MIB) /* of sound in one piece */
#define WORDS_MAX (64 * KIB)
/* Ahead of a turn: of sound before speech was found, which our own engine keeps. It counts, the
 * silence before it does not. */
#define BYTES_BEFORE (3 * VOICE_RATE * 2)

static const struct wyoming_format sound_format = {VOICE_RATE, 2, 1};

struct wyoming_hearing {
	struct voice_ear ear;
	const struct voice_means *means;
	struct loop *loop;
	struct wyoming_line *line; /* NULL: it failed, or ended a part by itself */
	struct buf parts;          /* words of those */
	struct buf sound;          /* scratch; what it begins with is the half of a sample */
	struct buf words;          /* that were added up */
	uint64_t bytes;            /* of sound */
	bool finds, speaks;        /* it was asked whether somebody speaks; and somebody does */
	bool is_ended, has_failed; /* all of the sound came; it is over */
};

/* ---- telling; whatever tells is the last that its caller does ---- */

static void tell_words(struct wyoming_hearing *hearing, enum voice_fact_kind kind,
                       struct text words)
{
	struct voice_fact fact = {
		.kind = kind, .text = words, .now_ms = loop_now_ms(hearing->loop)};

	hearing->ear.told(hearing->ear.self, hearing->ear.turn, &fact);
}

static void tell_failed(struct wyoming_hearing *hearing, enum voice_code code, bool retryable,
                        const char *why)
{
	struct error words;
	struct voice_fact fact = {.kind = FACT_FAILED,
	                          .code = code,
	                          .retryable = retryable,
	                          .now_ms = loop_now_ms(hearing->loop)};

	error_set(&words, "%s", why); /* of an event, which is gone with the line */
	fact.text = text_of(words.words);
	wyoming_line_close(hearing->line);
	hearing->line = NULL;
	hearing->has_failed = true;
	if (code == VOICE_ENGINE_UNAVAILABLE)
		voice_about_doubt(hearing->means->about);
	hearing->ear.told(hearing->ear.self, hearing->ear.turn, &fact);
}

/* After the parts before them. */
static void put_transcript(struct buf *out, const struct wyoming_hearing *hearing,
                           struct text words)
{
	buf_init(out, 2 * WORDS_MAX);
	buf_add(out, buf_text(&hearing->parts));
	words = text_trim(words);
	if (out->len && words.len)
		buf_add_char(out, ' ');
	buf_add(out, words);
}

static void tell_partial(struct wyoming_hearing *hearing, struct text words)
{
	struct buf all;

	if (!hearing->parts.len) {
		tell_words(hearing, FACT_PARTIAL, words);
		return;
	}
	put_transcript(&all, hearing, words);
	tell_words(hearing, FACT_PARTIAL, buf_text(&all));
	buf_finish(&all);
}

static void tell_final(struct wyoming_hearing *hearing, struct text words)
{
	struct buf all;

	put_transcript(&all, hearing, words);
	if (!all.len)
		tell_failed(hearing, VOICE_NO_SPEECH, true,
		            "nothing was said that can be understood");
	else
		tell_words(hearing, FACT_FINAL, buf_text(&all));
	buf_finish(&all);
}

static void take_part(struct wyoming_hearing *hearing, struct text words)
{
	struct buf all;

	put_transcript(&all, hearing, words);
	buf_finish(&hearing->parts);
	hearing->parts = all;
	buf_clear(&hearing->words);
	wyoming_line_close(hearing->line);
	hearing->line = NULL;
	tell_partial(hearing, TEXT(""));
}

/* One that is asked whether somebody speaks says so by that, and not by a transcript. */
static void hear_transcript(struct wyoming_hearing *hearing, struct text words)
{
	if (hearing->is_ended)
		tell_final(hearing, words);
	else if (!hearing->finds)
		take_part(hearing, words);
}

/* The engine is done and sent no `transcript`, which has the words once more.  Whoever is told
 * them stops the work, so they are not of it any more. */
static void tell_added(struct wyoming_hearing *hearing)
{
	struct buf words = hearing->words;

	buf_init(&hearing->words, WORDS_MAX);
	tell_final(hearing, buf_text(&words));
	buf_finish(&words);
}

static void tell_speaks(struct wyoming_hearing *hearing, bool speaks)
{
	if (!hearing->finds || hearing->speaks == speaks)
		return;
	hearing->speaks = speaks;
	if (speaks && hearing->ear.is_ahead && hearing->bytes > BYTES_BEFORE)
		hearing->bytes = BYTES_BEFORE;
	tell_words(hearing, speaks ? FACT_SPEECH_STARTED : FACT_SPEECH_STOPPED, TEXT(""));
}

static void hear_event(void *self, const struct wyoming_event *event)
{
	struct wyoming_hearing *hearing = self;
	struct text text = wyoming_text(event, "text");
	struct error why;

	if (text_is(event->type, "transcript")) {
		hear_transcript(hearing, text);
	} else if (text_is(event->type, "transcript-stop") && hearing->words.len &&
	           hearing->is_ended) {
		tell_added(hearing);
	} else if (text_is(event->type, "transcript-partial")) {
		tell_partial(hearing, text);
	} else if (text_is(event->type, "transcript-chunk")) {
		buf_add(&hearing->words, text);
		tell_partial(hearing, buf_text(&hearing->words));
	} else if (text_is(event->type, "voice-started")) {
		tell_speaks(hearing, true);
	} else if (text_is(event->type, "voice-stopped")) {
		tell_speaks(hearing, false);
	} else if (text_is(event->type, "error")) {
		error_set(&why, "the engine says: %.*s", TEXT_ARG(text));
		tell_failed(hearing, VOICE_ENGINE_UNAVAILABLE, true, why.words);
	}
}

static void on_failed(void *self, const char *why)
{
	struct wyoming_hearing *hearing = self;

	hearing->line = NULL;
	tell_failed(hearing, VOICE_ENGINE_UNAVAILABLE, true, why);
}

/* ---- the role ---- */

static void ask_for_words(struct wyoming_hearing *hearing)
{
	const struct voice_means *means = hearing->means;
	struct buf wish;

	buf_init(&wish, KIB);
	put_object(&wish, NULL);
	put_bool(&wish, "partials", true);
	if (hearing->finds) {
		put_bool(&wish, "vad", true);
		put_u64(&wish, "speech_ms", VOICE_SPEECH_MS);
		put_u64(&wish, "silence_ms", hearing->ear.silence_ms);
	}
	if (means->model)
		put_word(&wish, "name", means->model);
	if (means->language)
		put_word(&wish, "language", means->language);
	put_end(&wish);
	wyoming_line_send(hearing->line, "transcribe", buf_text(&wish), TEXT(""));
	wyoming_line_send_sound(hearing->line, "audio-start", &sound_format, TEXT(""));
	buf_finish(&wish);
}

static void call_engine(struct wyoming_hearing *hearing)
{
	hearing->line = wyoming_line_open(
		&(struct wyoming_line_options){.loop = hearing->loop,
	                                       .place = &hearing->means->place.wyoming,
	                                       .self = hearing,
	                                       .heard = hear_event,
	                                       .failed = on_failed});
	ask_for_words(hearing);
}

static void *begin_hearing(const void *of, const struct voice_ear *ear, uint64_t now_ms)
{
	const struct voice_means *means = of;
	struct wyoming_hearing *hearing = must_zero(1, sizeof(*hearing));

	(void)now_ms;
	hearing->ear = *ear;
	hearing->finds = ear->silence_ms > 0;
	hearing->means = means;
	hearing->loop = means->around->loop;
	buf_init(&hearing->sound, CHUNK_MAX);
	buf_init(&hearing->words, WORDS_MAX);
	buf_init(&hearing->parts, 2 * WORDS_MAX);
	call_engine(hearing);
	return hearing;
}

/* Whole samples go; half of one waits for the rest. */
static void send_samples(struct wyoming_hearing *hearing)
{
	size_t whole = hearing->sound.len & ~(size_t)1;

	if (whole)
		wyoming_line_send_sound(hearing->line, "audio-chunk", &sound_format,
		                        (struct text){hearing->sound.at, whole});
	buf_drop(&hearing->sound, whole);
}

static void feed_hearing(void *work, struct text piece, uint64_t now_ms)
{
	struct wyoming_hearing *hearing = work;
	size_t before = hearing->sound.len;

	(void)now_ms;
	if (hearing->has_failed)
		return;
	if (!hearing->line)
		call_engine(hearing);
	if (!base64_read(piece, &hearing->sound)) {
		tell_failed(hearing, VOICE_INVALID_MESSAGE, false,
		            "a chunk is PCM of 16 bits, mono, 16 kHz, in base64, of at most 1 MiB");
		return;
	}
	hearing->bytes += hearing->sound.len - before;
	if (hearing->bytes > BYTES_MAX && (hearing->speaks || !hearing->ear.is_ahead))
		tell_failed(hearing, VOICE_TOO_LONG, false, "an utterance may last two minutes");
	else
		send_samples(hearing);
}

static void end_hearing(void *work, uint64_t now_ms)
{
	struct wyoming_hearing *hearing = work;

	(void)now_ms;
	if (hearing->has_failed)
		return;
	hearing->is_ended = true;
	if (hearing->bytes < 2) { /* half a sample is none */
		tell_failed(hearing, VOICE_NO_SPEECH, true, "there was no sound");
		return;
	}
	if (!hearing->line) {
		tell_final(hearing, TEXT(""));
		return;
	}
	wyoming_line_send_sound(hearing->line, "audio-stop", NULL, TEXT(""));
	wyoming_line_expect(hearing->line, VOICE_PATIENCE_MS);
}

static void stop_hearing(void *work)
{
	struct wyoming_hearing *hearing = work;

	wyoming_line_close(hearing->line);
	buf_finish(&hearing->sound);
	buf_finish(&hearing->words);
	buf_finish(&hearing->parts);
	free(hearing);
}

const struct voice_role voice_hear_wyoming = {
	.begin = begin_hearing,
	.feed = feed_hearing,
	.end = end_hearing,
	.stop = stop_hearing,
};

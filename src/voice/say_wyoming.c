/* say_wyoming.c - saying by an engine that speaks Wyoming: a connection for each sentence.
 *
 * Engines say faster than people listen.  So the next sentence waits until what was said before is
 * nearly heard, and the end is told when all is: until then there is something to interrupt.
 */
#include <stdlib.h>

#include "base/base64.h"
#include "base/must.h"
#include "base/put.h"
#include "sound/resample.h"
#include "voice/means.h"
#include "voice/spoken.h"

#define AHEAD_MS 5000         /* of sound that a client may have in advance */
#define WAITING_MAX (1 * MIB) /* bytes of sentences that wait; the rest is not said */
#define PIECE_MAX (32 * KIB)  /* of PCM in one event */
#define PCM_MAX (16 * MIB)    /* that one event of the engine can become */
#define BYTES_A_MS (VOICE_SAY_RATE * 2 / 1000)

struct wyoming_saying {
	struct voice_ear ear;
	const struct voice_means *means;
	struct recital recital;
	struct buf waiting;        /* sentences, one a line */
	struct wyoming_line *line; /* of the one that is said; NULL: none is */
	struct resample *convert;  /* NULL: its format is not known */
	struct buf pcm;            /* scratch */
	uint64_t begun_ms;         /* when the first sound came; 0: none did */
	uint64_t said_ms;          /* how long all of it lasts */
	bool is_whole;             /* no more words come */
	bool is_over;
	unsigned depth; /* of our calls that may tell, */
	bool is_doomed; /* and in which it was stopped */
};

static uint64_t now_of(const struct wyoming_saying *saying)
{
	return loop_now_ms(saying->means->around->loop);
}

/* ---- its end ---- */

static void end_sentence(struct wyoming_saying *saying)
{
	wyoming_line_close(saying->line);
	resample_destroy(saying->convert);
	saying->line = NULL;
	saying->convert = NULL;
}

static void free_saying(struct wyoming_saying *saying)
{
	spoken_finish(&saying->recital);
	buf_finish(&saying->waiting);
	buf_finish(&saying->pcm);
	free(saying);
}

static void leave_saying(struct wyoming_saying *saying)
{
	if (!--saying->depth && saying->is_doomed)
		free_saying(saying);
}

/* ---- telling ---- */

static void tell_saying(struct wyoming_saying *saying, const struct voice_fact *fact)
{
	if (!saying->is_doomed)
		saying->ear.told(saying->ear.self, saying->ear.turn, fact);
}

static void saying_failed(struct wyoming_saying *saying, const char *why)
{
	struct error words;

	error_set(&words, "%s", why); /* of an event, which is gone with the line */
	end_sentence(saying);
	saying->is_over = true;
	tell_saying(saying, &(struct voice_fact){.kind = FACT_FAILED,
	                                         .code = VOICE_ENGINE_UNAVAILABLE,
	                                         .retryable = true,
	                                         .text = text_of(words.words),
	                                         .now_ms = now_of(saying)});
}

static void tell_piece(struct wyoming_saying *saying, struct text pcm)
{
	struct buf chunk;

	buf_init(&chunk, 2 * PIECE_MAX);
	base64_add(&chunk, pcm);
	tell_saying(saying, &(struct voice_fact){.kind = FACT_SOUND,
	                                         .text = buf_text(&chunk),
	                                         .rate = VOICE_SAY_RATE,
	                                         .now_ms = now_of(saying)});
	buf_finish(&chunk);
}

static void tell_sound(struct wyoming_saying *saying)
{
	struct text rest = buf_text(&saying->pcm);

	if (rest.len && !saying->begun_ms)
		saying->begun_ms = now_of(saying);
	saying->said_ms += rest.len / BYTES_A_MS;
	while (rest.len && !saying->is_doomed) {
		size_t len = rest.len < PIECE_MAX ? rest.len : PIECE_MAX;

		tell_piece(saying, (struct text){rest.at, len});
		rest = (struct text){rest.at + len, rest.len - len};
	}
	buf_clear(&saying->pcm);
}

/* ---- what the engine says ---- */

static bool know_format(struct wyoming_saying *saying, const struct wyoming_event *event)
{
	struct wyoming_format format;
	struct error why;

	if (saying->convert)
		return true;
	if (!wyoming_format_of(event, &format, &why)) {
		error_within(&why, "the engine gives sound that cannot be played");
		saying_failed(saying, why.words);
		return false;
	}
	saying->convert = resample_create(format.rate, format.channels, VOICE_SAY_RATE);
	return true;
}

static void take_chunk(struct wyoming_saying *saying, const struct wyoming_event *event)
{
	if (!know_format(saying, event))
		return;
	resample_feed(saying->convert, event->payload, &saying->pcm);
	tell_sound(saying);
}

static void take_stop(struct wyoming_saying *saying)
{
	if (saying->convert)
		resample_end(saying->convert, &saying->pcm);
	end_sentence(saying);
	tell_sound(saying);
}

static void hear_saying(void *self, const struct wyoming_event *event)
{
	struct wyoming_saying *saying = self;
	struct text text = wyoming_text(event, "text");
	struct error why;

	saying->depth++;
	if (text_is(event->type, "audio-chunk")) {
		take_chunk(saying, event);
	} else if (text_is(event->type, "audio-start")) {
		know_format(saying, event);
	} else if (text_is(event->type, "audio-stop")) {
		take_stop(saying);
	} else if (text_is(event->type, "error")) {
		error_set(&why, "the engine says: %.*s", TEXT_ARG(text));
		saying_failed(saying, why.words);
	}
	leave_saying(saying);
}

static void on_line_failed(void *self, const char *why)
{
	struct wyoming_saying *saying = self;

	saying->line = NULL;
	saying->depth++;
	saying_failed(saying, why);
	leave_saying(saying);
}

/* ---- sentences ---- */

static void put_wish(const struct wyoming_saying *saying, struct text sentence, struct buf *out)
{
	const struct voice_means *means = saying->means;

	put_object(out, NULL);
	put_text(out, "text", sentence);
	if (means->voice || means->language) {
		put_object(out, "voice");
		if (means->voice)
			put_word(out, "name", means->voice);
		if (means->language)
			put_word(out, "language", means->language);
		put_end(out);
	}
	put_end(out);
}

static void begin_sentence(struct wyoming_saying *saying)
{
	struct text rest, sentence = text_cut(buf_text(&saying->waiting), '\n', &rest);
	struct buf wish;

	buf_init(&wish, 8 * SPOKEN_MAX + KIB);
	put_wish(saying, sentence, &wish);
	saying->line = wyoming_line_open(
		&(struct wyoming_line_options){.loop = saying->means->around->loop,
	                                       .place = &saying->means->place.wyoming,
	                                       .self = saying,
	                                       .heard = hear_saying,
	                                       .failed = on_line_failed});
	wyoming_line_send(saying->line, "synthesize", buf_text(&wish), TEXT(""));
	wyoming_line_expect(saying->line, VOICE_PATIENCE_MS);
	buf_drop(&saying->waiting, sentence.len + 1);
	buf_finish(&wish);
}

static void keep_sentence(void *self, struct text words)
{
	struct wyoming_saying *saying = self;

	if (!words.len || saying->waiting.len + words.len + 1 > WAITING_MAX)
		return;
	for (size_t i = 0; i < words.len; i++)
		buf_add_char(&saying->waiting, words.at[i] == '\n' ? ' ' : words.at[i]);
	buf_add_char(&saying->waiting, '\n');
}

/* ---- the role ---- */

static void *begin_saying(const void *of, const struct voice_ear *ear, uint64_t now_ms)
{
	struct wyoming_saying *saying = must_zero(1, sizeof(*saying));

	(void)now_ms;
	saying->ear = *ear;
	saying->means = of;
	buf_init(&saying->waiting, WAITING_MAX);
	buf_init(&saying->pcm, PCM_MAX);
	spoken_init(&saying->recital, &(struct recital_listener){saying, keep_sentence});
	return saying;
}

static void feed_saying(void *work, struct text piece, uint64_t now_ms)
{
	struct wyoming_saying *saying = work;

	(void)now_ms;
	spoken_feed(&saying->recital, piece);
}

static void end_saying(void *work, uint64_t now_ms)
{
	struct wyoming_saying *saying = work;

	(void)now_ms;
	spoken_end(&saying->recital);
	saying->is_whole = true;
}

static void stop_saying(void *work)
{
	struct wyoming_saying *saying = work;

	end_sentence(saying);
	saying->is_doomed = true;
	if (!saying->depth)
		free_saying(saying);
}

static uint64_t due_saying(const void *work)
{
	const struct wyoming_saying *saying = work;
	uint64_t heard_ms = saying->begun_ms + saying->said_ms;

	if (saying->line || saying->is_over)
		return VOICE_NEVER;
	if (saying->waiting.len)
		return heard_ms > AHEAD_MS ? heard_ms - AHEAD_MS : 0;
	return saying->is_whole ? heard_ms : VOICE_NEVER;
}

static void tick_saying(void *work, uint64_t now_ms)
{
	struct wyoming_saying *saying = work;

	if (saying->waiting.len) {
		begin_sentence(saying);
		return;
	}
	saying->is_over = true;
	tell_saying(saying, &(struct voice_fact){.kind = FACT_QUIET, .now_ms = now_ms});
}

const struct voice_role voice_say_wyoming = {
	.begin = begin_saying,
	.feed = feed_saying,
	.end = end_saying,
	.stop = stop_saying,
	.due = due_saying,
	.tick = tick_saying,
};

/* say_wyoming.c - saying by an engine that speaks Wyoming.
 *
 * One that takes words piece by piece (`supports_synthesize_streaming`) has one connection for the
 * answer: each sentence goes as soon as it is there, and the engine works ahead.  At the end comes
 * the whole as `synthesize`, which such engines pass over, and which one that no longer is such an
 * engine says.  Any other has a connection for each sentence.
 *
 * Engines say faster than people listen (say_pace.h): what is too early is not read, and the next
 * sentence waits.  The end is told when all was heard: until then there is something to interrupt.
 */
#include <stdlib.h>

#include "base/base64.h"
#include "base/must.h"
#include "base/put.h"
#include "sound/resample.h"
#include "voice/about.h"
#include "voice/say_pace.h"
#include "voice/spoken.h"

#define WAITING_MAX (1 * MIB) /* bytes of sentences that wait; the rest is not said */
#define PIECE_MAX (32 * KIB)  /* of PCM in one event */
#define PCM_MAX (16 * MIB)    /* that one event of the engine can become */
#define WHOLE_MAX (32 * KIB)  /* of the answer that is told once more as a whole */
#define WISH_MAX (8 * WHOLE_MAX)
#define STOPPED_MS 10000 /* from the end of a sound to `synthesize-stopped`, if there is no more */

struct wyoming_saying {
	struct voice_ear ear;
	const struct voice_means *means;
	struct recital recital;
	struct buf waiting;        /* sentences, one a line */
	struct wyoming_line *line; /* of the one that is said, or of all; NULL: none is */
	struct resample *convert;  /* NULL: its format is not known */
	struct buf pcm;            /* scratch */
	struct say_pace pace;
	bool is_paced;    /* the engine is not read until then */
	bool streams;     /* it takes the sentences by one line, */
	struct buf whole; /* which has had these, */
	bool has_all;     /* and no more come by it */
	bool is_between;  /* a sound ended, and none began since */
	bool is_whole;    /* no more words come */
	bool is_over;
	unsigned depth; /* of our calls that may tell, */
	bool is_doomed; /* and in which it was stopped */
};

static uint64_t now_of(const struct wyoming_saying *saying)
{
	return loop_now_ms(saying->means->around->loop);
}

/* ---- its end ---- */

/* Of a sentence, or of all of them. */
static void end_sentences(struct wyoming_saying *saying)
{
	wyoming_line_close(saying->line);
	resample_destroy(saying->convert);
	saying->line = NULL;
	saying->convert = NULL;
	saying->is_paced = false;
}

static void free_saying(struct wyoming_saying *saying)
{
	spoken_finish(&saying->recital);
	buf_finish(&saying->waiting);
	buf_finish(&saying->whole);
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
	end_sentences(saying);
	voice_about_doubt(saying->means->about);
	saying->is_over = true;
	tell_saying(saying, &(struct voice_fact){.kind = FACT_FAILED,
	                                         .code = VOICE_ENGINE_UNAVAILABLE,
	                                         .retryable = true,
	                                         .text = text_of(words.words),
	                                         .now_ms = now_of(saying)});
}

/* When it wants to go on may be another time. */
static void tell_stirred(struct wyoming_saying *saying)
{
	tell_saying(saying, &(struct voice_fact){.kind = FACT_STIRRED, .now_ms = now_of(saying)});
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

	say_pace_told(&saying->pace, rest.len, now_of(saying));
	if (saying->line && say_pace_due(&saying->pace) > now_of(saying)) {
		saying->is_paced = true;
		wyoming_line_hush(saying->line, true);
	}
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

/* By one line each sentence may be a sound of its own. */
static void take_stop(struct wyoming_saying *saying)
{
	if (saying->convert)
		resample_end(saying->convert, &saying->pcm);
	if (!saying->streams)
		end_sentences(saying);
	resample_destroy(saying->convert);
	saying->convert = NULL;
	saying->is_between = true;
	if (saying->has_all && saying->line)
		wyoming_line_expect(saying->line, STOPPED_MS);
	tell_sound(saying);
	tell_stirred(saying);
}

static void take_start(struct wyoming_saying *saying, const struct wyoming_event *event)
{
	saying->is_between = false;
	if (saying->has_all)
		wyoming_line_expect(saying->line, VOICE_PATIENCE_MS);
	know_format(saying, event);
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
		take_start(saying, event);
	} else if (text_is(event->type, "audio-stop")) {
		take_stop(saying);
	} else if (text_is(event->type, "synthesize-stopped")) {
		end_sentences(saying);
		tell_stirred(saying);
	} else if (text_is(event->type, "error")) {
		error_set(&why, "the engine says: %.*s", TEXT_ARG(text));
		saying_failed(saying, why.words);
	}
	leave_saying(saying);
}

/* One that said all and leaves it at that did not take it piece by piece. */
static void on_line_failed(void *self, const char *why)
{
	struct wyoming_saying *saying = self;

	saying->line = NULL;
	saying->depth++;
	if (saying->has_all && saying->is_between) {
		voice_about_doubt(saying->means->about);
		end_sentences(saying);
		tell_stirred(saying);
	} else {
		saying_failed(saying, why);
	}
	leave_saying(saying);
}

/* ---- sentences ---- */

/* text: NULL: of none. */
static void send_wish(const struct wyoming_saying *saying, const char *type,
                      const struct text *text)
{
	const struct voice_means *means = saying->means;
	struct buf wish;

	buf_init(&wish, WISH_MAX);
	put_object(&wish, NULL);
	if (text)
		put_text(&wish, "text", *text);
	if (means->voice || means->language) {
		put_object(&wish, "voice");
		if (means->voice)
			put_word(&wish, "name", means->voice);
		if (means->language)
			put_word(&wish, "language", means->language);
		put_end(&wish);
	}
	put_end(&wish);
	wyoming_line_send(saying->line, type, buf_text(&wish), TEXT(""));
	buf_finish(&wish);
}

static void call_engine(struct wyoming_saying *saying)
{
	saying->line = wyoming_line_open(
		&(struct wyoming_line_options){.loop = saying->means->around->loop,
	                                       .place = &saying->means->place.wyoming,
	                                       .self = saying,
	                                       .heard = hear_saying,
	                                       .failed = on_line_failed});
	saying->is_between = false;
}

static struct text next_sentence(const struct wyoming_saying *saying)
{
	struct text rest;

	return text_cut(buf_text(&saying->waiting), '\n', &rest);
}

static void begin_sentence(struct wyoming_saying *saying)
{
	struct text sentence = next_sentence(saying);

	call_engine(saying);
	send_wish(saying, "synthesize", &sentence);
	wyoming_line_expect(saying->line, VOICE_PATIENCE_MS);
	buf_drop(&saying->waiting, sentence.len + 1);
}

/* A space ends the sentence for who looks for that. */
static void send_sentences(struct wyoming_saying *saying)
{
	struct text rest = buf_text(&saying->waiting);

	if (!saying->line) {
		call_engine(saying);
		send_wish(saying, "synthesize-start", NULL);
		buf_clear(&saying->whole);
	}
	while (rest.len) {
		struct text sentence = text_cut(rest, '\n', &rest);
		struct buf piece;

		saying->waiting.at[sentence.at + sentence.len - saying->waiting.at] = ' ';
		sentence.len++;
		if (!saying->whole.full)
			buf_add(&saying->whole, sentence);
		buf_init(&piece, WISH_MAX);
		put_object(&piece, NULL);
		put_text(&piece, "text", sentence);
		put_end(&piece);
		wyoming_line_send(saying->line, "synthesize-chunk", buf_text(&piece), TEXT(""));
		buf_finish(&piece);
	}
	buf_clear(&saying->waiting);
}

static void send_end(struct wyoming_saying *saying)
{
	struct text whole = text_trim(buf_text(&saying->whole));

	send_wish(saying, "synthesize", &whole);
	wyoming_line_send(saying->line, "synthesize-stop", TEXT(""), TEXT(""));
	wyoming_line_expect(saying->line, VOICE_PATIENCE_MS);
	saying->has_all = true;
	saying->is_between = false;
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
	voice_about_want(saying->means->about);
	saying->streams = voice_about_streams(saying->means->about);
	buf_init(&saying->waiting, WAITING_MAX);
	buf_init(&saying->whole, WHOLE_MAX);
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

	end_sentences(saying);
	saying->is_doomed = true;
	if (!saying->depth)
		free_saying(saying);
}

/* There is something to send by the one line. */
static bool has_to_send(const struct wyoming_saying *saying)
{
	return saying->waiting.len || (saying->is_whole && saying->line && !saying->has_all);
}

static uint64_t due_saying(const void *work)
{
	const struct wyoming_saying *saying = work;

	if (saying->is_over)
		return VOICE_NEVER;
	if (saying->streams && has_to_send(saying))
		return 0;
	if (saying->is_paced)
		return say_pace_due(&saying->pace);
	if (saying->line)
		return VOICE_NEVER;
	if (saying->waiting.len)
		return say_pace_due(&saying->pace);
	return saying->is_whole ? saying->pace.heard_ms : VOICE_NEVER;
}

static void tick_saying(void *work, uint64_t now_ms)
{
	struct wyoming_saying *saying = work;

	if (saying->streams && saying->waiting.len) {
		send_sentences(saying);
	} else if (saying->streams && has_to_send(saying)) {
		send_end(saying);
	} else if (saying->is_paced) {
		saying->is_paced = false;
		wyoming_line_hush(saying->line, false);
	} else if (saying->waiting.len) {
		begin_sentence(saying);
	} else {
		saying->is_over = true;
		tell_saying(saying, &(struct voice_fact){.kind = FACT_QUIET, .now_ms = now_ms});
	}
}

const struct voice_role voice_say_wyoming = {
	.begin = begin_saying,
	.feed = feed_saying,
	.end = end_saying,
	.stop = stop_saying,
	.due = due_saying,
	.tick = tick_saying,
};

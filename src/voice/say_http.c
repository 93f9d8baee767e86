/* say_http.c - saying by a server with the routes of OpenAI, a sentence a request.
 *
 * Two requests at most are under way: that of the sentence whose sound is told, and, as soon as
 * that sounds, the one of the next sentence, whose bytes are not read until it is its turn.  So
 * sentences are told in order, and nothing is kept of sound that must wait.  Nor are bytes read
 * that are too early (say_pace.h), and the end is told when all was heard. */
#include <stdlib.h>

#include "base/base64.h"
#include "base/list.h"
#include "base/must.h"
#include "base/put.h"
#include "net/loop.h"
#include "parse/fault.h"
#include "sound/incoming.h"
#include "voice/http_engine.h"
#include "voice/say_pace.h"
#include "voice/spoken.h"

#define MODEL "tts-1" /* names that every such server takes */
#define VOICE "alloy"
#define RATE 24000 /* of PCM in OpenAI's shape */

#define WAITING_MAX (256 * KIB) /* of sentences; what comes when they are so many is not said */
#define SENTENCE_SOUND_MAX \
	((uint64_t)VOICE_SECONDS_MAX * VOICE_SAY_RATE * 2) /* bytes that are told */
#define ANSWER_MAX (64 * MIB) /* bytes of it as a server may write it */
#define SOUND_MAX (1 * MIB)   /* of what came at once: libcurl gives some KiB */

struct sentence {
	struct link in_waiting; /* http_saying.waiting */
	size_t len;
	char words[];
};

struct utterance {
	struct http_saying *saying;
	struct request *request; /* NULL: it has ended */
	int status;
	bool sounds; /* its first bytes came, or wait to be read */
	struct incoming *incoming;
	struct buf refusal;
	uint64_t told; /* bytes of sound */
	bool is_bad;   /* and this is why: */
	struct voice_fact fault;
	struct error words;
};

struct http_saying {
	const struct voice_means *means;
	struct voice_ear ear;
	struct recital recital;
	struct link waiting; /* sentence.in_waiting */
	size_t bytes;        /* of those */
	struct utterance *now, *next;
	struct later goes_on;
	struct say_pace pace;
	bool is_paced; /* nothing is read until then */
	bool is_fed;   /* whole */
	bool is_over;  /* it was told so */
};

/* ---- one sentence ---- */

/* Keeps the first reason. */
static void spoil(struct utterance *u, const struct voice_fact *fault)
{
	if (u->is_bad)
		return;
	u->is_bad = true;
	u->fault = *fault;
	u->fault.kind = FACT_FAILED;
	error_set(&u->words, "%.*s", TEXT_ARG(fault->text));
	fault_hide(u->words.words, u->saying->means->credential);
	u->fault.text = text_of(u->words.words);
	request_cancel(u->request);
	u->request = NULL;
}

static void spoil_for(struct utterance *u, bool retryable, const char *why)
{
	spoil(u, &(struct voice_fact){.code = VOICE_ENGINE_UNAVAILABLE,
	                              .retryable = retryable,
	                              .text = text_of(why)});
}

static void free_utterance(struct utterance *u)
{
	if (!u)
		return;
	request_cancel(u->request);
	incoming_destroy(u->incoming);
	buf_finish(&u->refusal);
	free(u);
}

static bool is_sound(struct text type)
{
	static const char *const types[] = {
		"audio/pcm",   "audio/x-pcm", "audio/raw",      "audio/wav",
		"audio/x-wav", "audio/wave",  "audio/vnd.wave", "application/octet-stream"};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (text_equal_nocase(type, text_of(types[i])))
			return true;
	return !type.len;
}

static void say_head(void *self, const struct request_head *head);
static void say_body(void *self, struct text bytes);
static void say_end(void *self, const char *why);

static void put_wish(const struct voice_means *means, struct text words, struct buf *out)
{
	put_object(out, NULL);
	put_word(out, "model", means->model ? means->model : MODEL);
	put_text(out, "input", words);
	put_word(out, "voice", means->voice ? means->voice : VOICE);
	put_word(out, "response_format", "pcm");
	put_end(out);
}

static struct utterance *begin_utterance(struct http_saying *saying, struct text words)
{
	struct utterance *u = must_zero(1, sizeof(*u));
	struct error why;
	struct buf wish;

	u->saying = saying;
	u->incoming = incoming_create(RATE, 1, VOICE_SAY_RATE);
	buf_init(&u->refusal, HTTP_ENGINE_FAULT_MAX);
	buf_init(&wish, 64 * KIB);
	put_wish(saying->means, words, &wish);
	u->request = http_engine_ask(&(struct http_engine_ask){.means = saying->means,
	                                                       .route = "/audio/speech",
	                                                       .type = "Content-Type: "
	                                                               "application/json",
	                                                       .body = buf_text(&wish),
	                                                       .answer_max = ANSWER_MAX,
	                                                       .self = u,
	                                                       .head = say_head,
	                                                       .heard = say_body,
	                                                       .done = say_end},
	                             &why);
	if (!u->request)
		spoil_for(u, false, why.words);
	buf_finish(&wish);
	return u;
}

/* ---- the queue ---- */

static struct utterance *begin_waiting(struct http_saying *saying)
{
	struct sentence *sentence;
	struct utterance *u;

	if (list_is_empty(&saying->waiting))
		return NULL;
	sentence = list_of(saying->waiting.next, struct sentence, in_waiting);
	list_remove(&sentence->in_waiting);
	saying->bytes -= sentence->len;
	u = begin_utterance(saying, (struct text){sentence->words, sentence->len});
	free(sentence);
	return u;
}

/* A failure, or the end: whatever tells is the last that its caller does. */
static void tell_over(struct http_saying *saying, const struct voice_fact *fact)
{
	struct voice_fact told = *fact;
	struct error words;

	error_set(&words, "%.*s", TEXT_ARG(fact->text)); /* it goes with its sentence */
	told.text = text_of(words.words);
	told.now_ms = loop_now_ms(saying->means->around->loop);
	saying->is_over = true;
	saying->ear.told(saying->ear.self, saying->ear.turn, &told);
}

/* When it wants to go on may be another time. */
static void tell_stirred(const struct http_saying *saying)
{
	saying->ear.told(saying->ear.self, saying->ear.turn,
	                 &(struct voice_fact){.kind = FACT_STIRRED,
	                                      .now_ms = loop_now_ms(saying->means->around->loop)});
}

static bool has_ended(const struct utterance *u)
{
	return u && !u->request && !u->is_bad;
}

/* Begins what can be begun.  The sentence whose turn it gets may tell at once: it is the last that
 * its caller does. */
static void say_more(struct http_saying *saying)
{
	struct utterance *begun = NULL;

	while (has_ended(saying->now)) {
		free_utterance(saying->now);
		begun = saying->now = saying->next;
		saying->next = NULL;
	}
	if (!saying->now)
		saying->now = begin_waiting(saying);
	if (saying->now && saying->now->sounds && !saying->next) {
		saying->next = begin_waiting(saying);
		if (saying->next && saying->next->request)
			request_hush(saying->next->request, true);
	}
	if (saying->now && saying->now->is_bad)
		tell_over(saying, &saying->now->fault);
	else if (!saying->now && saying->is_fed)
		tell_stirred(saying);
	else if (begun && begun->request && !saying->is_paced)
		request_hush(begun->request, false);
}

/* ---- answers ---- */

static void say_head(void *self, const struct request_head *head)
{
	struct utterance *u = self;
	struct text rest, type = text_trim(text_cut(head->content_type, ';', &rest));
	struct error why;

	u->status = head->status;
	if (fault_is(u->status))
		return;
	u->sounds = true;
	if (!is_sound(type)) {
		error_set(&why, "the engine answers with %.*s, not with PCM or WAV",
		          (int)(type.len < 80 ? type.len : 80), type.at);
		spoil_for(u, false, why.words);
	}
	if (u == u->saying->now)
		say_more(u->saying);
}

static void pace(struct http_saying *saying, size_t bytes)
{
	uint64_t now_ms = loop_now_ms(saying->means->around->loop);

	say_pace_told(&saying->pace, bytes, now_ms);
	if (say_pace_due(&saying->pace) <= now_ms)
		return;
	if (saying->now->request)
		request_hush(saying->now->request, true);
	saying->is_paced = true;
}

static void tell_sound(struct utterance *u, const struct buf *sound)
{
	struct voice_ear ear = u->saying->ear;
	struct voice_fact fact = {.kind = FACT_SOUND,
	                          .rate = VOICE_SAY_RATE,
	                          .now_ms = loop_now_ms(u->saying->means->around->loop)};
	struct buf written;

	if (!sound->len)
		return;
	u->told += sound->len;
	pace(u->saying, sound->len);
	buf_init(&written, 2 * SOUND_MAX);
	base64_add(&written, buf_text(sound));
	fact.text = buf_text(&written);
	ear.told(ear.self, ear.turn, &fact);
	buf_finish(&written);
}

/* What was said before it was found to be bad is told all the same. */
static void say_body(void *self, struct text bytes)
{
	struct utterance *u = self;
	struct error why;
	struct buf sound;

	if (fault_is(u->status)) {
		buf_add(&u->refusal, bytes);
		return;
	}
	buf_init(&sound, SOUND_MAX);
	if (!incoming_feed(u->incoming, bytes, &sound, &why))
		spoil_for(u, false, why.words);
	else if (u->told + sound.len > SENTENCE_SOUND_MAX)
		spoil_for(u, false, "the engine speaks for more than two minutes");
	if (u->is_bad)
		say_more(u->saying);
	else
		tell_sound(u, &sound);
	buf_finish(&sound);
}

static void judge_end(struct utterance *u, const char *why)
{
	struct http_engine_end end = {
		.status = u->status,
		.body = buf_text(&u->refusal),
		.why = why,
		.is_for_good = request_fault(u->request) >= REQUEST_STRANGER,
	};
	struct voice_fact failed;
	struct error words;

	u->request = NULL;
	if (!http_engine_refuses(&end))
		return;
	failed = http_engine_failed(u->saying->means, &end, &words);
	spoil(u, &failed);
}

/* The rest is told before it goes on, because who is told may stop all of it. */
static void say_end(void *self, const char *why)
{
	struct utterance *u = self;
	struct error wrong;
	struct buf rest;

	judge_end(u, why);
	buf_init(&rest, SOUND_MAX);
	if (!u->is_bad && !incoming_end(u->incoming, &rest, &wrong))
		spoil_for(u, false, wrong.words);
	loop_later(u->saying->means->around->loop, &u->saying->goes_on);
	if (!u->is_bad)
		tell_sound(u, &rest);
	buf_finish(&rest);
}

static void say_on(struct later *later)
{
	say_more(list_of(later, struct http_saying, goes_on));
}

/* ---- the role ---- */

static void hear_sentence(void *self, struct text words)
{
	struct http_saying *saying = self;
	struct sentence *sentence;

	if (saying->bytes + words.len > WAITING_MAX)
		return;
	sentence = must_alloc(sizeof(*sentence) + words.len);
	sentence->len = words.len;
	memcpy(sentence->words, words.at, words.len);
	list_add(&saying->waiting, &sentence->in_waiting);
	saying->bytes += words.len;
}

static void *begin_saying(const void *of, const struct voice_ear *ear, uint64_t now_ms)
{
	struct http_saying *saying = must_zero(1, sizeof(*saying));

	(void)now_ms;
	saying->means = of;
	saying->ear = *ear;
	saying->goes_on.run = say_on;
	list_init(&saying->waiting);
	spoken_init(&saying->recital, &(struct recital_listener){saying, hear_sentence});
	return saying;
}

static void feed_saying(void *work, struct text piece, uint64_t now_ms)
{
	struct http_saying *saying = work;

	(void)now_ms;
	if (saying->is_over)
		return;
	spoken_feed(&saying->recital, piece);
	say_more(saying);
}

static void end_saying(void *work, uint64_t now_ms)
{
	struct http_saying *saying = work;

	(void)now_ms;
	if (saying->is_over)
		return;
	spoken_end(&saying->recital);
	saying->is_fed = true;
	say_more(saying);
}

static void stop_saying(void *work)
{
	struct http_saying *saying = work;

	loop_forget(&saying->goes_on);
	free_utterance(saying->now);
	free_utterance(saying->next);
	while (!list_is_empty(&saying->waiting)) {
		struct sentence *sentence =
			list_of(saying->waiting.next, struct sentence, in_waiting);

		list_remove(&sentence->in_waiting);
		free(sentence);
	}
	spoken_finish(&saying->recital);
	free(saying);
}

static uint64_t due_saying(const void *work)
{
	const struct http_saying *saying = work;

	if (saying->is_over)
		return VOICE_NEVER;
	if (saying->is_paced)
		return say_pace_due(&saying->pace);
	return saying->is_fed && !saying->now ? saying->pace.heard_ms : VOICE_NEVER;
}

static void tick_saying(void *work, uint64_t now_ms)
{
	struct http_saying *saying = work;

	(void)now_ms;
	if (!saying->is_paced) {
		tell_over(saying, &(struct voice_fact){.kind = FACT_QUIET, .text = TEXT("")});
		return;
	}
	saying->is_paced = false;
	if (saying->now && saying->now->request)
		request_hush(saying->now->request, false);
}

const struct voice_role voice_say_http = {
	.begin = begin_saying,
	.feed = feed_saying,
	.end = end_saying,
	.stop = stop_saying,
	.due = due_saying,
	.tick = tick_saying,
};

/* voice_turn.c - see voice_turn.h. */
#include "cli/voice_turn.h"

#include <poll.h>
#include <stdlib.h>

#include "base/base64.h"
#include "base/clock.h"
#include "base/must.h"
#include "base/put.h"
#include "cli/interrupt.h"
#include "cli/voice_sound.h"
#include "net/loop.h"
#include "net/ws_client.h"
#include "signal/json.h"
#include "sound/resample.h"

#define CHUNK_MS 20
#define CHUNK_BYTES ((size_t)VOICE_RATE / 1000 * CHUNK_MS * 2)
#define MESSAGE_MAX (4 * MIB)
#define SEND_MAX (4 * MIB) /* the whole of two minutes, in base64, is less than twice that */
#define CONNECT_MS 10000
#define PING_MS 30000
#define ANSWER_MS (5 * 60 * 1000) /* since the last event */
#define CANCEL_MS 5000            /* for the box to say that it stopped */
#define LOOK_MS 100               /* at most, between two looks at Ctrl-C */

struct turning {
	struct ws_client *client;
	const char *place;  /* where the box is, for words */
	const char *source; /* that is to answer; NULL: the box's choice */
	const struct voice_turn_listener *listener;
	struct voice_turned *told;
	struct text rest;  /* sound that did not go yet */
	uint64_t began_ms; /* its first piece went; 0: the session is not ready */
	uint64_t ended_ms; /* all of it was said; 0: not yet */
	uint64_t heard_ms; /* the box said something */
	bool is_whole;     /* the answer is */
	bool is_open, is_over, has_failed;
	struct error why;
};

static uint64_t turn_now_ms(void)
{
	return clock_mono_ns() / 1000000;
}

static void end_badly(struct turning *t, const char *words)
{
	t->is_over = t->has_failed = true;
	error_set(&t->why, "%s", words);
}

/* ---- out ---- */

static bool say_event(struct turning *t, const char *type, const char *key, struct text value)
{
	struct buf message;
	bool good;

	buf_init(&message, MESSAGE_MAX);
	put_object(&message, NULL);
	put_word(&message, "type", type);
	put_object(&message, "payload");
	if (key)
		put_text(&message, key, value);
	put_end(&message);
	put_end(&message);
	good = ws_client_send(t->client, buf_text(&message));
	buf_finish(&message);
	return good;
}

static bool say_chunk(struct turning *t, struct text pcm)
{
	struct buf chunk;
	bool good;

	buf_init(&chunk, 2 * CHUNK_BYTES);
	base64_add(&chunk, pcm);
	good = say_event(t, "input_audio.append", "chunk", buf_text(&chunk));
	buf_finish(&chunk);
	return good;
}

/* What was spoken by now; false: some of it has to wait. */
static bool say_due(struct turning *t, size_t whole, uint64_t at_ms)
{
	size_t due = (size_t)((at_ms - t->began_ms) / CHUNK_MS + 1) * CHUNK_BYTES;

	while (t->rest.len && whole - t->rest.len < due) {
		size_t len = t->rest.len < CHUNK_BYTES ? t->rest.len : CHUNK_BYTES;

		if (!say_chunk(t, (struct text){t->rest.at, len}))
			return false;
		t->rest = (struct text){t->rest.at + len, t->rest.len - len};
	}
	return true;
}

static void speak_on(struct turning *t, size_t whole)
{
	uint64_t at_ms = turn_now_ms();

	if (!t->began_ms || t->ended_ms || t->told->is_cancelled || !say_due(t, whole, at_ms) ||
	    t->rest.len)
		return;
	if (say_event(t, "input_audio.commit", NULL, TEXT("")))
		t->ended_ms = t->heard_ms = at_ms;
}

static void cancel_turn(struct turning *t)
{
	t->told->is_cancelled = true;
	t->heard_ms = turn_now_ms();
	if (!t->began_ms || !say_event(t, "response.cancel", NULL, TEXT("")))
		t->is_over = true;
}

/* ---- in ---- */

/* A box with the mock, or with an engine that is older than this, asks nobody of our choice. */
static bool is_asked(const struct turning *t, yyjson_val *payload)
{
	return !t->source || text_is(json_text_at(payload, "source"), t->source);
}

static void note_time(const struct turning *t, int64_t *ms)
{
	if (*ms < 0 && t->ended_ms)
		*ms = (int64_t)(turn_now_ms() - t->ended_ms);
}

static void hear_ready(struct turning *t, yyjson_val *payload)
{
	struct error words;

	if (t->began_ms || !yyjson_obj_get(payload, "features"))
		return;
	if (is_asked(t, payload)) {
		t->began_ms = turn_now_ms();
		return;
	}
	error_set(&words,
	          "%s cannot be asked by voice: the box has no engine that asks a source "
	          "(voice.engine in its configuration)",
	          t->source);
	end_badly(t, words.words);
}

/* At rest after the answer, after a cancel, or after what went wrong. */
static void hear_state(struct turning *t, yyjson_val *payload)
{
	bool rests = text_is(json_text_at(payload, "value"), "idle");

	if (rests && (t->is_whole || t->told->is_cancelled))
		t->is_over = true;
}

static void hear_partial(struct turning *t, yyjson_val *payload)
{
	t->listener->partial(t->listener->self, json_text_at(payload, "text"));
}

static void hear_final(struct turning *t, yyjson_val *payload)
{
	note_time(t, &t->told->final_ms);
	buf_clear(&t->told->final);
	buf_add(&t->told->final, json_text_at(payload, "text"));
	t->listener->final(t->listener->self, json_text_at(payload, "text"));
}

static void hear_delta(struct turning *t, yyjson_val *payload)
{
	note_time(t, &t->told->text_ms);
	buf_add(&t->told->answer, json_text_at(payload, "text"));
	t->listener->delta(t->listener->self, json_text_at(payload, "text"));
}

/* The first piece says the rate of all; another one's is converted. */
static void hear_sound(struct turning *t, yyjson_val *payload)
{
	yyjson_val *format = yyjson_obj_get(payload, "format");
	int rate = yyjson_get_int(yyjson_obj_get(format, "rate"));
	struct voice_turned *told = t->told;
	struct buf pcm;

	buf_init(&pcm, MESSAGE_MAX);
	if (rate < 4000 || rate > 192000 || !base64_read(json_text_at(payload, "chunk"), &pcm)) {
		end_badly(t, "the box sent sound that cannot be read");
	} else if (told->rate == 0 || told->rate == rate) {
		told->rate = rate;
		buf_add(&told->pcm, buf_text(&pcm));
	} else {
		struct resample *resample = resample_create(rate, 1, told->rate);

		resample_feed(resample, buf_text(&pcm), &told->pcm);
		resample_end(resample, &told->pcm);
		resample_destroy(resample);
	}
	note_time(t, &told->sound_ms);
	buf_finish(&pcm);
}

static void hear_clear(struct turning *t, yyjson_val *payload)
{
	(void)payload;
	buf_clear(&t->told->pcm);
}

static void hear_completed(struct turning *t, yyjson_val *payload)
{
	(void)payload;
	note_time(t, &t->told->end_ms);
	t->is_whole = true;
}

static void hear_trouble(struct turning *t, yyjson_val *payload)
{
	struct error words;

	error_set(&words, "%.*s (%.*s)", TEXT_ARG(json_text_at(payload, "message")),
	          TEXT_ARG(json_text_at(payload, "code")));
	end_badly(t, words.words);
}

static const struct {
	const char *type;
	void (*hear)(struct turning *t, yyjson_val *payload);
} hears[] = {
	{"session.ready", hear_ready},
	{"session.state", hear_state},
	{"transcript.partial", hear_partial},
	{"transcript.final", hear_final},
	{"response.text.delta", hear_delta},
	{"response.completed", hear_completed},
	{"output_audio.delta", hear_sound},
	{"output_audio.clear", hear_clear},
	{"error", hear_trouble},
};

static void on_text(void *self, struct text message)
{
	struct turning *t = self;
	yyjson_doc *doc = yyjson_read(message.at, message.len, 0);
	yyjson_val *root = yyjson_doc_get_root(doc);
	struct text type = json_text_at(root, "type");

	t->heard_ms = turn_now_ms();
	for (size_t i = 0; i < sizeof(hears) / sizeof(hears[0]) && !t->is_over; i++)
		if (text_is(type, hears[i].type))
			hears[i].hear(t, yyjson_obj_get(root, "payload"));
	yyjson_doc_free(doc);
}

static void on_open(void *self)
{
	struct turning *t = self;
	struct buf message;

	t->is_open = true;
	buf_init(&message, 4 * KIB);
	put_object(&message, NULL);
	put_word(&message, "type", "session.start");
	put_object(&message, "payload");
	put_list(&message, "features");
	put_word(&message, NULL, "audio");
	put_list_end(&message);
	if (t->source)
		put_word(&message, "source", t->source);
	put_end(&message);
	put_end(&message);
	ws_client_send(t->client, buf_text(&message));
	buf_finish(&message);
}

static void on_closed(void *self, uint16_t code, int status, const char *why)
{
	struct turning *t = self;
	struct error words;

	(void)code;
	if (t->is_over)
		return;
	error_set(&words, "%s", why);
	if (!t->is_open && !status)
		error_set(&words, "no signalbox is running on %s (%s)", t->place, why);
	end_badly(t, words.words);
}

/* ---- a turn ---- */

static bool connect_turn(struct turning *t, const struct remote *remote, struct error *why)
{
	struct remote_target target = remote_target(remote);
	const char *headers[] = {target.authorization, NULL};
	char *url = must_print("ws%s/ws/voice", target.base + strlen("http"));
	const struct ws_client_options options = {
		.url = url,
		.path = target.sock,
		.headers = headers,
		.message_max = MESSAGE_MAX,
		.send_max = SEND_MAX,
		.connect_ms = CONNECT_MS,
		.ping_ms = PING_MS,
		.self = t,
		.open = on_open,
		.text = on_text,
		.closed = on_closed,
	};

	t->client = ws_client_create(target.loop, &options, why);
	free(url);
	return t->client != NULL;
}

static void wait_turn(struct turning *t, struct loop *loop)
{
	struct pollfd poll_fd = {.fd = loop_fd(loop), .events = POLLIN};
	int wait_ms = t->ended_ms ? LOOK_MS : CHUNK_MS;
	int patience = loop_patience(loop);

	if (patience < 0 || patience > wait_ms)
		patience = wait_ms;
	poll(&poll_fd, 1, patience);
	loop_step(loop, false);
}

static void look_at_clock(struct turning *t)
{
	uint64_t silent_ms = turn_now_ms() - t->heard_ms;

	if (t->told->is_cancelled && silent_ms > CANCEL_MS)
		t->is_over = true;
	else if (silent_ms > ANSWER_MS)
		end_badly(t, "the box does not answer");
}

bool voice_turn(struct remote *remote, const struct voice_question *question,
                const struct voice_turn_listener *listener, struct voice_turned *told,
                struct error *why)
{
	struct loop *loop = remote_target(remote).loop;
	struct turning t = {.place = remote_data(remote),
	                    .source = question->source,
	                    .listener = listener,
	                    .told = told,
	                    .rest = question->pcm,
	                    .heard_ms = turn_now_ms()};

	if (!connect_turn(&t, remote, why))
		return false;
	while (!t.is_over) {
		wait_turn(&t, loop);
		if (interrupt_came() && !told->is_cancelled && !t.is_over)
			cancel_turn(&t);
		if (!t.is_over)
			speak_on(&t, question->pcm.len);
		if (!t.is_over)
			look_at_clock(&t);
	}
	ws_client_destroy(t.client);
	loop_step(loop, false);
	if (t.has_failed)
		error_set(why, "%s", t.why.words);
	return !t.has_failed;
}

void voice_turned_init(struct voice_turned *told)
{
	*told = (struct voice_turned){.final_ms = -1, .text_ms = -1, .sound_ms = -1, .end_ms = -1};
	buf_init(&told->final, VOICE_TURN_WORDS_MAX);
	buf_init(&told->answer, VOICE_TURN_WORDS_MAX);
	buf_init(&told->pcm, VOICE_ANSWER_MAX);
}

void voice_turned_finish(struct voice_turned *told)
{
	buf_finish(&told->final);
	buf_finish(&told->answer);
	buf_finish(&told->pcm);
}

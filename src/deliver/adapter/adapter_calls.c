/* adapter_calls.c - what goes to an adapter: one message after the other.
 *
 * Lines of a stream have no name of what they are about, so the next call begins when the one
 * before it is over.  Whether a program that dies with a call has done it, nobody knows.
 */
#include <stdlib.h>

#include "base/must.h"
#include "deliver/adapter/adapter_call.h"

#define FILE_MS 50000
#define EDIT_MS 10000
#define WAIT_MS 12000 /* for its turn */
#define EDIT_WAIT_MS 3000
#define CALLS_MAX 256
#define REMOVED "(removed)"

static const struct bucket_rate any_rate = {1000, 1};

/* ---- calls ---- */

static char *dup_word(struct text t)
{
	return t.len ? text_dup(t) : NULL;
}

static struct adapter_call *adapter_make_call(struct adapter *a, const struct channel_message *m,
                                              enum channel_act act)
{
	struct adapter_call *c = must_zero(1, sizeof(*c));
	bool is_edit = act == CHANNEL_EDIT || act == CHANNEL_REMOVE;

	c->adapter = a;
	c->act = act;
	c->piece = m->piece;
	c->is_plain = m->is_plain;
	c->sought_ms = m->since_ms;
	c->delivery = text_dup(m->delivery);
	c->run = must_print("%.*s/%u", TEXT_ARG(m->delivery), m->piece);
	c->peer = text_dup(m->peer);
	c->thread = dup_word(m->thread);
	c->reply_to = dup_word(m->reply_to);
	c->message = is_edit ? dup_word(m->message) : NULL;
	c->text = dup_word(m->text);
	c->file = m->file ? must_dup(m->file->path) : NULL;
	c->since_ms = adapter_now(a);
	c->until_ms = c->since_ms + (is_edit ? EDIT_WAIT_MS : WAIT_MS);
	adapter_live_begin(&c->live, m);
	list_init(&c->in_adapter);
	list_add(&a->calls, &c->in_adapter);
	a->call_count++;
	return c;
}

static void adapter_free_call(struct adapter_call *c)
{
	list_remove(&c->in_adapter);
	c->adapter->call_count--;
	adapter_child_destroy(c->child);
	free(c->delivery);
	free(c->run);
	free(c->peer);
	free(c->thread);
	free(c->reply_to);
	free(c->message);
	free(c->text);
	free(c->file);
	free(c->created);
	adapter_live_finish(&c->live);
	free(c);
}

struct channel_message adapter_message_of(const struct adapter_call *c)
{
	return (struct channel_message){.delivery = text_of(c->delivery),
	                                .piece = c->piece,
	                                .peer = text_of(c->peer),
	                                .thread = text_of(c->thread),
	                                .reply_to = text_of(c->reply_to),
	                                .message = text_of(c->message),
	                                .text = text_of(c->text),
	                                .since_ms = c->sought_ms,
	                                .is_plain = c->is_plain};
}

struct adapter_call *adapter_first_call(const struct adapter *a)
{
	return list_is_empty(&a->calls) ? NULL
	                                : list_of(a->calls.next, struct adapter_call, in_adapter);
}

/* It is over, and the next one may begin. */
static void adapter_end_call(struct adapter_call *c, enum channel_answer answer, struct text id,
                             const struct error *why)
{
	struct adapter *a = c->adapter;
	char *delivery = c->delivery, *message = text_dup(id.len ? id : text_of(c->run));
	struct channel_result result = {.act = c->act,
	                                .answer = answer,
	                                .delivery = text_of(delivery),
	                                .piece = c->piece,
	                                .message = text_of(message),
	                                .why = why};

	if (c == adapter_first_call(a)) {
		a->is_out = false;
		deadline_clear(&a->due);
	}
	c->delivery = NULL;
	adapter_free_call(c);
	a->options.answered(a->options.self, &result);
	a->options.wake(a->options.self);
	free(delivery);
	free(message);
}

static void refuse(struct adapter *a, const struct channel_message *m, enum channel_act act,
                   enum channel_answer answer)
{
	a->options.answered(a->options.self, &(struct channel_result){.act = act,
	                                                              .answer = answer,
	                                                              .delivery = m->delivery,
	                                                              .piece = m->piece,
	                                                              .why = &a->why});
}

/* ---- what became of it ---- */

static void hear_failure(struct adapter_call *c, const struct adapter_status *s)
{
	struct adapter *a = c->adapter;
	int64_t now_ms = adapter_now(a);
	enum channel_answer answer = s->answer;

	if (answer == CHANNEL_LATER)
		bucket_stop(buckets_of(&a->chats, text_of(c->peer), &any_rate, now_ms),
		            now_ms + s->after_ms);
	if (c->act == CHANNEL_LOOK)
		answer = answer == CHANNEL_REFUSED ? CHANNEL_UNKNOWN : CHANNEL_AWAY;
	else if (c->created && c->act == CHANNEL_SEND)
		answer = CHANNEL_UNKNOWN; /* a part of it is there */
	adapter_end_call(c, answer, TEXT(""), &s->why);
}

static void hear_end(struct adapter_call *c, const struct adapter_status *s)
{
	struct text id = s->message.len ? s->message : text_of(c->created);
	struct error why = {"it is not there"};

	if (id.len || c->act != CHANNEL_LOOK)
		adapter_end_call(c, CHANNEL_ACCEPTED, id, NULL);
	else
		adapter_end_call(c, CHANNEL_ABSENT, id, &why);
}

static void hear_status(struct adapter_call *c, const struct adapter_status *s)
{
	if (s->news == ADAPTER_CREATED && s->message.len && !c->created)
		c->created = text_dup(s->message);
	else if (s->news == ADAPTER_DONE && !c->live.grows)
		hear_end(c, s);
	else if (s->news == ADAPTER_FAILED)
		hear_failure(c, s);
}

static bool stream_line(void *self, struct text line, struct error *why)
{
	struct adapter *a = self;
	struct adapter_status status;

	if (!adapter_read_status(&a->reader, line, &status, why))
		return false;
	if (a->is_out)
		hear_status(adapter_first_call(a), &status);
	return true;
}

/* ---- by a stream ---- */

static bool tell_stream(struct adapter_call *c)
{
	struct channel_message m = adapter_message_of(c);
	struct adapter_say say = {c->adapter, c->run, &m};
	struct buf out;
	bool good;

	buf_init(&out, ADAPTER_INPUT_MAX);
	if (c->live.grows) {
		adapter_say_start(&say, &out);
		adapter_live_say(&c->live, &say, false, &out);
	} else if (c->act == CHANNEL_LOOK)
		adapter_say_find(&say, &out);
	else if (c->act == CHANNEL_REMOVE && !c->text)
		adapter_say_delete(&say, &out);
	else
		adapter_say_message(&say, &out);
	good = !out.full && adapter_child_write(c->adapter->stream, buf_text(&out));
	buf_finish(&out);
	return good;
}

/* The program is gone, and may have done it. */
static void lose_call(struct adapter_call *c)
{
	adapter_end_call(c, c->act == CHANNEL_LOOK ? CHANNEL_AWAY : CHANNEL_UNKNOWN, TEXT(""),
	                 &c->adapter->why);
}

static void stream_over(void *self, struct text answer, const char *why)
{
	struct adapter *a = self;

	error_set(&a->why, "the adapter's stream is not there: %s", why ? why : "it ended");
	if (a->is_out)
		lose_call(adapter_first_call(a));
	a->options.wake(a->options.self);
}

static void stream_began(void *self)
{
	struct adapter *a = self;

	a->options.wake(a->options.self);
}

void adapter_open_stream(struct adapter *a)
{
	static const char *const words[] = {"--format", "jsonl", NULL};
	struct adapter_child_options o;
	struct adapter_argv argv;

	if (!adapter_argv(a, ADAPTER_STREAM, words, &argv))
		return;
	o = adapter_child_of(a, &argv);
	o.input_max = ADAPTER_INPUT_MAX;
	o.has_lines = true;
	o.line = stream_line;
	o.began = stream_began;
	o.over = stream_over;
	a->stream = adapter_child_create(&o);
}

/* ---- by send ---- */

static void send_over(void *self, struct text answer, const char *why)
{
	struct adapter_call *c = self;
	struct adapter *a = c->adapter;
	struct adapter_status status;
	struct error fault;

	if (adapter_read_sent(&a->reader, answer, &status, &fault)) {
		hear_status(c, &status);
		return;
	}
	if (why)
		error_set(&fault, "send: %s", why);
	adapter_end_call(c, CHANNEL_UNKNOWN, TEXT(""), &fault);
}

static void start_send(struct adapter_call *c, struct text text)
{
	struct adapter *a = c->adapter;
	const char *words[16] = {"--to", c->peer};
	struct adapter_child_options o;
	struct adapter_argv argv;
	char *said = text_dup(text);
	size_t n = 2;

	if (c->thread) {
		words[n++] = "--thread";
		words[n++] = c->thread;
	}
	if (c->reply_to) {
		words[n++] = "--reply-to";
		words[n++] = c->reply_to;
	}
	if (c->file) {
		words[n++] = "--id";
		words[n++] = c->run;
		words[n++] = "--media";
		words[n++] = c->file;
	}
	if (!a->info.reads_stdin && (said[0] || !c->file)) {
		words[n++] = c->file ? "--caption" : "--text";
		words[n++] = said;
	}
	if (adapter_argv(a, ADAPTER_SEND, words, &argv)) {
		o = adapter_child_of(a, &argv);
		o.ms = c->file ? FILE_MS : ADAPTER_SEND_MS;
		o.input_max = a->info.reads_stdin ? ADAPTER_INPUT_MAX : 0;
		o.self = c;
		o.over = send_over;
		c->child = adapter_child_create(&o);
		adapter_child_write(c->child, a->info.reads_stdin ? text : TEXT(""));
		adapter_child_close_input(c->child);
	}
	free(said);
}

/* ---- one after the other ---- */

static bool adapter_start_call(struct adapter_call *c)
{
	struct channel_message m = adapter_message_of(c);
	struct buf words;

	if (c->adapter->info.can[ADAPTER_STREAM] && !c->file)
		return tell_stream(c);
	buf_init(&words, ADAPTER_LINE_MAX);
	adapter_words(c->adapter, &m, &words);
	start_send(c, buf_text(&words));
	buf_finish(&words);
	return adapter_child_runs(c->child);
}

static unsigned most_ms(const struct adapter_call *c)
{
	if (c->act == CHANNEL_EDIT || c->act == CHANNEL_REMOVE)
		return EDIT_MS;
	return (c->file ? FILE_MS : ADAPTER_SEND_MS) + 1000;
}

static void start_next(struct adapter *a)
{
	struct adapter_call *c;

	while (!a->is_out && (c = adapter_first_call(a))) {
		a->is_out = true;
		if (!c->live.grows)
			deadline_set(a->options.loop, &a->due, most_ms(c));
		if (!adapter_start_call(c))
			adapter_end_call(c, CHANNEL_AWAY, TEXT(""), &a->why);
	}
}

/* The call that is under way takes too long: its program is ended, and that ends it. */
static void call_is_due(struct deadline *deadline)
{
	struct adapter *a = list_of(deadline, struct adapter, due);
	struct adapter_call *c = adapter_first_call(a);
	struct error why = {"the adapter does not answer"};

	if (!a->stream || c->file)
		adapter_end_call(c, CHANNEL_UNKNOWN, TEXT(""), &why);
	else
		adapter_child_end(a->stream, why.words);
}

int64_t adapter_calls_tick(struct adapter *a, int64_t now_ms)
{
	int64_t due = INT64_MAX;
	struct error why = {"others are before it"};

	start_next(a);
	list_each(&a->calls, l) {
		struct adapter_call *c = list_of(l, struct adapter_call, in_adapter);

		if (a->is_out && c == adapter_first_call(a))
			continue;
		if (c->until_ms <= now_ms)
			adapter_end_call(c, c->act == CHANNEL_LOOK ? CHANNEL_AWAY : CHANNEL_LATER,
			                 TEXT(""), &why);
		else if (c->until_ms < due)
			due = c->until_ms;
	}
	return due;
}

/* ---- what the outbox wants ---- */

static bool is_there(const struct adapter *a)
{
	if (!a->is_known)
		return false;
	return a->info.can[ADAPTER_STREAM] ? adapter_child_runs(a->stream)
	                                   : a->info.can[ADAPTER_SEND];
}

/* What cannot be taken away gets short words in its place. */
static void call_to_remove(struct adapter *a, const struct channel_message *m)
{
	struct channel_message said = *m;

	if (!a->info.can[ADAPTER_DELETE]) {
		said.text = TEXT(REMOVED);
		said.is_plain = true;
	}
	adapter_make_call(a, &said, CHANNEL_REMOVE);
}

static bool can_do(const struct adapter *a, enum channel_act act)
{
	static const enum adapter_ability needs[] = {[CHANNEL_SEND] = ADAPTER_SEND,
	                                             [CHANNEL_LOOK] = ADAPTER_RECONCILE,
	                                             [CHANNEL_EDIT] = ADAPTER_EDIT,
	                                             [CHANNEL_REMOVE] = ADAPTER_DELETE};

	return act == CHANNEL_SEND || a->info.can[needs[act]] ||
	       (act == CHANNEL_REMOVE && a->info.can[ADAPTER_EDIT]);
}

static void call(struct adapter *a, const struct channel_message *m, enum channel_act act)
{
	if (!is_there(a) || a->call_count >= CALLS_MAX) {
		refuse(a, m, act, CHANNEL_AWAY);
	} else if (!can_do(a, act)) {
		refuse(a, m, act, act == CHANNEL_LOOK ? CHANNEL_UNKNOWN : CHANNEL_REFUSED);
	} else {
		if (act == CHANNEL_REMOVE)
			call_to_remove(a, m);
		else
			adapter_make_call(a, m, act);
		a->options.wake(a->options.self);
	}
}

void adapter_send(void *self, const struct channel_message *m)
{
	call(self, m, CHANNEL_SEND);
}

void adapter_look(void *self, const struct channel_message *m)
{
	call(self, m, CHANNEL_LOOK);
}

void adapter_edit(void *self, const struct channel_message *m)
{
	call(self, m, CHANNEL_EDIT);
}

void adapter_remove(void *self, const struct channel_message *m)
{
	call(self, m, CHANNEL_REMOVE);
}

/* Nobody waits for it; between two calls of a stream it has its place. */
void adapter_type(void *self, const struct channel_message *where, bool shows)
{
	struct adapter *a = self;
	struct adapter_say say = {a, NULL, where};
	struct buf out;

	if (!is_there(a) || !a->info.can[ADAPTER_TYPING])
		return;
	buf_init(&out, 8 * KIB);
	adapter_say_typing(&say, shows, &out);
	if (!out.full)
		adapter_child_write(a->stream, buf_text(&out));
	buf_finish(&out);
}

int64_t adapter_ready(void *self, const struct channel_message *where, int64_t now_ms)
{
	const struct adapter *a = self;

	return buckets_ready(&a->chats, where->peer, now_ms);
}

/* ---- life ---- */

void adapter_calls_init(struct adapter *a)
{
	list_init(&a->calls);
	buckets_init(&a->chats);
	a->due.fire = call_is_due;
}

void adapter_calls_finish(struct adapter *a)
{
	deadline_clear(&a->due);
	while (adapter_first_call(a))
		adapter_free_call(adapter_first_call(a));
	buckets_finish(&a->chats);
}

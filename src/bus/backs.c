/* backs.c - the list of back ends: which one is meant, and what became of it. */
#include "bus/backs.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "base/random.h"
#include "base/utf8.h"
#include "base/visible.h"
#include "bus/admit.h"
#include "bus/bus.h"
#include "bus/call.h"

#define CONTROL_MAX (64 * KIB)
#define NAMED_MAX 256

struct backs {
	struct backs_options options;
	struct back_prompts prompts;
	struct link all; /* back_end.in_all */
	struct link waiting;
	size_t waiting_count;
	uint64_t last_ticket;
	/* The ids that callers gave last: a run is known only when its first signal is folded. */
	char named[NAMED_MAX][BACK_RUN_MAX + 1];
	unsigned named_count;
};

struct waiting_back {
	struct link in_backs; /* backs.waiting */
	uint64_t ticket;
	struct back_ear ear;
	unsigned ticks, patience; /* patience: so many ticks */
	char *record;             /* a signal, for when it is done */
};

struct backs *backs_create(const struct backs_options *options)
{
	struct backs *b = must_zero(1, sizeof(*b));

	b->options = *options;
	list_init(&b->all);
	list_init(&b->waiting);
	return b;
}

static void drop(struct backs *b, struct waiting_back *w)
{
	list_remove(&w->in_backs);
	b->waiting_count--;
	free(w->record);
	free(w);
}

void backs_destroy(struct backs *b)
{
	if (!b)
		return;
	while (!list_is_empty(&b->waiting))
		drop(b, list_of(b->waiting.next, struct waiting_back, in_backs));
	free(b);
}

void backs_add(struct backs *b, struct back_end *end)
{
	list_add(&b->all, &end->in_all);
}

void backs_stop(struct backs *b)
{
	list_init(&b->all);
}

/* ---- verdicts ---- */

static void admit(struct backs *b, struct text signal)
{
	struct bus_emit e = {.from = bus_from(b->options.bus, SOURCE_OF_BOX, true), .raw = signal};
	struct bus_verdict verdict;

	e.from.is_box = true;
	if (signal.len)
		bus_admit(b->options.bus, &e, &verdict);
}

static void end_wait(struct backs *b, struct waiting_back *w, const struct back_verdict *verdict)
{
	struct back_ear ear = w->ear;

	if (verdict->answer == BACK_DONE && w->record)
		admit(b, text_of(w->record));
	drop(b, w);
	if (ear.told)
		ear.told(ear.of, verdict);
}

static void be_silent(struct backs *b, struct waiting_back *w)
{
	struct error why;

	error_set(&why, "whoever does the work of this run did not answer within %u s",
	          w->patience);
	end_wait(b, w, &(struct back_verdict){.answer = BACK_SILENT, .why = &why});
}

void backs_tick(struct backs *b)
{
	/* The first tick may come at once. */
	list_each(&b->waiting, l) {
		struct waiting_back *w = list_of(l, struct waiting_back, in_backs);

		if (++w->ticks > w->patience)
			be_silent(b, w);
	}
}

void backs_called(struct backs *b, uint64_t ticket, const struct back_verdict *verdict)
{
	list_each(&b->waiting, l) {
		struct waiting_back *w = list_of(l, struct waiting_back, in_backs);

		if (w->ticket != ticket)
			continue;
		end_wait(b, w, verdict);
		return;
	}
}

void backs_verdict(struct backs *b, uint64_t ticket, enum back_answer verdict, const char *why)
{
	struct error words = {""};

	if (verdict != BACK_DONE)
		error_set(&words, "%s", why);
	backs_called(b, ticket, &(struct back_verdict){.answer = verdict, .why = &words});
}

/* What was taken waits for its verdict, and leaves this record then. */
static enum back_answer wait_for(struct backs *b, const struct waiting_back *wait,
                                 struct error *why)
{
	struct waiting_back *w;

	if (b->waiting_count >= BACKS_WAITING_MAX) {
		error_set(why, "it was passed on, but too many wait for an answer already");
		return BACK_CONFLICT;
	}
	w = must_zero(1, sizeof(*w));
	*w = *wait;
	w->record = must_dup(wait->record);
	list_add(&b->waiting, &w->in_backs);
	assert(b->waiting_count < BACKS_WAITING_MAX);
	b->waiting_count++;
	return BACK_TAKEN;
}

/* What is done is recorded, whoever hears of it. */
static void forget(void *self, void *of)
{
	struct backs *b = self;

	b->prompts.forget(b->prompts.self, of);
	list_each(&b->waiting, l) {
		struct waiting_back *w = list_of(l, struct waiting_back, in_backs);

		if (w->ear.of == of)
			w->ear = (struct back_ear){0};
	}
}

/* ---- choosing ---- */

typedef enum back_answer try_fn(const struct back_end *end, const void *what, struct error *why);

/* The first that does not say that it is none of its own. */
static enum back_answer first_of(const struct backs *b, try_fn *try, const void *what,
                                 struct error *why)
{
	enum back_answer answer = BACK_UNKNOWN;

	error_set(why, "there is nobody who could");
	list_each(&b->all, l) {
		if (answer == BACK_UNKNOWN)
			answer = try(list_of(l, struct back_end, in_all), what, why);
	}
	return answer;
}

static const struct back_end *who_can(const struct backs *b, struct text run, struct text op)
{
	list_each(&b->all, l) {
		const struct back_end *end = list_of(l, struct back_end, in_all);

		if (end->can && end->can(end->self, run, op))
			return end;
	}
	return NULL;
}

/* ---- asks, messages, deeds ---- */

static enum back_answer try_ask(const struct back_end *end, const void *what, struct error *why)
{
	return end->ask ? end->ask(end->self, what, why) : BACK_UNKNOWN;
}

/* Text without control characters: ids are shown on screens and stand in lines of logs. */
static bool is_plain_id(struct text id)
{
	while (id.len) {
		struct text one = {id.at, utf8_length(id)};

		if (!one.len || visible_kind(utf8_decode(one)) == VISIBLE_CONTROL)
			return false;
		id = (struct text){id.at + one.len, id.len - one.len};
	}
	return true;
}

static char *find_named(struct backs *b, struct text id)
{
	for (size_t i = 0; i < NAMED_MAX; i++)
		if (text_is(id, b->named[i]))
			return b->named[i];
	return NULL;
}

/* Before the ask: its signals may be heard before it returns. */
static char *note_name(struct backs *b, const char *run)
{
	char *at = b->named[b->named_count++ % NAMED_MAX];

	snprintf(at, BACK_RUN_MAX + 1, "%s", run);
	return at;
}

/* BACK_DONE: run has it. */
static enum back_answer name_run(struct backs *b, const struct back_ask *ask,
                                 char run[BACK_RUN_MAX + 1], struct error *why)
{
	struct text given = ask->run;

	if (!given.at) {
		random_uuid(run);
		run[RANDOM_UUID_LEN] = '\0';
		return BACK_DONE;
	}
	if (!given.len || given.len > BACK_RUN_MAX || !is_plain_id(given)) {
		error_set(why, "the id of a run has 1 to %d bytes, and no control characters",
		          BACK_RUN_MAX);
		return BACK_INVALID;
	}
	if (find_named(b, given)) {
		error_set(why, "there is a run '%.*s' already", TEXT_ARG(given));
		return BACK_CONFLICT;
	}
	if (!ask->joins && b->options.is_free && !b->options.is_free(b->options.self, given, why))
		return BACK_CONFLICT;
	snprintf(run, BACK_RUN_MAX + 1, "%.*s", TEXT_ARG(given));
	return BACK_DONE;
}

static enum back_answer ask(void *self, const struct back_ask *given, char run[BACK_RUN_MAX + 1],
                            struct error *why)
{
	struct back_ask ask = *given;
	enum back_answer answer = name_run(self, given, run, why);
	char *named;

	if (answer != BACK_DONE)
		return answer;
	ask.run = text_of(run);
	named = note_name(self, run);
	answer = first_of(self, try_ask, &ask, why);
	if (answer != BACK_DONE)
		named[0] = '\0';
	return answer;
}

struct back_message {
	struct text source, words;
};

static enum back_answer try_send(const struct back_end *end, const void *what, struct error *why)
{
	const struct back_message *m = what;

	return end->send ? end->send(end->self, m->source, m->words, why) : BACK_UNKNOWN;
}

static enum back_answer send(void *self, struct text source, struct text message, struct error *why)
{
	return first_of(self, try_send, &(struct back_message){source, message}, why);
}

static enum back_answer try_call(const struct back_end *end, const void *what, struct error *why)
{
	return end->call ? end->call(end->self, what, why) : BACK_UNKNOWN;
}

static enum back_answer call(void *self, const struct back_call *given, struct error *why)
{
	struct backs *b = self;
	struct back_call c = *given;
	struct waiting_back wait = {.ear = given->ear, .patience = BACK_CALL_S + BACKS_WAIT_S};
	enum back_answer answer;

	c.ticket = wait.ticket = ++b->last_ticket;
	answer = first_of(b, try_call, &c, why);
	return answer == BACK_TAKEN ? wait_for(b, &wait, why) : answer;
}

static enum back_answer try_tell(const struct back_end *end, const void *what, struct error *why)
{
	return end->tell ? end->tell(end->self, what, why) : BACK_UNKNOWN;
}

enum back_answer backs_tell(struct backs *b, const struct back_deed *deed, struct error *why)
{
	return first_of(b, try_tell, deed, why);
}

/* ---- controls ---- */

static enum back_answer try_cancel(const struct back_end *end, const void *what, struct error *why)
{
	return end->cancel ? end->cancel(end->self, what, why) : BACK_UNKNOWN;
}

static enum back_answer cancel(void *self, struct text run, const struct back_ear *ear,
                               struct error *why)
{
	struct backs *b = self;
	struct back_control c = {
		.run = run, .op = TEXT("cancel"), .ear = *ear, .ticket = ++b->last_ticket};
	struct waiting_back wait = {.ticket = c.ticket, .ear = *ear, .patience = BACKS_WAIT_S};
	enum back_answer answer = first_of(b, try_cancel, &c, why);

	return answer == BACK_TAKEN ? wait_for(b, &wait, why) : answer;
}

static void add_record(struct buf *out, const struct back_control *c)
{
	put_object(out, NULL);
	put_word(out, "type", "control");
	put_text(out, "source", SOURCE_OF_BOX);
	put_text(out, "correlationId", c->run);
	put_object(out, "payload");
	put_text(out, "run", c->run);
	put_text(out, "do", c->op);
	if (c->n)
		put_u64(out, "n", c->n);
	put_key(out, "by");
	back_add_who(out, &c->who);
	put_end(out);
	put_end(out);
	if (out->full)
		buf_clear(out);
}

static enum back_answer record(struct backs *b, const struct back_control *c,
                               enum back_answer answer, struct error *why)
{
	struct waiting_back wait = {.ticket = c->ticket, .ear = c->ear, .patience = BACKS_WAIT_S};
	struct buf out;

	if (answer != BACK_DONE && answer != BACK_TAKEN)
		return answer;
	buf_init(&out, CONTROL_MAX);
	add_record(&out, c);
	if (answer == BACK_DONE) {
		admit(b, buf_text(&out));
	} else {
		wait.record = text_dup(buf_text(&out));
		answer = wait_for(b, &wait, why);
		free(wait.record);
	}
	buf_finish(&out);
	return answer;
}

/* In the agent's own dialect there may be others that only it knows. */
static bool is_control(const struct back_control *given)
{
	return back_is_op(given->op) || (given->frame.len > 0 && given->op.len > 0);
}

static enum back_answer try_control(const struct back_end *end, const void *what, struct error *why)
{
	return end->control ? end->control(end->self, what, why) : BACK_UNKNOWN;
}

static enum back_answer front_control(void *self, const struct back_control *given,
                                      struct error *why)
{
	struct backs *b = self;
	struct back_control c = *given, said = *given;
	enum back_answer answer = BACK_UNKNOWN;
	const struct back_end *end;

	if (!is_control(given)) {
		error_set(why, "nobody can %.*s a run",
		          (int)(given->op.len < 80 ? given->op.len : 80), given->op.at);
		return BACK_INVALID;
	}
	c.op = back_op_of(given->op);
	c.ticket = said.ticket = ++b->last_ticket;
	end = who_can(b, c.run, c.op);
	if (end)
		answer = try_control(end, &c, why);
	if (answer == BACK_UNKNOWN)
		answer = first_of(b, try_control, &c, why);
	if (answer == BACK_UNKNOWN && b->options.missing)
		answer = b->options.missing(b->options.self, &c, why);
	return record(b, &said, answer, why);
}

static bool front_can(void *self, struct text run, struct text op)
{
	return who_can(self, run, back_op_of(op)) != NULL;
}

/* ---- prompts ---- */

static enum back_answer reply(void *self, const struct back_reply *reply, struct error *why)
{
	struct backs *b = self;

	return b->prompts.reply(b->prompts.self, reply, why);
}

static void list(void *self, enum answers may, struct buf *out)
{
	struct backs *b = self;

	b->prompts.list(b->prompts.self, may, out);
}

static enum back_answer input(void *self, struct text prompt, struct buf *out, struct error *why)
{
	struct backs *b = self;

	return b->prompts.input(b->prompts.self, prompt, out, why);
}

static enum back_answer try_settle(const struct back_end *end, const void *what, struct error *why)
{
	return end->settle ? end->settle(end->self, what, why) : BACK_UNKNOWN;
}

enum back_answer backs_settle(struct backs *b, const struct back_outcome *outcome,
                              struct error *why)
{
	return first_of(b, try_settle, outcome, why);
}

void backs_look(struct backs *b, struct text source, struct text id)
{
	list_each(&b->all, l) {
		const struct back_end *end = list_of(l, struct back_end, in_all);

		if (end->look)
			end->look(end->self, source, id);
	}
}

struct text backs_input(struct backs *b, struct text source, struct text id)
{
	struct text found = TEXT("");

	list_each(&b->all, l) {
		const struct back_end *end = list_of(l, struct back_end, in_all);

		if (!found.len && end->input)
			found = end->input(end->self, source, id);
	}
	return found;
}

struct back backs_front(struct backs *b, const struct back_prompts *prompts)
{
	b->prompts = *prompts;
	return (struct back){
		.self = b,
		.ask = ask,
		.cancel = cancel,
		.control = front_control,
		.can = front_can,
		.reply = reply,
		.forget = forget,
		.prompts = list,
		.input = input,
		.send = send,
		.call = call,
	};
}

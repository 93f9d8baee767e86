/* answer.c - the ends of prompts: answers, deadlines, and who hears of them.
 *
 * Every end is a signal of the box.  It counts when it is heard; until then the prompt
 * is claimed, so that nobody else ends it.
 */
#include <stdlib.h>

#include "base/log.h"
#include "base/must.h"
#include "base/put.h"
#include "bus/bus.h"
#include "run/inside.h"
#include "run/prompts_inside.h"

/* Somebody who is to hear when an answer is on the disk. */
struct waiter {
	uint64_t seq; /* 0: not known yet */
	struct back_ear ear;
	struct link in_prompts; /* prompts.waiters */
};

/* --- emitting -------------------------------------------------------------- */

static void begin_signal(struct buf *out, const char *type, const struct prompt *p)
{
	buf_init(out, PROMPTS_LINE_MAX);
	put_object(out, NULL);
	put_word(out, "type", type);
	put_text(out, "source", SOURCE_OF_BOX);
	put_word(out, "correlationId", p->run);
	put_object(out, "payload");
	put_word(out, "prompt", p->id);
	put_word(out, "type", prompt_type_name(p->type));
	if (p->invoke.at) {
		put_text(out, "invokeid", p->invoke);
	}
}

/* Takes the signal.  What must not be lost is refused when it cannot be stored. */
static enum bus_answer emit(struct prompts *all, struct buf *out, const struct bus_emit *how,
                            struct error *why)
{
	struct bus_emit e = *how;
	struct bus_verdict verdict = {.answer = BUS_REFUSED};

	e.from = bus_from(all->options.bus, SOURCE_OF_BOX, true);
	e.from.is_box = true;
	put_end(out);
	put_end(out);
	e.raw = buf_text(out);
	if (out->full)
		error_set(&verdict.why, "it is too big");
	else
		bus_admit(all->options.bus, &e, &verdict);
	buf_finish(out);
	if (verdict.answer != BUS_ACCEPTED)
		error_set(why, "%s", verdict.why.words);
	return verdict.answer;
}

/* Ends it without anybody's answer; if that cannot be stored, it stays open. */
static bool emit_closed(struct prompts *all, struct prompt *p, enum prompt_state state,
                        const char *why)
{
	static const struct bus_emit how = {.durable = true};
	struct error trouble;
	struct buf out;

	begin_signal(&out, "prompt.closed", p);
	put_word(&out, "state", prompt_state_name(state));
	put_word(&out, "why", why);
	if (state == PROMPT_EXPIRED && p->other)
		put_json(&out, "value", text_of(p->other));
	saving_change(&all->saving, &p->to_save);
	p->claimed = true;
	p->why = must_dup(why);
	if (emit(all, &out, &how, &trouble) == BUS_ACCEPTED)
		return true;
	p->claimed = false;
	free(p->why);
	p->why = NULL;
	log_warn("prompts", "one stays open: %s", trouble.words);
	return false;
}

void prompts_cancel(struct prompts *all, struct text id, const char *why)
{
	struct prompt *p = map_get(&all->by_id, id);

	if (p && p->state == PROMPT_OPEN && !p->claimed)
		emit_closed(all, p, PROMPT_CANCELLED, why);
}

static void add_settler(struct buf *out, const struct prompt *p, const struct prompt_settlement *s)
{
	if (s->is_agents && s->who.user.len)
		back_add_who(out, &s->who);
	else
		buf_add(out, s->is_agents || !p->by ? TEXT("\"agent\"") : text_of(p->by));
}

void prompts_settle(struct prompts *all, struct text id, const struct prompt_settlement *s)
{
	static const struct bus_emit how = {.durable = false};
	const struct prompt *p = map_get(&all->by_id, id);
	struct buf out;

	if (!p || p->settled)
		return;
	begin_signal(&out, "prompt.settled", p);
	put_key(&out, "by");
	add_settler(&out, p, s);
	put_word(&out, "decision", s->decision);
	emit(all, &out, &how, NULL);
}

static struct prompt *find_due(struct prompts *all, int64_t now_ms)
{
	list_each(&all->open, l) {
		struct prompt *p = list_of(l, struct prompt, in_open);

		if (p->deadline_ms && p->deadline_ms <= now_ms && !p->claimed)
			return p;
	}
	return NULL;
}

/* Whoever hears of one end may end another, so each is looked for anew.  What cannot be
 * stored now is tried again at the next tick. */
void prompts_tick(struct prompts *all, int64_t now_ms)
{
	struct prompt *p;

	while ((p = find_due(all, now_ms)))
		if (!emit_closed(all, p, PROMPT_EXPIRED, "its time is over"))
			return;
}

/* --- on the disk ----------------------------------------------------------- */

static void tell_verdict(struct prompts *all, struct prompt *p)
{
	static const struct bus_emit how = {.durable = false};
	struct buf out;

	if (p->told || !prompts_deliver(all, p))
		return;
	saving_change(&all->saving, &p->to_save);
	p->told = true;
	begin_signal(&out, "prompt.told", p);
	emit(all, &out, &how, NULL);
}

static void tell_waiters(struct prompts *all, uint64_t seq)
{
	list_each(&all->waiters, l) {
		struct waiter *w = list_of(l, struct waiter, in_prompts);

		if (!w->seq || w->seq > seq)
			break;
		list_remove(&w->in_prompts);
		if (w->ear.told)
			w->ear.told(w->ear.of,
			            &(struct back_verdict){.answer = BACK_DONE, .seq = w->seq});
		free(w);
	}
}

void prompts_drop_waiters(struct prompts *all)
{
	list_each(&all->waiters, l)
		free(list_of(l, struct waiter, in_prompts));
}

void prompts_durable(struct prompts *all, uint64_t seq)
{
	while (!list_is_empty(&all->closing)) {
		struct prompt *p = list_of(all->closing.next, struct prompt, in_closed);

		if (p->end_seq > seq)
			break;
		list_remove(&p->in_closed);
		list_add(&all->closed, &p->in_closed);
		p->durable = true;
		tell_verdict(all, p);
	}
	tell_waiters(all, seq);
	prompts_trim(all, seq);
}

void prompts_untold(struct prompts *all, struct text run)
{
	list_each(&all->closed, l) {
		struct prompt *p = list_of(l, struct prompt, in_closed);

		if (!p->told && (!run.len || text_equal(text_of(p->run), run)))
			tell_verdict(all, p);
	}
}

/* --- answering ------------------------------------------------------------- */

/* In a dialog of the agent's own, whatever was answered here. */
static bool was_decided_there(const struct prompt *p)
{
	yyjson_doc *doc = p->settled ? yyjson_read(p->settled, strlen(p->settled), 0) : NULL;
	yyjson_val *settled = yyjson_doc_get_root(doc);
	bool there = yyjson_equals_str(yyjson_obj_get(settled, "by"), "agent") &&
	             !yyjson_equals_str(yyjson_obj_get(settled, "decision"), "gone");

	yyjson_doc_free(doc);
	return there;
}

static enum back_answer is_over(const struct prompt *p, struct error *why)
{
	yyjson_doc *doc = p->by ? yyjson_read(p->by, strlen(p->by), 0) : NULL;
	yyjson_val *by = yyjson_doc_get_root(doc);
	struct text user = json_text(yyjson_obj_get(by, "user"));
	struct text screen = json_text(yyjson_obj_get(by, "screen"));

	if (p->claimed && p->why)
		error_set(why, "%s", p->why);
	else if (p->claimed)
		error_set(why, "somebody else was first");
	else if (by && was_decided_there(p))
		error_set(why, "already %s, and it was decided there", prompt_state_name(p->state));
	else if (by)
		error_set(why, "already %s by %.*s at %.*s", prompt_state_name(p->state),
		          TEXT_ARG(user), TEXT_ARG(screen));
	else
		error_set(why, "already %s: %s", prompt_state_name(p->state), p->why ? p->why : "");
	yyjson_doc_free(doc);
	return p->state == PROMPT_EXPIRED ? BACK_EXPIRED : BACK_ALREADY;
}

/* BACK_DONE: it may be. */
static enum back_answer judge(struct prompts *all, const struct prompt *p,
                              const struct back_reply *a, struct error *why)
{
	yyjson_val *value;

	if (!a->value.len)
		return BACK_DONE;
	if (a->value.len > PROMPT_VALUE_MAX) {
		error_set(why, "it is too big");
		return BACK_INVALID_VALUE;
	}
	value = yyjson_doc_get_root(json_read(&all->json, a->value, why));
	if (!value || !prompt_takes(p, value, why))
		return BACK_INVALID_VALUE;
	if (a->may == ANSWERS_ALL || !prompt_needs_control(p, value))
		return BACK_DONE;
	error_set(why, "that answer needs a credential with the scope control, too");
	return BACK_FORBIDDEN;
}

static void stamped(void *self, uint64_t tag, struct text id, uint64_t seq)
{
	((struct waiter *)self)->seq = seq;
}

static struct waiter *add_waiter(struct prompts *all, const struct back_reply *a)
{
	struct waiter *w = must_zero(1, sizeof(*w));

	w->ear = a->ear;
	list_add(&all->waiters, &w->in_prompts);
	return w;
}

enum back_answer prompts_answer(struct prompts *all, const struct back_reply *a, struct error *why)
{
	struct prompt *p = map_get(&all->by_id, a->prompt);
	struct bus_emit how = {.durable = true};
	struct waiter *waiter;
	struct buf out;
	enum back_answer verdict;
	enum bus_answer answer;

	if (!p) {
		error_set(why, "there is no such prompt");
		return BACK_UNKNOWN;
	}
	if (p->state != PROMPT_OPEN || p->claimed)
		return is_over(p, why);
	verdict = judge(all, p, a, why);
	if (verdict != BACK_DONE)
		return verdict;
	begin_signal(&out, "answer", p);
	buf_add(&out, a->value.len ? TEXT(",\"value\":") : TEXT(",\"cancelled\":true"));
	buf_add(&out, a->value);
	put_key(&out, "by");
	back_add_who(&out, &a->who);
	waiter = add_waiter(all, a);
	how.ticket = (struct bus_ticket){.stamped = stamped, .self = waiter};
	p->claimed = true;
	answer = emit(all, &out, &how, why);
	if (answer == BUS_ACCEPTED)
		return BACK_TAKEN;
	p->claimed = false;
	list_remove(&waiter->in_prompts);
	free(waiter);
	return answer == BUS_FULL ? BACK_CONFLICT : BACK_INVALID_VALUE;
}

void prompts_forget(struct prompts *all, void *of)
{
	list_each(&all->waiters, l) {
		struct waiter *w = list_of(l, struct waiter, in_prompts);

		if (w->ear.of == of)
			w->ear = (struct back_ear){0};
	}
}

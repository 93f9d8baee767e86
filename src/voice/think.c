/* think.c - a source of the box thinks: it is asked as anybody asks it, and what its run says
 * is the answer.
 *
 * The run is called as the turn, of which the box knows already what was heard, so that both are
 * one.  The source tells what it is asked and what it says by its own signals; here they are
 * only heard.
 */
#include <stdlib.h>

#include "base/must.h"
#include "bus/bus.h"
#include "net/loop.h"
#include "run/hear.h"
#include "signal/json.h"
#include "signal/signal.h"
#include "voice/means.h"

#define MESSAGE_MAX (512 * KIB) /* of an answer that is compared with what comes as a whole */

struct thinking {
	const struct voice_thinker *thinker;
	struct voice_ear ear;
	struct bus_listener listener;
	struct signal_reader *reader;
	struct hearing hearing;
	struct buf question;
	struct buf message; /* that is being said, or was said last */
	bool in_message;
	bool is_listening;
	unsigned depth; /* of our calls that may tell, */
	bool is_doomed; /* and in which it was stopped */
};

static void free_thinking(struct thinking *t)
{
	if (t->is_listening)
		bus_remove_listener(t->thinker->around->bus, &t->listener);
	hearing_finish(&t->hearing);
	signal_reader_destroy(t->reader);
	buf_finish(&t->question);
	buf_finish(&t->message);
	free(t);
}

static void enter(struct thinking *t)
{
	t->depth++;
}

static void leave_thinking(struct thinking *t)
{
	if (!--t->depth && t->is_doomed)
		free_thinking(t);
}

/* ---- telling ---- */

static void tell_fact(struct thinking *t, const struct voice_fact *given)
{
	struct voice_fact fact = *given;

	fact.now_ms = loop_now_ms(t->thinker->around->loop);
	if (!t->is_doomed)
		t->ear.told(t->ear.self, t->ear.turn, &fact);
}

static void tell_failed(struct thinking *t, enum voice_code code, bool retryable, const char *words)
{
	tell_fact(t, &(struct voice_fact){.kind = FACT_FAILED,
	                                  .code = code,
	                                  .retryable = retryable,
	                                  .text = text_of(words)});
}

/* ---- the answer ---- */

static void say_words(struct thinking *t, struct text words)
{
	if (!words.len)
		return;
	if (!t->in_message && t->message.len)
		tell_fact(t, &(struct voice_fact){.kind = FACT_DELTA, .text = TEXT("\n\n")});
	if (!t->in_message)
		buf_clear(&t->message);
	t->in_message = true;
	buf_add(&t->message, words);
	tell_fact(t, &(struct voice_fact){.kind = FACT_DELTA, .text = words});
}

/* What did not come in pieces is said at once; what says the same again is not. */
static void hear_whole(struct thinking *t, const struct run_event *e)
{
	bool was_said =
		text_equal(text_trim(e->text), text_trim(buf_text(&t->message))) || t->message.full;

	if (!t->in_message && !was_said)
		say_words(t, e->text);
	t->in_message = false;
	if (e->has_call)
		tell_fact(t, &(struct voice_fact){.kind = FACT_TOOL_STARTED, .text = e->tool});
}

/* What subagents say is not said to the person. */
static void think_event(void *self, const struct run_event *e)
{
	struct thinking *t = self;

	if (e->part.len)
		return;
	if (e->kind == RUN_SAID && !e->is_thought)
		say_words(t, e->text);
	else if (e->kind == RUN_REPLIED)
		hear_whole(t, e);
	else if (e->kind == RUN_RETURNED)
		tell_fact(t, &(struct voice_fact){.kind = FACT_TOOL_FINISHED, .text = e->tool});
}

/* ---- its end ---- */

static bool is_cancelled(yyjson_val *payload)
{
	struct text code = json_text_at(payload, "code"), result = json_text_at(payload, "result");

	return text_is(result, "cancelled") || text_is(code, "cancelled") ||
	       text_is(code, "aborted") || text_is(result, "aborted");
}

static void end_run(struct thinking *t, const struct signal *s, bool success)
{
	yyjson_val *payload = yyjson_obj_get(s->envelope, "payload");
	struct text message = json_text_at(payload, "message");
	struct error why;

	*t->thinker->state = success ? THINKER_DONE : THINKER_FAILED;
	if (success) {
		tell_fact(t, &(struct voice_fact){.kind = FACT_WHOLE});
	} else if (is_cancelled(payload)) {
		tell_failed(t, VOICE_CANCELLED_UPSTREAM, true, "the answer was cancelled");
	} else {
		if (!message.len)
			message = json_text_at(payload, "result");
		error_set(&why, "%s did not answer: %.*s", t->thinker->source,
		          message.len < 200 ? (int)message.len : 200,
		          message.len ? message.at : "");
		tell_failed(t, VOICE_ENGINE_UNAVAILABLE, true, why.words);
	}
}

/* An ask ends in one completion or error; those of its subagents have other tasks. */
static void look_for_end(struct thinking *t, const struct signal *s)
{
	yyjson_val *payload = yyjson_obj_get(s->envelope, "payload");
	struct text task = json_text_at(payload, "taskId");

	if (s->kind == KIND_COMPLETION && (!task.len || text_is(task, t->thinker->turn)))
		end_run(t, s, !yyjson_is_false(yyjson_obj_get(payload, "success")));
	else if (s->kind == KIND_ERROR && !text_is(json_text_at(payload, "severity"), "warning"))
		end_run(t, s, false);
}

static void hear_run(struct bus_listener *listener, const struct signal *s)
{
	struct thinking *t = list_of(listener, struct thinking, listener);
	struct signal whole;

	if (*t->thinker->state != THINKER_ASKED || !text_is(s->correlation, t->thinker->turn) ||
	    text_starts(s->source, TEXT("voice/")) ||
	    !signal_read(t->reader, s->line, &whole, NULL))
		return;
	enter(t);
	hear_signal(&t->hearing, &whole, think_event, t);
	if (!t->is_doomed)
		look_for_end(t, &whole);
	leave_thinking(t);
}

/* ---- the role ---- */

static void *begin_thinking(const void *of, const struct voice_ear *ear, uint64_t now_ms)
{
	struct thinking *t = must_zero(1, sizeof(*t));

	(void)now_ms;
	t->thinker = of;
	t->ear = *ear;
	t->listener = (struct bus_listener){.name = "voice", .heard = hear_run};
	t->reader = signal_reader_create();
	hearing_init(&t->hearing);
	buf_init(&t->question, BACK_PROMPT_MAX);
	buf_init(&t->message, MESSAGE_MAX);
	return t;
}

static void feed_question(void *work, struct text piece, uint64_t now_ms)
{
	struct thinking *t = work;

	(void)now_ms;
	buf_add(&t->question, piece);
}

static enum back_answer ask_source(struct thinking *t, struct error *why)
{
	const struct voice_thinker *thinker = t->thinker;
	const struct back *back = &thinker->around->back;
	char run[BACK_RUN_MAX + 1];
	struct back_ask ask = {
		.source = text_of(thinker->source),
		.run = text_of(thinker->turn),
		.joins = true,
		.prompt = buf_text(&t->question),
		.session = text_of(thinker->talk),
	};
	enum back_answer answer;

	*thinker->state = THINKER_ASKED;
	answer = back->ask(back->self, &ask, run, why);
	if (answer != BACK_DONE)
		*thinker->state = THINKER_RESTS;
	return answer;
}

static void end_question(void *work, uint64_t now_ms)
{
	struct thinking *t = work;
	enum back_answer answer;
	struct error why;

	(void)now_ms;
	enter(t);
	bus_add_listener(t->thinker->around->bus, &t->listener);
	t->is_listening = true;
	answer = ask_source(t, &why);
	if (answer != BACK_DONE) {
		error_within(&why, "nobody answers");
		tell_failed(t, VOICE_ENGINE_UNAVAILABLE, answer == BACK_CONFLICT, why.words);
	}
	leave_thinking(t);
}

/* With the tool that it waits for, where the source can; else the ask alone. */
static void cancel_run(const struct voice_thinker *thinker)
{
	const struct back *back = &thinker->around->back;
	struct back_control control = {
		.run = text_of(thinker->turn),
		.op = TEXT("cancel"),
		.who = {.user = TEXT("person"), .screen = TEXT("voice")},
	};
	enum back_answer answer;
	struct error why;

	answer = back->control(back->self, &control, &why);
	if (answer != BACK_DONE && answer != BACK_TAKEN)
		back->cancel(back->self, control.run, &(struct back_ear){NULL, NULL}, &why);
}

static void stop_thinking(void *work)
{
	struct thinking *t = work;
	bool is_asked = *t->thinker->state == THINKER_ASKED;

	t->is_doomed = true;
	if (t->is_listening)
		bus_remove_listener(t->thinker->around->bus, &t->listener);
	t->is_listening = false;
	if (is_asked)
		cancel_run(t->thinker);
	if (!t->depth)
		free_thinking(t);
}

const struct voice_role voice_think_source = {
	.begin = begin_thinking,
	.feed = feed_question,
	.end = end_question,
	.stop = stop_thinking,
};

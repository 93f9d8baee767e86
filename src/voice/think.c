/* think.c - a source of the box thinks: it is asked as anybody asks it, and what its run says
 * is the answer.
 *
 * The run is called as the turn, of which the box knows already what was heard, so that both are
 * one.  The source tells what it is asked and what it says by its own signals; here they are
 * only heard.
 */
#include <stdlib.h>

#include "base/must.h"
#include "base/utf8.h"
#include "bus/bus.h"
#include "net/loop.h"
#include "voice/answer.h"
#include "voice/means.h"

#define WHY_MAX 200 /* bytes of what a source says of its failure */

struct thinking {
	const struct voice_thinker *thinker;
	struct voice_ear ear;
	struct bus_listener listener;
	struct signal_reader *reader;
	struct voice_answer answer;
	struct buf question;
	bool is_listening;
	unsigned depth; /* of our calls that may tell, */
	bool is_doomed; /* and in which it was stopped */
};

static void free_thinking(struct thinking *t)
{
	if (t->is_listening)
		bus_remove_listener(t->thinker->around->bus, &t->listener);
	answer_finish(&t->answer);
	signal_reader_destroy(t->reader);
	buf_finish(&t->question);
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

static void think_said(void *self, struct text words)
{
	tell_fact(self, &(struct voice_fact){.kind = FACT_DELTA, .text = words});
}

static void think_works(void *self, struct text tool, bool begins)
{
	tell_fact(self,
	          &(struct voice_fact){.kind = begins ? FACT_TOOL_STARTED : FACT_TOOL_FINISHED,
	                               .text = tool});
}

static void tell_outcome(struct thinking *t, enum voice_answer_end end)
{
	struct text words = utf8_cut(answer_why(&t->answer), WHY_MAX);
	struct error why;

	*t->thinker->state = end == ANSWER_WHOLE ? THINKER_DONE : THINKER_FAILED;
	if (end == ANSWER_WHOLE) {
		tell_fact(t, &(struct voice_fact){.kind = FACT_WHOLE});
	} else if (end == ANSWER_CANCELLED) {
		tell_failed(t, VOICE_CANCELLED_UPSTREAM, true, "the answer was cancelled");
	} else {
		error_set(&why, "%s did not answer: %.*s", t->thinker->source, TEXT_ARG(words));
		tell_failed(t, VOICE_ENGINE_UNAVAILABLE, true, why.words);
	}
}

static void hear_run(struct bus_listener *listener, const struct signal *s)
{
	struct thinking *t = list_of(listener, struct thinking, listener);
	enum voice_answer_end end;
	struct signal whole;

	if (*t->thinker->state != THINKER_ASKED || !text_is(s->correlation, t->thinker->turn) ||
	    text_starts(s->source, TEXT("voice/")) ||
	    !signal_read(t->reader, s->line, &whole, NULL))
		return;
	enter(t);
	end = answer_hear(&t->answer, &whole, text_of(t->thinker->turn));
	if (end != ANSWER_GOES_ON && !t->is_doomed)
		tell_outcome(t, end);
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
	answer_init(&t->answer, &(struct voice_answer_listener){t, think_said, think_works});
	buf_init(&t->question, BACK_PROMPT_MAX);
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

/* runs.c - asking a source, and stopping it: which run is whose.
 *
 * The newest runs are remembered in a ring.  A run that is not in it may be one
 * that a producer began by itself: then every source that is connected is asked.
 */
#include <stdio.h>

#include "bus/call.h"
#include "source/back.h"
#include "source/inside.h"

static enum back_answer find_open(struct sources *all, struct text id, struct source **out,
                                  struct error *why)
{
	struct source *s = sources_find(all, id);

	*out = s;
	if (!s) {
		error_set(why, "there is no source '%.*s'", TEXT_ARG(id));
		return BACK_UNKNOWN;
	}
	return BACK_DONE;
}

static enum back_answer needs(const struct source *s, bool can, const char *what, struct error *why)
{
	if (!can) {
		error_set(why, "'%s' speaks %s, which cannot %s", s->id, s->protocol, what);
		return BACK_NOT_SUPPORTED;
	}
	if (s->state != SOURCE_CONNECTED) {
		error_set(why, "'%s' is %s", s->id, source_state_name(s->state));
		return BACK_CONFLICT;
	}
	if (!s->line) {
		error_set(why, "the box is stopping");
		return BACK_CONFLICT;
	}
	return BACK_DONE;
}

enum back_answer sources_send(struct sources *all, struct text id, struct text message,
                              struct error *why)
{
	struct source *s;
	enum back_answer answer = find_open(all, id, &s, why);

	if (answer == BACK_DONE)
		answer = needs(s, s->transport && s->transport->send, "be sent to", why);
	if (answer == BACK_DONE && !s->transport->send(s->line, message, why))
		answer = BACK_CONFLICT;
	return answer;
}

enum back_answer sources_call(struct sources *all, const struct back_call *call, struct error *why)
{
	struct source *s;
	enum back_answer answer = find_open(all, call->source, &s, why);

	if (answer == BACK_DONE)
		answer = needs(s, s->transport && s->transport->call, "be called", why);
	return answer == BACK_DONE ? s->transport->call(s->line, call, why) : answer;
}

bool sources_can_send(struct sources *all, struct text id)
{
	struct source *s;

	return find_open(all, id, &s, NULL) == BACK_DONE &&
	       needs(s, s->transport && s->transport->send, "be sent to", NULL) == BACK_DONE;
}

static void runs_remember(struct sources *all, struct text run, struct source *s)
{
	struct source_run *r = &all->runs[all->run_count++ % RUNS_MAX];

	snprintf(r->id, sizeof(r->id), "%.*s", TEXT_ARG(run));
	r->source = s;
}

static struct source_run *find_run(const struct sources *all, struct text run)
{
	size_t n = all->run_count < RUNS_MAX ? all->run_count : RUNS_MAX;

	for (size_t i = 0; i < n; i++)
		if (text_is(run, all->runs[i].id))
			return &all->runs[i];
	return NULL;
}

enum back_answer sources_ask(struct sources *all, const struct back_ask *ask, struct error *why)
{
	struct source *s;
	enum back_answer answer = find_open(all, ask->source, &s, why);

	if (answer == BACK_DONE)
		answer = needs(s, s->transport && s->transport->ask, "be asked", why);
	if (answer != BACK_DONE)
		return answer;
	if (find_run(all, ask->run)) {
		error_set(why, "there is a run '%.*s' already", TEXT_ARG(ask->run));
		return BACK_CONFLICT;
	}
	if (!s->transport->ask(s->line, ask, why))
		return BACK_CONFLICT;
	runs_remember(all, ask->run, s);
	return BACK_DONE;
}

/* BACK_UNKNOWN: the run is none of its own. */
static enum back_answer runs_cancel(struct source *s, const struct back_control *control,
                                    struct error *why)
{
	if (!s || !s->line || !s->transport->cancel)
		return BACK_UNKNOWN;
	return s->transport->cancel(s->line, control, why);
}

static enum back_answer cancel_known(struct source *s, const struct back_control *control,
                                     struct error *why)
{
	enum back_answer answer;

	if (s && s->line && !s->transport->cancel)
		return needs(s, false, "be cancelled", why);
	answer = runs_cancel(s, control, why);
	if (answer != BACK_UNKNOWN)
		return answer;
	error_set(why, "the run is over");
	return BACK_CONFLICT;
}

enum back_answer sources_cancel(struct sources *all, const struct back_control *control,
                                struct error *why)
{
	const struct source_run *known = find_run(all, control->run);

	if (known)
		return cancel_known(known->source, control, why);
	for (struct source *s = sources_next(all, NULL); s; s = sources_next(all, s)) {
		enum back_answer answer = runs_cancel(s, control, why);

		if (answer != BACK_UNKNOWN)
			return answer;
	}
	error_set(why, "there is no run '%.*s'", TEXT_ARG(control->run));
	return BACK_UNKNOWN;
}

bool sources_can(const struct sources *all, struct text run, struct text op, bool is_live)
{
	const struct source_run *known = find_run(all, run);

	for (const struct source *s = sources_next(all, NULL); s; s = sources_next(all, s))
		if (s->line && s->transport->can && s->transport->can(s->line, run, op))
			return true;
	return is_live && known && known->source && known->source->line &&
	       known->source->transport->cancel && back_is_cancel(op);
}

enum back_answer sources_control(struct sources *all, const struct back_control *control,
                                 struct error *why)
{
	struct source_run *known = find_run(all, control->run);

	for (struct source *s = sources_next(all, NULL); s; s = sources_next(all, s)) {
		enum back_answer answer = BACK_UNKNOWN;

		if (s->line && s->transport->control)
			answer = s->transport->control(s->line, control, why);
		if (answer != BACK_UNKNOWN)
			return answer;
	}
	if (back_is_cancel(control->op))
		return sources_cancel(all, control, why);
	if (known && known->source)
		return needs(known->source, false, "do that: it can be cancelled", why);
	error_set(why, "there is no run '%.*s'", TEXT_ARG(control->run));
	return BACK_UNKNOWN;
}

enum back_answer sources_reply(struct sources *all, struct text id,
                               const struct back_outcome *reply, struct error *why)
{
	struct source *s;
	enum back_answer answer = find_open(all, id, &s, why);

	if (answer == BACK_DONE)
		answer = needs(s, s->transport && s->transport->reply, "be answered", why);
	if (answer == BACK_DONE && !s->transport->reply(s->line, reply, why))
		answer = BACK_CONFLICT;
	return answer;
}

void runs_forget(struct source *s)
{
	struct sources *all = s->all;
	size_t n = all->run_count < RUNS_MAX ? all->run_count : RUNS_MAX;

	for (size_t i = 0; i < n; i++)
		if (all->runs[i].source == s)
			all->runs[i].source = NULL;
}

/* end.c - agents of the run dialect as a back end. */
#include "bus/backs.h"
#include "escapement/inside.h"
#include "run/runs.h"

static enum back_answer control(void *self, const struct back_control *c, struct error *why)
{
	return escapement_control(self, c, why);
}

/* An agent of the run dialect has no word for being cancelled; a program that only
 * listens there (`signalbox run`) can be stopped and nothing else. */
static bool can(void *self, struct text run, struct text op)
{
	const struct escapement *e = self;
	const struct run *known = runs_find(e->options.runs, run);

	if (!escapement_has_agent(e, run))
		return false;
	if (text_is(op, "interrupt") || text_is(op, "quit"))
		return true;
	return known && known->hearing.is_dialect ? !text_is(op, "cancel") : text_is(op, "cancel");
}

static enum back_answer tell(void *self, const struct back_deed *deed, struct error *why)
{
	struct escapement *e = self;
	const struct run *run = runs_find(e->options.runs, deed->run);

	if (!escapement_tell_event(e, deed->signal, deed->run))
		return BACK_UNKNOWN;
	if (!run || run->hearing.is_dialect)
		return BACK_DONE;
	error_set(why, "its program can be stopped, and told nothing");
	return BACK_NOT_SUPPORTED;
}

static enum back_answer settle(void *self, const struct back_outcome *o, struct error *why)
{
	return escapement_reply(self, o->prompt) ? BACK_DONE : BACK_UNKNOWN;
}

struct back_end escapement_back_end(struct escapement *e)
{
	return (struct back_end){
		.name = "agents",
		.self = e,
		.control = control,
		.can = can,
		.tell = tell,
		.settle = settle,
	};
}

/* back.c - what the runs know for the way back: is there such a run, and who could do it? */
#include "bus/backs.h"
#include "run/runs.h"

bool runs_have(void *self, struct text run)
{
	return runs_find(self, run) != NULL;
}

enum back_answer runs_miss(void *self, const struct back_control *c, struct error *why)
{
	const struct run *run = runs_find(self, c->run);

	if (!run)
		return BACK_UNKNOWN; /* why says so */
	if (run->hearing.is_dialect) {
		error_set(why, "the agent of this run is not here");
		return BACK_CONFLICT;
	}
	error_set(why, "nobody can %.*s a run of %.80s", TEXT_ARG(back_wire_of(c->op)),
	          run->source);
	return BACK_NOT_SUPPORTED;
}

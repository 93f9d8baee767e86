/* back.c - what the runs know for the way back: is an id free, and who could do it? */
#include "bus/backs.h"
#include "run/runs.h"

/* A run may have begun in what is not folded yet. */
bool runs_is_free(void *self, struct text id, struct error *why)
{
	bool all = runs_reach(self);

	if (runs_find(self, id))
		return error_set(why, "there is a run '%.*s' already", TEXT_ARG(id));
	return all || error_set(why, "the runs are known up to signal %llu; ask again",
	                        (unsigned long long)runs_seq(self));
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

/* stages.h - the eight stages of a request: stages.c has the table. */
#ifndef DELIVER_STAGES_H
#define DELIVER_STAGES_H

#include "deliver/desk_inside.h"

enum stage_step {
	STAGE_DONE,
	STAGE_WAITS,
	STAGE_EXITS, /* the status is set: finalize is next */
	STAGE_SKIPS, /* deliver is next: there is something to say */
	STAGE_AGAIN, /* from the beginning */
};
typedef enum stage_step stage_fn(struct nexus *x, int64_t now_ms);

/* As far as it goes now; true: it is over. */
bool stages_go_on(struct nexus *x, int64_t now_ms);
/* Who is it, and are they let in? */
bool stages_admit(struct nexus *x, int64_t now_ms);
void stages_exit(struct nexus *x, enum nexus_status status, const char *reason);

/* The one that was there first, of the same session, and is not answered yet; and its end. */
struct nexus *stages_ahead(const struct nexus *x);
bool stages_stop(const struct nexus *x, struct error *why);

/* desk_people.c: is the answer a code?  Then it is the notice. */
bool desk_pairs(struct nexus *x);

/* desk_prompts.c: STAGE_DONE, it is no answer to a question. */
enum stage_step desk_read_answer(struct nexus *x, struct text said);

extern stage_fn stage_triggers, stage_assemble, stage_run, stage_deliver, stage_finalize;

#endif

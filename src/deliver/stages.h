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
/* Is it somebody whom the configuration knows, or whom a code let in? */
bool stages_knows(const struct nexus *x);
bool stages_asks_to_stop(const struct nexus *x);
/* Its agent was not asked, and will not be: somebody said /stop, or the configuration has its chat
 * no more.  The status is set. */
bool stages_ends(struct nexus *x);
/* Who is it, and are they let in? */
bool stages_admit(struct nexus *x, int64_t now_ms);
void stages_exit(struct nexus *x, enum nexus_status status, const char *reason);

/* The one that was there first, of the same session, and is not answered yet; and its end. */
struct nexus *stages_ahead(const struct nexus *x);
bool stages_stop(const struct nexus *x, struct error *why);

/* stage_identity.c: does the sender have a name that anybody can have? */
bool stages_is_nobody(const struct nexus *x);

/* desk_people.c: is the answer a code?  Then it is the notice. */
bool desk_pairs(struct nexus *x);
const struct known_person *desk_find_paired(const struct nexus *x); /* or NULL */

/* desk_prompts.c: STAGE_DONE, it is no answer to a question. */
enum stage_step desk_read_answer(struct nexus *x, struct text said);

extern stage_fn stage_identity, stage_triggers, stage_assemble, stage_run, stage_deliver,
	stage_finalize;

#endif

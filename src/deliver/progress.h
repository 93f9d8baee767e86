/* progress.h - what an agent is at, in a few lines: for a message that is edited; pure.
 *
 * There is something to say when a tool was called, a plan made or a question asked: an
 * agent that only speaks has no progress.
 */
#ifndef DELIVER_PROGRESS_H
#define DELIVER_PROGRESS_H

#include <yyjson.h>

#include "base/buf.h"

#define PROGRESS_AFTER_MS 1500 /* of work, before it is shown */
#define PROGRESS_EVERY_MS 1000 /* between two edits */
#define PROGRESS_LINES 8
#define PROGRESS_CHARS 120    /* of a line */
#define PROGRESS_STEPS_MAX 64 /* of a plan; the others are left out */

enum progress_status { PROGRESS_PENDING, PROGRESS_CURRENT, PROGRESS_DONE };

struct progress_step {
	char *id, *text; /* id may be NULL */
	enum progress_status status;
};

struct progress_note {
	char *agent, *tool, *question; /* tool, question: NULL where there is none */
	char *asked;                   /* the id of that question, or NULL */
	struct progress_step steps[PROGRESS_STEPS_MAX];
	unsigned count;
	bool has_work;
	int64_t since_ms; /* when the work began */
};

void progress_init(struct progress_note *p, struct text agent);
void progress_finish(struct progress_note *p);

void progress_tool(struct progress_note *p, struct text tool,
                   int64_t now_ms); /* empty: none runs */
void progress_plan(struct progress_note *p, yyjson_val *payload,
                   int64_t now_ms); /* of agent.plan */
void progress_ask(struct progress_note *p, struct text id, struct text words, int64_t now_ms);
void progress_answered(struct progress_note *p, struct text id);

void progress_put(const struct progress_note *p, struct buf *out); /* its lines */

#endif

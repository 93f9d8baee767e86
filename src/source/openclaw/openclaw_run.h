/* openclaw_run.h - one run that was asked of a gateway, for the files that ask and follow. */
#ifndef SOURCE_OPENCLAW_RUN_H
#define SOURCE_OPENCLAW_RUN_H

#include "source/openclaw/openclaw_parts.h"

struct openclaw_run {
	struct openclaw_memory *memory;
	char id[BACK_RUN_MAX + 1];
	char *session_key;
	uint64_t send_id; /* on the connection on which it was sent */
	bool started;     /* chat.send was answered */
	bool is_cut;      /* the connection was lost, and nothing is known of it since */
	unsigned stops;   /* chat.abort that are not answered yet */
	bool is_to_stop;  /* one is to be sent once it is begun ... */
	uint64_t ticket;  /* ... for this one */
	struct deadline patience;
	struct link in_memory; /* openclaw_memory.runs */
};

static inline struct text openclaw_run_id(const struct openclaw_run *run)
{
	return text_of(run->id);
}

/* Takes session. */
struct openclaw_run *openclaw_add_run(struct openclaw_memory *m, struct text id, char *session);
void openclaw_run_destroy(struct openclaw_run *run);
struct openclaw_run *openclaw_find_run(const struct openclaw_memory *m, struct text id);
const struct openclaw_ended *openclaw_find_ended(const struct openclaw_memory *m, struct text id);
void openclaw_time_run(struct openclaw_run *run);
bool openclaw_abort_run(struct openclaw_run *run, uint64_t ticket);
void openclaw_complete_cancelled(struct openclaw_run *run);

#endif

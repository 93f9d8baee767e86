/* sessions.h - which runs belong together.
 *
 * A session is one conversation of several runs: of OpenClaw it is the sessionKey, of a model
 * server the session of an ask.  Its name is the source's and its key.  A run that says
 * neither is in no session.
 */
#ifndef RUN_SESSIONS_H
#define RUN_SESSIONS_H

#include "run/runs.h"

#define SESSION_KEY_MAX 512 /* bytes; a longer one is none */

struct run_session {
	char *source, *key;
	struct link runs;                  /* run.in_session, in the order in which they began */
	size_t run_count;                  /* never 0 */
	struct link in_all;                /* runs_sessions() */
	struct run_session *older, *newer; /* of other sources, with the same key; or NULL */
};

struct link *runs_sessions(struct runs *runs);
struct run_session *runs_session(const struct runs *runs, struct text source, struct text key);
/* The newest with this key, of whatever source; its older ones follow it. */
struct run_session *runs_session_of_any(const struct runs *runs, struct text key);

/* `{"source","key","runs":[ids]}`, the newest of them. */
void run_session_json(const struct run_session *session, size_t newest, struct buf *out);

/* ---- for runs.c ---- */

void session_note(struct runs *runs, struct run *run, const struct signal *s);
void session_join(struct runs *runs, struct run *run, struct text source, struct text key);
void session_leave(struct runs *runs, struct run *run);

#endif

/* members.h - the sessions of a box, for verbs: who is meant by a name, and how they are listed. */
#ifndef CLI_MEMBERS_H
#define CLI_MEMBERS_H

#include "cli/remote.h"
#include "crew/roll.h"

/* All that the box has; on failure why says it, and there is nothing to finish. */
bool members_fetch(struct remote *remote, struct roll *roll, struct error *why);

/* What a run or a session is called: its handle, else the name itself. */
struct text members_handle(const struct roll *roll, struct text name);
/* The handle of a session, which the caller frees; likewise. */
char *members_find(struct remote *remote, const char *name, struct error *why);
/* The newest run of a session, for routes that know runs alone; the caller frees it.  NULL: there
 * is no such session, or why says it. */
char *members_run(struct remote *remote, const char *name, struct error *why);

/* The handles, one a line. */
void members_show_handles(struct out *out, const struct roll *roll);
/* The table of `signalbox run list`; those that are over only with all. */
void members_show(struct out *out, const struct roll *roll, bool all);
void members_show_json(struct out *out,
                       const struct roll *roll); /* an array of all, in that order */

#endif

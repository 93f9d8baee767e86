/* named.h - whose something is, by the names and states that the crew has for it; pure.
 *
 * Every view asks here: a session has one name and one state wherever it is shown.  What it
 * answers with lies in the sessions, and is valid until they hear more.
 */
#ifndef TUI_NAMED_H
#define TUI_NAMED_H

#include "base/buf.h"
#include "tui/sessions.h"

/* An invocation of a run; all but the run may be empty. */
struct invoked {
	struct text run, invoke, session;
};

struct named {
	yyjson_val *member;  /* NULL: no session has it */
	yyjson_val *agent;   /* the subagent that it is, or NULL */
	struct text invoked; /* the name of one that is neither; else empty */
};

struct named named_find(const struct sessions *sessions, const struct invoked *of);

#define NAMED_BETWEEN " › "

/* "checkout-2", "checkout-2 › Explore"; without a session nothing. */
void named_add(struct buf *out, const struct named *who);
yyjson_val *named_state(const struct named *who); /* of the subagent, or of the session */

#endif

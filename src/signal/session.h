/* session.h - what a signal says about the session that it is of; pure.
 *
 * Any run may be looked at as a session.  Some say that they are one: what adapters tell (hooks,
 * transcripts, `signalbox run`), what has a conversation or came from a dialect that knows
 * sessions, what somebody asked here, and the types that tell of sessions alone.  Those are
 * known on the stage by the session, and all others by the name of the agent.
 */
#ifndef SIGNAL_SESSION_H
#define SIGNAL_SESSION_H

#include <yyjson.h>

#include "base/text.h"

struct session_said {
	struct text owner, key; /* its conversation, and whose that is; no key: it says none */
	bool is_told;           /* its run is a session */
	bool has_names;         /* and its subagents have names instead of ids */
};

struct session_signal {
	struct text type, source;
	yyjson_val *payload, *metadata; /* NULL: there is none */
};

void session_read(struct session_said *out, const struct session_signal *s);

/* It speaks under the name of its source: not an agent of it does, but the session as such. */
bool session_is_itself(struct text source, struct text agent);

/* What somebody wrote to the box in an agent's session, and what the box said to it, both in one
 * signal of the box: a run of its own, of the conversation, that says nothing of the agent. */
#define SESSION_COMMAND "session.command"
bool session_is_command(struct text type, struct text source);

/* A program without a credential speaks of its own sessions alone. */
bool session_is_strange(struct text owner, struct text source);

#endif

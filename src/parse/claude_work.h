/* claude_work.h - what the use of a tool of Claude Code says about the work: its plan, its files.
 *
 * Hooks and transcripts tell the same of a use that is over, its input and its result; so they
 * are read in one place.
 *
 *	agent.plan   {agentId, whole, items: [{id?, text?, status}]}
 *	agent.change {agentId, path, kind, added, removed, callId?}
 */
#ifndef PARSE_CLAUDE_WORK_H
#define PARSE_CLAUDE_WORK_H

#include "signal/make.h"

struct claude_use {
	struct text tool, agent, call;
	yyjson_val *input, *result; /* NULL or anything: theirs */
};

/* The type of the signal, NULL when the use says nothing of the kind. */
const char *claude_work_type(const struct claude_use *use);
/* The members of its payload. */
void claude_work_add(const struct claude_use *use, struct make *m);

#endif

/* approve_ask.h - a hook that decides: what it wants, and what it is told; pure. */
#ifndef SOURCE_APPROVE_ASK_H
#define SOURCE_APPROVE_ASK_H

#include <yyjson.h>

#include "base/buf.h"
#include "signal/json.h"

/* A payload; its parts are the reader's. */
struct approve_request {
	struct text session, event, tool, agent;
	struct text tool_use, prompt, transcript; /* the last a path; each may be empty */
	yyjson_val *input, *suggestions;          /* of rules that would allow it */
};

/* False: it is no payload, or of no session. */
bool approve_read(struct approve_request *r, struct json_reader *reader, struct text payload);

#define APPROVE_INPUT_TOLD (64 * KIB) /* a longer input is not in the question */

/* `"type","prompt","tool","input"?,"inputBytes"?,"options"` of a prompt.  input: the tool's,
 * as JSON. */
void approve_ask(struct buf *out, const struct approve_request *r, struct text input);

/* What this answer of the prompt chose: "allow", ...; empty: nothing. */
struct text approve_word(yyjson_val *value);

/* The registry of sessions beside this transcript; NULL: it is none of Claude Code's. */
char *approve_sessions(struct text transcript);

/* What the hook prints for this answer of the prompt; nothing when it decides nothing.
 * suggestions: as JSON, or NULL. */
void approve_decide(struct buf *out, yyjson_val *value, const char *suggestions);

/* The same for a question: input is the tool's, an object with members, and answers are the
 * members of another. */
void approve_answer(struct buf *out, struct text input, struct text answers);

#endif

/* normal.h - what of a payload's text a person is to read.
 *
 * Agents say NO_REPLY when they have nothing to say, and HEARTBEAT_OK when they were woken and all
 * is well; neither is for people.  Messages in which nothing is seen are not sent, controls are
 * taken out, and what a channel is to begin every message with is put before it.
 */
#ifndef DELIVER_NORMAL_H
#define DELIVER_NORMAL_H

#include "deliver/chunk.h"
#include "deliver/payload.h"

#define NORMAL_SILENT_TOKEN "NO_REPLY"
#define NORMAL_HEARTBEAT_TOKEN "HEARTBEAT_OK"
/* Whoever was only woken may add so many characters without being heard. */
#define NORMAL_HEARTBEAT_CHARS 300

/* The words for {model}, {modelFull}, {provider}, {thinkingLevel} and {identity.name}; one
 * without a word stays as it is. */
struct normal_names {
	struct text model, model_full, provider, thinking_level, identity_name;
};

struct normal_options {
	struct text response_prefix; /* with such names in braces; empty: none */
	struct normal_names names;
	bool is_heartbeat; /* the run was a heartbeat */
	/* Of the channel's messages; max 0: none.  A prefix that leaves no room for a text is
	 * left out. */
	struct chunk_limit limit;
};

/* What the prefix leaves of the limit: the one for chunk_resolve() and gather_resolve(). */
struct chunk_limit normal_limit(const struct normal_options *options);

enum normal_answer {
	NORMAL_TAKEN,
	NORMAL_EMPTY,
	NORMAL_SILENT,
	NORMAL_HEARTBEAT,
};

/* Appends the text to send, which is empty only where there are media. */
enum normal_answer normal_text(const struct normal_options *options, const struct payload *p,
                               struct buf *out);

bool normal_is_silent(struct text t);

/* So far it may still become one of the tokens, and nothing is to be shown for it. */
bool normal_may_be_silent(struct text beginning);

#endif

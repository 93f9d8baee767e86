/* fault.h - an HTTP answer that is a refusal, in words; pure. */
#ifndef PARSE_FAULT_H
#define PARSE_FAULT_H

#include <stdbool.h>
#include <yyjson.h>

#include "base/text.h"

struct fault {
	char words[1024]; /* "429 Too Many Requests: what the server said about it" */
	char code[64];    /* the server's own name for it, else "http_429" */
};

/* What such a body says about it; empty: nothing. */
struct text fault_message(yyjson_val *root);

void fault_read(struct fault *fault, int status, struct text body);

/* Some servers quote the credential that they refuse: nobody is to read it, nor the
 * beginning of it where the words were cut.  One of a few letters, as it is made up
 * for servers that want none, may be a word and is left. */
#define FAULT_SECRET_MIN 8
void fault_hide(char *words, const char *secret); /* NULL is fine for both */

/* Does it make no sense to try again with the same credential? */
bool fault_is_for_good(int status);

static inline bool fault_is(int status)
{
	return status < 200 || status > 299;
}

/* After a request: is its status what went wrong?  why: of request.h's done(). */
static inline bool fault_tells(int status, const char *why)
{
	return why ? status >= 400 : fault_is(status);
}

#endif

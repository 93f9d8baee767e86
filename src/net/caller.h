/* caller.h - what whoever is at the other end may do, as the server decided.
 *
 * Scopes come from the credential or the socket, never from what a client says.
 */
#ifndef NET_CALLER_H
#define NET_CALLER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/scope.h"
#include "base/text.h"

struct caller {
	unsigned scopes;     /* of enum scope */
	bool has_credential; /* false: let in by auth.local, a listener or auth.origins */
	char name[48];       /* of the credential or the process; for the record */
	bool is_process;     /* at the Unix socket: the name is that process's */
	uint64_t which;      /* of several with this name: the session, the user */
	uint64_t device;     /* one that was paired, or 0 */
};

struct conn;

/* What became of a credential that somebody showed. */
enum caller_answer {
	CALLER_KNOWN, /* the caller is who it says */
	CALLER_WRONG,
	CALLER_WAIT, /* wrong too, and there were too many: nobody is heard out for a while */
};

/* For the record: which user, and which process if that is known. */
static inline struct text caller_user(const struct caller *c)
{
	return c->is_process ? TEXT("owner") : text_of(c->name);
}

static inline struct text caller_process(const struct caller *c)
{
	return text_of(c->is_process ? c->name : "");
}

static inline bool caller_may(const struct caller *c, enum scope s)
{
	return (c->scopes & (unsigned)s) == (unsigned)s;
}

static inline enum answers caller_answers(const struct caller *c)
{
	return scope_answers(c->scopes, c->has_credential);
}

#endif

/* scope.h - what a credential allows, as bits.
 *
 * Here in the base because the configuration names them and the network checks
 * them, and neither may know the other.
 */
#ifndef BASE_SCOPE_H
#define BASE_SCOPE_H

#include "base/error.h"
#include "base/text.h"

enum scope {
	SCOPE_OBSERVE = 1,
	SCOPE_EMIT = 2,
	SCOPE_ANSWER = 4,
	SCOPE_CONTROL = 8,
	SCOPE_ADMIN = 16,
	SCOPE_ALL = 31,
};

/* What somebody may answer: nothing, what decides one thing, or whatever is offered.  What
 * writes a rule or changes what was asked for needs control and a credential. */
enum answers { ANSWERS_NOTHING, ANSWERS_PLAIN, ANSWERS_ALL };

static inline enum answers scope_answers(unsigned scopes, bool has_credential)
{
	if (!(scopes & SCOPE_ANSWER))
		return ANSWERS_NOTHING;
	return scopes & SCOPE_CONTROL && has_credential ? ANSWERS_ALL : ANSWERS_PLAIN;
}

/* "observe", for one scope; NULL when it is not exactly one of ours. */
const char *scope_name(enum scope one);

/* "observe,emit", spaces allowed; "none" is no scope and "all" is every one. */
bool scope_parse(struct text list, unsigned *scopes, struct error *why);

#endif

/* operator.h - what a client of a gateway may do, in the protocol's own words; pure.
 *
 * The box decides by its own scopes (base/scope.h).  These names are what clients ask for and
 * are told, here and by gateways that we are clients of: never more than the credential allows.
 */
#ifndef PARSE_OPERATOR_H
#define PARSE_OPERATOR_H

#include "base/buf.h"

enum operator_scope {
	OPERATOR_READ = 1,
	OPERATOR_WRITE = 2,
	OPERATOR_ADMIN = 4,
	OPERATOR_APPROVALS = 8,
	OPERATOR_QUESTIONS = 16,
	OPERATOR_PAIRING = 32,
	OPERATOR_TALK = 64,
};

/* Of a name like "operator.read"; 0: there is none, or we never grant it. */
unsigned operator_scope_of(struct text name);
const char *operator_scope_name(enum operator_scope one);

unsigned operator_scopes_allowed(unsigned scopes); /* by ours: enum scope */

/* Which of ours they need, with what they imply. */
unsigned operator_scopes_ours(unsigned operator_scopes);

/* With what they imply: write has read and talk, admin has everything. */
unsigned operator_scopes_implied(unsigned operator_scopes);

void operator_scopes_add(struct buf *out, const char *key, unsigned operator_scopes); /* a list */

#endif

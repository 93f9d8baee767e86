/* operator.c - the scopes of operators, and ours. */
#include "parse/operator.h"

#include "base/put.h"
#include "base/scope.h"

static const struct {
	const char *name;
	enum operator_scope scope;
	enum scope ours;
} rows[] = {
	{"operator.read", OPERATOR_READ, SCOPE_OBSERVE},
	{"operator.write", OPERATOR_WRITE, SCOPE_CONTROL},
	{"operator.talk", OPERATOR_TALK, SCOPE_CONTROL},
	{"operator.approvals", OPERATOR_APPROVALS, SCOPE_ANSWER},
	{"operator.questions", OPERATOR_QUESTIONS, SCOPE_ANSWER},
	{"operator.admin", OPERATOR_ADMIN, SCOPE_ADMIN},
	{"operator.pairing", OPERATOR_PAIRING, SCOPE_ADMIN},
};
#define ROWS (sizeof(rows) / sizeof(*rows))

unsigned operator_scope_of(struct text name)
{
	for (size_t i = 0; i < ROWS; i++)
		if (text_is(name, rows[i].name))
			return rows[i].scope;
	return 0;
}

const char *operator_scope_name(enum operator_scope one)
{
	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].scope == one)
			return rows[i].name;
	return NULL;
}

unsigned operator_scopes_allowed(unsigned scopes)
{
	unsigned allowed = 0;

	for (size_t i = 0; i < ROWS; i++)
		if (scopes & rows[i].ours)
			allowed |= rows[i].scope;
	return allowed;
}

unsigned operator_scopes_implied(unsigned scopes)
{
	if (scopes & OPERATOR_ADMIN)
		return OPERATOR_READ | OPERATOR_WRITE | OPERATOR_ADMIN | OPERATOR_APPROVALS |
		       OPERATOR_QUESTIONS | OPERATOR_PAIRING | OPERATOR_TALK;
	return scopes & OPERATOR_WRITE ? scopes | OPERATOR_READ | OPERATOR_TALK : scopes;
}

void operator_scopes_add(struct buf *out, const char *key, unsigned scopes)
{
	put_list(out, key);
	for (size_t i = 0; i < ROWS; i++)
		if (scopes & rows[i].scope)
			put_word(out, NULL, rows[i].name);
	put_list_end(out);
}

unsigned operator_scopes_ours(unsigned scopes)
{
	unsigned ours = 0;

	scopes = operator_scopes_implied(scopes);
	for (size_t i = 0; i < ROWS; i++)
		if (scopes & rows[i].scope)
			ours |= rows[i].ours;
	return ours;
}

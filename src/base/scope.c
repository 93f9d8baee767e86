/* scope.c - the names of the scopes. */
#include "base/scope.h"

static const struct {
	const char *name;
	enum scope scope;
} names[] = {
	{"observe", SCOPE_OBSERVE}, {"emit", SCOPE_EMIT},   {"answer", SCOPE_ANSWER},
	{"control", SCOPE_CONTROL}, {"admin", SCOPE_ADMIN},
};

#define NAMES (sizeof(names) / sizeof(names[0]))

const char *scope_name(enum scope one)
{
	for (size_t i = 0; i < NAMES; i++)
		if (names[i].scope == one)
			return names[i].name;
	return NULL;
}

static bool add_named(struct text name, unsigned *scopes)
{
	for (size_t i = 0; i < NAMES; i++) {
		if (text_is(name, names[i].name)) {
			*scopes |= (unsigned)names[i].scope;
			return true;
		}
	}
	return false;
}

bool scope_parse(struct text list, unsigned *scopes, struct error *why)
{
	unsigned found = 0;

	list = text_trim(list);
	if (text_is(list, "none") || text_is(list, "all")) {
		*scopes = text_is(list, "all") ? SCOPE_ALL : 0;
		return true;
	}
	for (struct text rest = list; rest.at;) {
		struct text name = text_trim(text_cut(rest, ',', &rest));

		if (!add_named(name, &found))
			return error_set(why,
			                 "'%.*s' is no scope; there are observe, emit, answer, "
			                 "control, admin, and none or all alone",
			                 TEXT_ARG(name));
	}
	if (found == 0)
		return error_set(why, "a list of scopes is needed, or none");
	*scopes = found;
	return true;
}

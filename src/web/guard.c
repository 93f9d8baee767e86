/* guard.c - exact lists, and the order in which they are asked. */
#include "web/guard.h"

#include <stdlib.h>

#include "base/must.h"

void guard_init(struct guard *guard)
{
	*guard = (struct guard){0};
}

static void names_finish(struct guard_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->all[i]);
	free(names->all);
	*names = (struct guard_names){0};
}

void guard_finish(struct guard *guard)
{
	names_finish(&guard->hosts);
	names_finish(&guard->guests);
}

static int names_find(const struct guard_names *names, struct text wanted)
{
	for (size_t i = 0; i < names->count; i++)
		if (text_is(wanted, names->all[i]))
			return (int)i;
	return -1;
}

/* Takes name. */
static void names_add(struct guard_names *names, char *name)
{
	if (*name == '\0' || names_find(names, text_of(name)) >= 0) {
		free(name);
		return;
	}
	names->all = must_grow(names->all, (names->count + 1) * sizeof(*names->all));
	names->all[names->count++] = name;
}

static const char *const loopback[] = {"127.0.0.1", "localhost", "[::1]"};

#define LOOPBACK (sizeof(loopback) / sizeof(*loopback))

void guard_add_address(struct guard *guard, const char *address, unsigned port, unsigned usual)
{
	names_add(&guard->hosts, must_dup(address));
	for (size_t i = 0; i < LOOPBACK; i++) {
		names_add(&guard->hosts, must_print("%s:%u", loopback[i], port));
		if (port == usual)
			names_add(&guard->hosts, must_dup(loopback[i]));
	}
}

void guard_add_host(struct guard *guard, const char *host)
{
	names_add(&guard->hosts, must_dup(host));
}

void guard_add_guest(struct guard *guard, const char *origin)
{
	names_add(&guard->guests, must_dup(origin));
}

static bool is_port(struct text rest)
{
	uint64_t port;

	return rest.len == 0 ||
	       (rest.at[0] == ':' && text_to_u64((struct text){rest.at + 1, rest.len - 1}, &port) &&
	        port > 0 && port <= 65535);
}

bool guard_is_loopback(struct text origin)
{
	struct text scheme =
		text_starts(origin, TEXT("https://")) ? TEXT("https://") : TEXT("http://");

	if (!text_starts(origin, scheme))
		return false;
	origin = (struct text){origin.at + scheme.len, origin.len - scheme.len};
	for (size_t i = 0; i < LOOPBACK; i++) {
		struct text name = text_of(loopback[i]);

		if (text_starts(origin, name) &&
		    is_port((struct text){origin.at + name.len, origin.len - name.len}))
			return true;
	}
	return false;
}

int guard_guest(const struct guard *guard, struct text origin)
{
	return names_find(&guard->guests, origin);
}

static bool knows_host(const struct guard *guard, const struct guard_view *view)
{
	if (view->is_unix && text_is(view->host, "localhost"))
		return true;
	if (view->here.len && text_equal(view->host, view->here))
		return true;
	for (size_t i = 0; i < guard->hosts.count; i++)
		if (text_equal_nocase(view->host, text_of(guard->hosts.all[i])))
			return true;
	return false;
}

static bool is_our_origin(const struct guard *guard, const struct guard_view *view)
{
	struct text origin = view->origin;
	struct text scheme = view->is_secure ? TEXT("https://") : TEXT("http://");

	if (!text_starts(origin, scheme))
		return false;
	origin = (struct text){origin.at + scheme.len, origin.len - scheme.len};
	return names_find(&guard->hosts, origin) >= 0 ||
	       (view->here.len && text_equal(origin, view->here));
}

enum guard_answer guard_check(const struct guard *guard, const struct guard_view *view)
{
	bool is_guest =
		view->origin.at && (view->is_welcome || guard_guest(guard, view->origin) >= 0);

	if (!knows_host(guard, view))
		return GUARD_WRONG_HOST;
	if (view->origin.at && !is_guest && !is_our_origin(guard, view))
		return GUARD_WRONG_ORIGIN;
	/* A guest is another site by its nature.  Any other page of another site may
	 * follow a link to us, and no more than that. */
	if (view->changes && view->site.at && !is_guest && !text_is(view->site, "same-origin") &&
	    !text_is(view->site, "none"))
		return GUARD_WRONG_SITE;
	return GUARD_PASSES;
}

const char *guard_words(enum guard_answer answer)
{
	switch (answer) {
	case GUARD_WRONG_HOST:
		return "this Host is not one of ours; auth.hosts adds others";
	case GUARD_WRONG_ORIGIN:
		return "this Origin is not ours; auth.origins adds others";
	case GUARD_WRONG_SITE:
		return "a page of another site may not ask for this";
	case GUARD_PASSES:
		break;
	}
	return "";
}

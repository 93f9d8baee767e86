/* guard.h - may this request come in at all?  Pure.
 *
 * A browser of ours can be made to send requests here by any page it shows, and
 * any name can be made to point here.  What a page cannot choose is the Host, the
 * Origin and the Sec-Fetch-Site that the browser sends, so they are looked at
 * before anything else, on every request.
 *
 * An Origin passes if it is, byte for byte, one of the listed literals, and so does a Host, whose
 * letters may be capitals or not (a browser writes an Origin in one way only).
 * Where devices come in, the address that the kernel says this connection came to passes, too:
 * no name that points here is an address.
 * Nothing is matched by its beginning, its end or its meaning, so there is no
 * spelling of one name that could be taken for another.
 */
#ifndef WEB_GUARD_H
#define WEB_GUARD_H

#include "base/text.h"

struct guard_names {
	char **all;
	size_t count;
};

struct guard {
	struct guard_names hosts;  /* ours and auth.hosts; http(s)://HOST is our origin */
	struct guard_names guests; /* auth.origins */
};

enum guard_answer {
	GUARD_PASSES,
	GUARD_WRONG_HOST,   /* 421 */
	GUARD_WRONG_ORIGIN, /* 403 */
	GUARD_WRONG_SITE,   /* 403 */
};

/* What the guard looks at.  Fields that were not sent have a NULL pointer. */
struct guard_view {
	struct text host, origin, site; /* site: Sec-Fetch-Site */
	struct text here;               /* where it came to, if devices come in there; else empty */
	bool is_unix;                   /* over the Unix socket */
	bool is_secure;                 /* over TLS */
	bool changes;                   /* not a mere read: POST, an upgrade, ... */
	bool is_welcome;                /* its listener lets this Origin in */
};

void guard_init(struct guard *guard);
void guard_finish(struct guard *guard);

/* A TCP listener's "127.0.0.1:7446": this literal, and each name of the loopback
 * with that port.  `usual` is the port that browsers leave out. */
void guard_add_address(struct guard *guard, const char *address, unsigned port, unsigned usual);
void guard_add_host(struct guard *guard, const char *host);
void guard_add_guest(struct guard *guard, const char *origin);

enum guard_answer guard_check(const struct guard *guard, const struct guard_view *view);
const char *guard_words(enum guard_answer answer);

/* Is it the origin of a page that this machine serves: http(s)://, a name of the loopback, and a
 * port or none? */
bool guard_is_loopback(struct text origin);

/* Which of auth.origins this is, or -1. */
int guard_guest(const struct guard *guard, struct text origin);

#endif

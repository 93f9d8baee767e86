/* url.h - http, https, ws and wss URLs, read strictly.
 *
 * What two readers could read in two ways is refused: userinfo, backslashes,
 * spaces and control characters, numbers for addresses that are not written the
 * usual way (0x7f.1, 2130706433, 010.0.0.1), a dot at a name's end, a fragment.  So
 * are addresses that no server has (net/reach.h), and the names of clouds' secrets.
 */
#ifndef NET_URL_H
#define NET_URL_H

#include "base/error.h"
#include "base/text.h"

#define URL_MAX 2048
#define URL_HOST_MAX 253
#define URL_HTTPS_PORT 443 /* which a browser leaves out */

struct url {
	struct text scheme;          /* in lower case; a literal */
	bool is_secure;              /* https, wss */
	bool is_ws;                  /* ws, wss */
	bool is_literal;             /* the host is an IP address */
	uint16_t port;               /* the scheme's own when none is written */
	char host[URL_HOST_MAX + 1]; /* in lower case, without brackets */
	struct text authority;       /* host and port as they are written */
	struct text path;            /* "/" when there is none */
	struct text query;           /* without its mark; at is NULL when there is none */
};

/* The views point into text. */
bool url_parse(struct url *url, struct text text, struct error *why);

/* Without the slashes at its end: a path is added to it. */
struct text url_base(struct text url);

/* Is it this machine by its name alone: 127.0.0.0/8, ::1, localhost? */
bool url_is_loopback(const struct url *url);

#endif

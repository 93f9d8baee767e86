/* irc_inside.h - a connection to a server of IRC, for the two units that make it. */
#ifndef DELIVER_IRC_INSIDE_H
#define DELIVER_IRC_INSIDE_H

#include "deliver/irc/irc_wire.h"
#include "net/url.h"

#define IRC_QUIET_MS 90000 /* without a byte: it is asked whether it lives, and so long to answer */
#define IRC_WAIT_MS 1000   /* before another attempt, doubling */

enum irc_state { IRC_AWAY, IRC_DIALING, IRC_GREETING, IRC_LIVE };

struct irc_wire {
	struct irc_wire_options options;
	char host[URL_HOST_MAX + 1];
	uint16_t port;
	bool is_secure;
	char *wanted, *nick, *password, **rooms;
	char **no_rooms; /* why a room of these does not let us in; or NULL */
	bool *in_rooms;  /* are we in it? */

	enum irc_state state;
	struct dial *dial;
	struct conn *conn;
	struct deadline deadline; /* of the state */
	struct buf in, out;
	unsigned wait_ms, tries;
	bool is_skipping; /* a line that is too long */
	bool has_sasl, has_account_tag, has_tags, is_doubted;
	bool is_denied; /* the credential is wrong */
	uint64_t asked; /* the number of the newest PING of irc_wire_ask() */
	struct {
		char *nick, *account;
	} looked; /* what a WHOIS has said so far; or NULL */
	struct error why;
};

/* One line, without its end. */
void irc_wire_put(struct irc_wire *w, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void irc_wire_fail(struct irc_wire *w, const char *why); /* and another attempt later */

/* irc_login.c: was it a line about being let in? */
void irc_login_begin(struct irc_wire *w);
bool irc_login_hears(struct irc_wire *w, const struct irc_line *line);

/* irc_rooms.c: a line about a room of ours?  It may be one of others, too. */
void irc_rooms_hear(struct irc_wire *w, const struct irc_line *line);
void irc_rooms_leave(struct irc_wire *w); /* all of them: the connection is gone */

#endif

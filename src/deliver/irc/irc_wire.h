/* irc_wire.h - one connection to a server of IRC that is there again by itself.
 *
 * Names, capabilities and SASL on the way in, PING and PONG meanwhile, rooms; what people write and
 * what becomes of ours is told.  A password goes by TLS, or to this machine, and nowhere else.
 */
#ifndef DELIVER_IRC_WIRE_H
#define DELIVER_IRC_WIRE_H

#include "deliver/channel.h"
#include "deliver/irc/irc_line.h"
#include "net/loop.h"

struct irc_wire;

struct irc_wire_options {
	struct loop *loop;
	const char *url;  /* "ircs://HOST[:PORT]" or irc; copied, as the rest */
	const char *nick; /* the account of SASL, too */
	char *const *rooms;
	size_t room_count;
	struct text password; /* empty: no SASL */
	void *self;
	void (*heard)(void *self, const struct irc_line *line); /* a PRIVMSG to us or a room */
	void (*took)(void *self); /* all that was said before the last irc_wire_ask() */
	void (*refused)(void *self, struct text target, const struct error *why);
	/* Of irc_wire_look(): the account of a nick, at its end; empty: it has none. */
	void (*found)(void *self, struct text nick, struct text account);
	void (*lost)(void *self, const struct error *why); /* never from inside a call */
};

struct irc_wire *irc_wire_create(const struct irc_wire_options *options, struct error *why);
void irc_wire_destroy(struct irc_wire *w); /* NULL is fine */

bool irc_wire_is_live(const struct irc_wire *w, struct error *why);
enum channel_state irc_wire_state(const struct irc_wire *w, struct error *why);
void irc_wire_check(const struct irc_wire *w, const struct channel_check *check);
struct text irc_wire_nick(const struct irc_wire *w); /* that the server gave */

void irc_wire_say(struct irc_wire *w, struct text target, struct text line);
void irc_wire_ask(struct irc_wire *w);
void irc_wire_look(struct irc_wire *w, struct text nick);

#endif

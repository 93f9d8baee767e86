/* dialect.h - a language that clients speak, as one table; for whoever writes one.
 *
 * An encoding turns a stored line into frames; dialects that send the same
 * frames share one, and so share a reel.  All else about a language is in its
 * dialect: where it is found, who may use it, how it greets, hears and parts.
 *
 * To add one: ARCHITECTURE.md lists the files; tests/skeleton/dialect has one with state.
 *
 * Every function is called on the loop's thread, with a client that is not closing, and may
 * call all of hub/dialogue.h and hub/person.h.  Whatever says something to a client may close it
 * (its state is then CLIENT_CLOSING, and `leave` was called); client and view stay until the
 * end of the turn.  Texts are borrowed for the call.
 */
#ifndef HUB_DIALECT_H
#define HUB_DIALECT_H

#include "base/buf.h"
#include "hub/news.h"
#include "signal/position.h"
#include "signal/signal.h"

struct client;
struct config_group;
struct encoding;
struct http;

/* What a pump says of its client. */
enum pump {
	PUMP_IDLE, /* it has all, or no more room: it is called again after client_work() */
	PUMP_MORE, /* it could go on at once */
	PUMP_COLD, /* it waits for the disk: hub_warmed() */
};

/* What a listener that is for a dialect alone says to a plain GET, whoever asks. */
struct dialect_page {
	const char *path;
	void (*write)(struct buf *json);
};

struct dialect {
	const char *name;
	const char *path, *alias; /* alias may be NULL */
	/* Where a listener that is for this dialect alone has it too, ended by NULL; it is
	 * NULL itself when none can be.  "/" and "/ws" are hub_pins; "*" is any path. */
	const char *const *pins;
	const struct dialect_page *pages; /* ended by a NULL path; NULL: none */
	/* Can nobody do harm by it, as it is configured?  Then a listener that is for it alone lets
	 * in programs and pages of our own user on this machine without more.  NULL: no. */
	bool (*is_open)(const void *of);
	const struct encoding *encoding; /* NULL: its clients do not subscribe */
	bool is_websocket;
	bool is_held;   /* each message counts as a signal, and who is too fast is not read */
	unsigned needs; /* scopes, of which one is enough to come in */
	/* Not 0: whoever has no scope may come in too, and has this long to say in a message who
	 * it is (client_identify), or `late` is called; without that it is closed with 1008. */
	unsigned stranger_ms;
	/* Whoever showed no credential in its request is a stranger, too. */
	bool by_message;
	size_t view; /* bytes that it remembers of a client: see client_view() */
	/* Its keys in the configuration, a group (config/fields.h); its room is handed the values
	 * when it is made.  NULL: it has none. */
	const struct config_group *settings;

	/* Is the query good?  Else the request is refused, with why.  NULL: any is. */
	bool (*check)(const struct http *http, struct error *why);
	/* The connection is the client's.  Greets; may subscribe at once. */
	void (*welcome)(struct client *client, const struct http *http);
	/* Of an event stream: instead of welcome, for a POST whose body of at most body_max bytes
	 * was read.  NULL: only GET is possible; without welcome only POST is. */
	void (*answer)(struct client *client, const struct http *http, struct text body);
	size_t body_max;
	/* A message of a WebSocket.  hear_binary may be NULL: it is refused. */
	void (*hear)(struct client *client, struct text message);
	void (*hear_binary)(struct client *client, struct text message);
	/* What the subscription lacks.  NULL: it never subscribes. */
	void (*tell_gap)(struct client *client, const struct gap *gap);
	/* An emit with a ref has its seq and, if that was asked for, is on the disk.  NULL: the
	 * dialect gives no refs. */
	void (*acked)(struct client *client, struct text ref, uint64_t seq);
	void (*late)(struct client *client);     /* a stranger's time is over: ends with a close */
	void (*beat)(struct client *client);     /* keeps the line open */
	void (*farewell)(struct client *client); /* the server stops: ends with a close */

	/* Of a client that has a view, each may be NULL.
	 *
	 * All that was owed to it went out, and it had work: gives it more of what the dialect
	 * keeps, while client_has_room(); takes what it reads of the journal from the budget. */
	enum pump (*pump)(struct client *client, size_t *budget);
	/* It closes or is gone, once: unlinks the view and frees what hangs from it.  The view
	 * itself is the hub's.  May not say anything. */
	void (*leave)(struct client *client);

	/* Something is new, from hub_tell(); `of` is hub_dialect.of.  May be NULL; may speak. */
	void (*news)(void *of, const struct news *news);

	/* Everybody was served: what was made for this turn can go.  May be NULL; says nothing. */
	void (*end_turn)(void *of);
};

extern const char *const hub_pins[];

/* A dialect that is handed to a hub, with what its room made for it, which is that room's and
 * lives as long as the hub. */
struct hub_dialect {
	const struct dialect *dialect;
	void *of; /* client_of_dialect(); NULL: it needs nothing */
};

/* Those that need nothing. */
extern const struct dialect dialect_signals, dialect_sse, dialect_echo;

#endif

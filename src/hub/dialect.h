/* dialect.h - a language that clients speak, as one table.
 *
 * An encoding turns a stored line into a frame; dialects that send the same
 * frames share one, and so share a reel.  All else about a language is in its
 * dialect: where it is found, who may use it, how it greets, hears and parts.
 */
#ifndef HUB_DIALECT_H
#define HUB_DIALECT_H

#include "base/buf.h"
#include "signal/position.h"
#include "signal/signal.h"

struct client;
struct http;

enum encoding { ENCODING_FRAME, ENCODING_EVENT, ENCODINGS };

/* No frame is longer than its line and this. */
#define ENCODING_EXTRA 64

/* Writes the frame of a stored line, returns its length. */
typedef size_t encode_fn(char *out, struct text line, uint64_t seq, const char *epoch);

extern encode_fn *const encoders[ENCODINGS];

struct dialect {
	const char *name;
	const char *path, *alias; /* alias may be NULL */
	enum encoding encoding;
	bool is_websocket;
	bool on_request; /* offered only when the hub was asked to: hub_options.echo */
	bool is_held;    /* each message counts as a signal, and who is too fast is not read */
	unsigned needs;  /* scopes, of which one is enough to come in */

	/* The connection is the client's.  Greets; may subscribe at once.  A query
	 * or header that makes no sense is refused before, by check (optional). */
	bool (*check)(const struct http *http, struct error *why);
	void (*welcome)(struct client *client, const struct http *http);
	/* A text message of the client; NULL: it is listened to by nobody. */
	void (*hear)(struct client *client, struct text message);
	void (*hear_binary)(struct client *client, struct text message); /* NULL: refused */
	void (*tell_gap)(struct client *client, const struct gap *gap);
	void (*beat)(struct client *client);     /* keeps the line open */
	void (*farewell)(struct client *client); /* the server stops */
};

/* NULL-terminated. */
extern const struct dialect *const dialects[];

#endif

/* events.h - server-sent events, as they come in pieces; pure.
 *
 * As the standard says: lines end in CR, LF or CRLF, one BOM in front is taken
 * away, several data lines are joined by LF, an id stays until the next one, and
 * what is not ended by an empty line never happened.
 */
#ifndef CLI_EVENTS_H
#define CLI_EVENTS_H

#include "base/buf.h"
#include "base/error.h"
#include "base/text.h"

#define EVENT_MAX (64 * MIB) /* of one event's data */
#define EVENT_ID_MAX 128

struct event {
	struct text type; /* "message" when not given */
	struct text data;
};

struct events {
	struct buf line, data, type;
	char id[EVENT_ID_MAX]; /* of the last event that was whole; for Last-Event-ID */
	char next_id[EVENT_ID_MAX];
	bool began;  /* something came, a BOM is no longer possible */
	bool had_cr; /* an LF that comes now belongs to it */
	bool has_data;
};

void events_init(struct events *events);
void events_finish(struct events *events);

/* Forgets what is half there, for a new connection; the id stays. */
void events_restart(struct events *events);

enum events_result {
	EVENTS_FINE,
	EVENTS_ENOUGH, /* fn answered false */
	EVENTS_TOO_BIG,
};

/* Calls fn for each event that became whole; it answers false to hear no more. */
enum events_result events_feed(struct events *events, struct text piece,
                               bool (*fn)(void *self, const struct event *event), void *self);

#endif

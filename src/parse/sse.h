/* sse.h - reading Server-Sent Events (WHATWG HTML, section 9.2); pure.
 *
 * The bytes may be cut anywhere.  Two mercies for what back ends really send: a
 * line that begins with a brace or a bracket is an event of its own, for bodies
 * with one JSON text a line; and data at the end that no empty line follows is
 * given too.
 */
#ifndef PARSE_SSE_H
#define PARSE_SSE_H

#include "base/buf.h"
#include "parse/parse.h"

struct sse_reader {
	struct buf line; /* what came of the line that is not whole */
	struct buf data, name;
	struct buf id, next_id; /* of the last event, and of the one that is coming */
	unsigned retry_ms;
	bool began;   /* one line was whole: no BOM can come any more */
	bool had_cr;  /* an LF that comes now belongs to it */
	bool skips;   /* the line is too long: up to its end it is passed over */
	bool spoiled; /* so the event it belongs to is not given */
	bool has_data;
	bool has_id; /* one came, if an empty one */
	bool drops_half;

	void *self;
	void (*event)(void *self, const struct parse_event *event);
	void (*too_long)(void *self);
};

/* Everything else of the reader may be set after it. */
void sse_reader_init(struct sse_reader *reader, size_t event_max);
void sse_reader_finish(struct sse_reader *reader);

/* Forgets what is half there, for a new connection; the id stays. */
void sse_reader_restart(struct sse_reader *reader);

void sse_reader_feed(struct sse_reader *reader, struct text bytes);
/* Gives what is left.  It may be half an event, so the id does not move; where there are ids
 * it comes again, whole, and drops_half leaves it out here. */
void sse_reader_end(struct sse_reader *reader);

#endif

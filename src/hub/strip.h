/* strip.h - the newest frames of a stream that a dialect makes, once for every client that
 * watches it; pure memory.
 *
 * A frame has its place among all frames that the dialect made, so the places on the strip of
 * one stream may have holes.  A strip is whole from a place on: it has every frame of its
 * stream that stands there or later.  One that is full drops its older half.
 */
#ifndef HUB_STRIP_H
#define HUB_STRIP_H

#include "base/buf.h"

struct strip_frame {
	uint64_t place;
	uint64_t number; /* of the event, as its screens count */
	bool is_numbered;
	bool is_end;   /* it says that a run is over */
	bool may_drop; /* who is slow can do without */
};

struct strip_mark {
	struct strip_frame frame;
	size_t end; /* of its bytes */
};

struct strip {
	struct buf bytes; /* WebSocket frames, one behind the other */
	struct strip_mark *marks;
	size_t count, room;
	uint64_t whole_from;
	uint64_t after_end; /* the place after the newest frame that ends a run; 0: none did */
};

void strip_init(struct strip *strip, size_t max, uint64_t whole_from);
void strip_finish(struct strip *strip);

/* Adds a frame that stands behind all others.  One longer than the strip leaves it empty and
 * whole from the next place on. */
void strip_add(struct strip *strip, const struct strip_frame *frame, struct text json);

bool strip_fits(const struct strip *strip, size_t json_len); /* a frame of so many bytes */

/* The place that the strip will be whole from, once a frame of so many bytes was added. */
uint64_t strip_whole_with(const struct strip *strip, size_t json_len);

/* Every client has the frames before this place. */
void strip_drop_before(struct strip *strip, uint64_t place);

/* The frames from one place to another, one after the other. */
void strip_each(const struct strip *strip, uint64_t from, uint64_t to,
                void (*each)(void *self, const struct strip_frame *frame, struct text bytes),
                void *self);

/* The frames from a place on. */
struct stretch {
	struct text bytes;
	bool has_number;
	uint64_t number; /* of the newest event, if there is one */
	bool has_end;    /* one says that a run is over */
};
/* False: the strip is not whole from there on. */
bool strip_from(const struct strip *strip, uint64_t place, struct stretch *out);

#endif

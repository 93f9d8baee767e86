/* tape.h - what one subscription sees of a reel; its clients are cursors.
 *
 * A tape is a stream of bytes with positions of its own.  The tape of everything
 * is the reel itself: the positions are the same.  A filtered tape is a row of
 * extents, stretches of the reel that belong to it, adjacent ones merged.
 * Extents that every client has passed are forgotten.
 */
#ifndef HUB_TAPE_H
#define HUB_TAPE_H

#include "base/list.h"
#include "hub/reel.h"
#include "signal/filter.h"

struct client;

#define TAPE_EXTENTS_MAX 4096 /* a client more extents behind reads the journal */

struct extent {
	uint64_t at;    /* on the tape */
	uint64_t start; /* on the reel */
	uint64_t len;
};

struct tape {
	struct reel *reel;
	struct filter filter;
	bool is_all;
	struct extent *extents; /* a ring */
	unsigned extents_room, first, count;
	uint64_t head;       /* of a filtered tape; the next byte's position */
	uint64_t whole_from; /* reel position from which no extent was forgotten */
	struct client **clients;
	unsigned client_count, client_room;
	unsigned readers; /* clients of this tape that read the journal */
	/* The sweep under way: whom to visit next, how many more, and whether one
	 * of those visited could not take all. */
	unsigned next, left;
	bool behind;
	struct link in_dirty; /* hub.dirty: tapes with news */
	struct link in_all;   /* switchboard.tapes */
	char *key;            /* of the filter, for the switchboard */
	size_t key_len;
};

/* Takes filter. */
struct tape *tape_create(struct reel *reel, struct filter *filter);
void tape_destroy(struct tape *tape);

/* The frame that was just committed to the reel belongs to this tape.  One that
 * has TAPE_EXTENTS_MAX is made shorter before: its clients that stand before the
 * middle leave, and then what is there is dropped. */
void tape_add(struct tape *tape, uint64_t start, size_t len);
uint64_t tape_middle(const struct tape *tape); /* on the reel */
void tape_drop_before(struct tape *tape, uint64_t start);

/* Positions. */
uint64_t tape_head(const struct tape *tape);
/* Of seq's frame or the next one after it; false if it is no longer here. */
bool tape_place(const struct tape *tape, uint64_t seq, uint64_t *at);
/* Where the frame ends that `at` is inside of; between two frames, `at`. */
uint64_t tape_frame_end(const struct tape *tape, uint64_t at);
uint64_t tape_next_seq(const struct tape *tape, uint64_t at); /* of the frame at or after it */
uint64_t tape_on_reel(const struct tape *tape, uint64_t at);

/* The bytes from `at` on: all of them if they lie in one piece, else gathered in
 * scratch up to its ceiling. */
struct text tape_from(const struct tape *tape, uint64_t at, struct buf *scratch);

/* Every client is at the head: what is behind it can go. */
void tape_forget(struct tape *tape);

void tape_join(struct tape *tape, struct client *client);
void tape_leave(struct tape *tape, struct client *client);

#endif

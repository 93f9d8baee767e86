/* window.h - which of the newest emits were these very bytes?
 *
 * Holds a 128-bit keyed hash of source, id and bytes of at least the newest 65,536
 * signals that asked for it, with the seq each got.  The key is random and kept
 * in the checkpoint, so that the window survives a restart.
 */
#ifndef BUS_WINDOW_H
#define BUS_WINDOW_H

#include "base/buf.h"
#include "base/text.h"

#define WINDOW_SIZE 65536

struct window;

enum window_answer {
	WINDOW_NEW,    /* not seen */
	WINDOW_SAME,   /* seen: *seq is what it got first */
	WINDOW_REUSED, /* this source and id were seen with other bytes */
};

/* What a signal is known by; made once, for the look and for the add. */
struct window_mark {
	uint64_t full[2]; /* of source, id and bytes */
	uint64_t pair;    /* of source and id */
};

struct window *window_create(void);
void window_destroy(struct window *window);

struct window_mark window_mark(const struct window *window, struct text source, struct text id,
                               struct text bytes);

enum window_answer window_look(const struct window *window, const struct window_mark *mark,
                               uint64_t *seq);

/* looked: what window_look has just said of it.  What is there already keeps the seq
 * it has. */
void window_add(struct window *window, const struct window_mark *mark, uint64_t seq,
                enum window_answer looked);

/* For the checkpoint, a piece at a time; false: that was the last.  What is saved is the window
 * as it was at window_save_begin, whatever is added meanwhile. */
void window_save_begin(struct window *window);
bool window_save_more(struct window *window, struct buf *out);
/* Refuses what is not whole, and leaves it empty. */
bool window_load(struct window *window, struct text saved);

#endif

/* burst.h - texts of one sender that come so quickly that they are one question; pure.
 *
 * It ends when nothing came for a while.  Who does not stop writing is not kept waiting without
 * end, and what is gathered is no longer than one message may be.
 */
#ifndef DELIVER_BURST_H
#define DELIVER_BURST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BURST_MOST_MS 3000 /* after its first text, or one pause where that is longer */

struct burst {
	int64_t until_ms, most_ms; /* it ends; it ends at the latest */
	size_t bytes;
};

void burst_begin(struct burst *b, size_t bytes, unsigned pause_ms, int64_t now_ms);
/* Is a text one of it?  If not, it is over: a later one must not come before this. */
bool burst_takes(struct burst *b, size_t bytes, int64_t now_ms);
void burst_add(struct burst *b, size_t bytes, unsigned pause_ms, int64_t now_ms);
void burst_end(struct burst *b);

#endif

/* order.h - what hooks of one session tell, put back into the order in which it happened.
 *
 * Hooks that nobody waits for are processes that run side by side, and on a busy machine the
 * second may be here before the first.  What a tool answered waits until the tool was called,
 * by tool_use_id; a piece of a message until the piece before it is here, by message_id and
 * index; the end of a turn until its tools and its message have ended.  What waited long enough
 * passes all the same: nothing is lost here, and nothing waits for ever.
 */
#ifndef SOURCE_ORDER_H
#define SOURCE_ORDER_H

#include "source/claude/hook.h"

struct loop;
struct order;

struct order_options {
	struct loop *loop;
	unsigned wait_ms; /* the longest that one waits; 0: 2 s */
	void *self;
	/* tag: as it was given */
	void (*pass)(void *self, const struct hook_payload *payload, int tag);
};

struct order *order_create(const struct order_options *options);
void order_destroy(struct order *order); /* what waits is gone: flush it before */

void order_take(struct order *order, const struct hook_payload *payload, int tag);
void order_flush(struct order *order); /* all that waits passes */

#endif

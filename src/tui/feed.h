/* feed.h - where a screen's frames come from, and the loop that shows them.
 *
 * A feed gives frames to tui_hear() as they come, from inside the loop, and fills in
 * tui->line if somebody listens at its other end.
 */
#ifndef TUI_FEED_H
#define TUI_FEED_H

#include "base/error.h"
#include "net/loop.h"
#include "tui/tui.h"

struct tui;

struct tui_feed {
	void *self;
	bool (*start)(void *self, struct loop *loop, struct tui *tui, struct error *why);
	void (*stop)(void *self); /* after a start, also one that failed */
	enum tui_background background;
};

/* Until somebody leaves; false when it could not begin. */
bool feed_show(const struct tui_feed *feed, struct error *why);

#endif

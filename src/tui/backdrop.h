/* backdrop.h - is the terminal's background light or dark?
 *
 * It is asked (OSC 11), with a question behind it that every terminal answers, so that
 * one which does not know the first costs no time.  Where nobody answers soon, COLORFGBG
 * decides, and without that it is dark.
 */
#ifndef TUI_BACKDROP_H
#define TUI_BACKDROP_H

#include "base/buf.h"
#include "tui/tui.h"

#define BACKDROP_TYPED_MAX 128

/* On standard input and output, before the terminal is ours.  typed, which has room for
 * BACKDROP_TYPED_MAX bytes, gets what came besides: keys of somebody who is quick. */
bool backdrop_is_light(enum tui_background wanted, struct buf *typed);

/* The answers within what a terminal said, for tests: true when all are there.  What is
 * no answer goes to typed. */
struct backdrop_heard {
	bool is_known, is_light;
};
bool backdrop_read(struct text said, struct backdrop_heard *heard, struct buf *typed);

#endif

/* style.h - what things look like, by what they are.
 *
 * A style is a byte in each cell.  With 256 colours it is the reference's theme, with
 * fewer the nearest of 16, with none bold, dim and reverse.
 */
#ifndef TUI_STYLE_H
#define TUI_STYLE_H

#include <stdbool.h>
#include <stdint.h>

enum style {
	STYLE_PLAIN,
	STYLE_BORDER,
	STYLE_FOCUS, /* the border of what has the keys */
	STYLE_TITLE,
	STYLE_DIM,
	STYLE_TIME,
	STYLE_METRIC,
	STYLE_PHASE,
	STYLE_PHASE_DONE,
	STYLE_PHASE_NEXT,
	STYLE_STREAMING,
	STYLE_DONE,
	STYLE_WAITING,
	STYLE_ERROR,
	STYLE_BAR,
	STYLE_BAR_REST,
	STYLE_SENT,
	STYLE_REPLY,
	STYLE_SELECTED,
	STYLE_PAUSED,
	STYLE_FINISHED,
	STYLE_CHART,
	STYLE_HUMAN,
	STYLE_DEBUG,
	STYLE_HUE, /* and the nine behind it: one for each invocation, in turn */
	STYLES = STYLE_HUE + 10
};
#define STYLE_HUES 10

/* Or-ed to any style: the row that is chosen. */
#define STYLE_CHOSEN 0x80

struct look {
	int16_t colour, background; /* -1: the terminal's own */
	bool bold, dim, reverse;
};

/* colours: 256, 16, 8, or 0 for none; style may hold STYLE_CHOSEN. */
struct look style_look(uint8_t style, int colours);

#endif

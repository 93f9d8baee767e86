/* style.h - what things look like, by what they are.
 *
 * A style is a byte in each cell.  With 256 colours it is near the reference's theme, on
 * a light background a darker one, with fewer the nearest of 16, with none bold, dim and
 * reverse.  What people decide on has the terminal's own colours, so that it can be read
 * wherever the background is not what it was taken for.
 */
#ifndef TUI_STYLE_H
#define TUI_STYLE_H

#include "base/text.h"

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

struct style_look {
	int16_t colour, background; /* -1: the terminal's own */
	bool bold, dim, reverse;
};

struct palette {
	int colours; /* 256, 16, 8, or 0 for none */
	bool is_light;
};

/* style may hold STYLE_CHOSEN. */
struct style_look style_look(uint8_t style, struct palette palette);

/* What a terminal says of its background: `rgb:RRRR/GGGG/BBBB`, with one to four digits
 * each; and what COLORFGBG says, `15;0` or `0;default;15`.  False: nothing that is known. */
bool style_is_light_rgb(struct text said, bool *is_light);
bool style_is_light_pair(struct text said, bool *is_light);

#endif

/* style.c - the theme, as one table. */
#include "tui/style.h"

/* Of 16 colours those from 8 on are the bright ones. */
static const struct {
	int16_t of_256, background_of_256;
	int16_t of_16, background_of_16;
	bool bold, dim, reverse; /* reverse: where there are no colours */
} theme[STYLES] = {
	[STYLE_PLAIN] = {-1, -1, -1, -1},
	[STYLE_BORDER] = {240, -1, 8, -1, .dim = true},
	[STYLE_FOCUS] = {111, -1, 12, -1, .bold = true},
	[STYLE_TITLE] = {231, -1, 15, -1, .bold = true},
	[STYLE_DIM] = {244, -1, 8, -1, .dim = true},
	[STYLE_TIME] = {244, -1, 8, -1, .dim = true},
	[STYLE_METRIC] = {150, -1, 10, -1},
	[STYLE_PHASE] = {117, -1, 14, -1, .bold = true},
	[STYLE_PHASE_DONE] = {108, -1, 2, -1},
	[STYLE_PHASE_NEXT] = {240, -1, 8, -1, .dim = true},
	[STYLE_STREAMING] = {51, -1, 14, -1},
	[STYLE_DONE] = {71, -1, 2, -1},
	[STYLE_WAITING] = {179, -1, 3, -1},
	[STYLE_ERROR] = {167, -1, 1, -1, .bold = true},
	[STYLE_BAR] = {71, -1, 2, -1},
	[STYLE_BAR_REST] = {238, -1, 8, -1, .dim = true},
	[STYLE_SENT] = {231, 24, 15, 4, .bold = true, .reverse = true},
	[STYLE_REPLY] = {231, 65, 15, 2, .bold = true, .reverse = true},
	[STYLE_SELECTED] = {231, 24, 15, 4, .reverse = true},
	[STYLE_PAUSED] = {232, 179, 0, 3, .bold = true, .reverse = true},
	[STYLE_FINISHED] = {231, 65, 15, 2, .bold = true, .reverse = true},
	[STYLE_CHART] = {244, -1, 8, -1, .dim = true},
	[STYLE_HUMAN] = {231, -1, 15, -1, .bold = true},
	[STYLE_DEBUG] = {244, -1, 8, -1, .dim = true},
	[STYLE_HUE + 0] = {6, -1, 6, -1},
	[STYLE_HUE + 1] = {5, -1, 5, -1},
	[STYLE_HUE + 2] = {3, -1, 3, -1},
	[STYLE_HUE + 3] = {2, -1, 2, -1},
	[STYLE_HUE + 4] = {4, -1, 4, -1},
	[STYLE_HUE + 5] = {9, -1, 9, -1},
	[STYLE_HUE + 6] = {14, -1, 14, -1},
	[STYLE_HUE + 7] = {13, -1, 13, -1},
	[STYLE_HUE + 8] = {11, -1, 11, -1},
	[STYLE_HUE + 9] = {10, -1, 10, -1},
};

#define CHOSEN_BACKGROUND 24

/* A bright colour of eight is the plain one in bold; bright black would be black. */
static struct look of_eight(struct look look)
{
	if (look.colour == 8)
		look.colour = -1;
	else if (look.colour > 8)
		look.bold = true;
	if (look.colour > 7)
		look.colour -= 8;
	return look;
}

struct look style_look(uint8_t style, int colours)
{
	uint8_t s = (style & ~STYLE_CHOSEN) < STYLES ? style & ~STYLE_CHOSEN : STYLE_PLAIN;
	bool chosen = style & STYLE_CHOSEN;
	struct look look = {-1, -1, .bold = theme[s].bold};

	if (colours >= 256) {
		look.colour = theme[s].of_256;
		look.background = chosen ? CHOSEN_BACKGROUND : theme[s].background_of_256;
	} else if (colours > 0) {
		look.colour = theme[s].of_16;
		look.background = theme[s].background_of_16;
		look.reverse = chosen;
	} else {
		look.dim = theme[s].dim;
		look.reverse = theme[s].reverse || chosen;
	}
	return colours > 0 && colours < 16 ? of_eight(look) : look;
}

/* style.c - the themes, as one table. */
#include "tui/style.h"

#include <stdlib.h>

/* Of 16 colours those from 8 on are the bright ones. */
static const struct {
	int16_t dark, light;       /* of 256 */
	int16_t dark_16, light_16; /* of 16 */
	int16_t behind, behind_16; /* 0: nothing; on its own background it is the same on any */
	bool bold, dim, reverse;   /* reverse: where there are no colours */
} theme[STYLES] = {
	[STYLE_PLAIN] = {-1, -1, -1, -1},
	[STYLE_BORDER] = {240, 246, 8, 8, .dim = true},
	[STYLE_FOCUS] = {111, 26, 12, 4, .bold = true},
	[STYLE_TITLE] = {-1, -1, -1, -1, .bold = true},
	[STYLE_DIM] = {244, 242, 8, 8, .dim = true},
	[STYLE_TIME] = {244, 242, 8, 8, .dim = true},
	[STYLE_METRIC] = {150, 22, 10, 2},
	[STYLE_PHASE] = {117, 24, 14, 6, .bold = true},
	[STYLE_PHASE_DONE] = {108, 28, 2, 2},
	[STYLE_PHASE_NEXT] = {240, 246, 8, 8, .dim = true},
	[STYLE_STREAMING] = {51, 23, 14, 6},
	[STYLE_DONE] = {71, 28, 2, 2},
	[STYLE_WAITING] = {179, 94, 3, 3},
	[STYLE_ERROR] = {203, 124, 1, 1, .bold = true},
	[STYLE_BAR] = {71, 28, 2, 2},
	[STYLE_BAR_REST] = {238, 249, 8, 8, .dim = true},
	[STYLE_SENT] = {231, 231, 15, 15, 24, 4, .bold = true, .reverse = true},
	[STYLE_REPLY] = {231, 231, 15, 15, 22, 2, .bold = true, .reverse = true},
	[STYLE_SELECTED] = {231, 231, 15, 15, 24, 4, .reverse = true},
	[STYLE_PAUSED] = {232, 232, 16, 16, 179, 3, .bold = true, .reverse = true},
	[STYLE_FINISHED] = {231, 231, 15, 15, 22, 2, .bold = true, .reverse = true},
	[STYLE_CHART] = {244, 242, 8, 8, .dim = true},
	[STYLE_HUMAN] = {-1, -1, -1, -1, .bold = true},
	[STYLE_DEBUG] = {244, 242, 8, 8, .dim = true},
	[STYLE_HUE + 0] = {37, 24, 6, 6},
	[STYLE_HUE + 1] = {170, 90, 5, 5},
	[STYLE_HUE + 2] = {178, 94, 3, 3},
	[STYLE_HUE + 3] = {71, 28, 2, 2},
	[STYLE_HUE + 4] = {75, 25, 12, 4},
	[STYLE_HUE + 5] = {203, 124, 9, 1},
	[STYLE_HUE + 6] = {51, 23, 14, 6},
	[STYLE_HUE + 7] = {213, 127, 13, 5},
	[STYLE_HUE + 8] = {227, 58, 11, 3},
	[STYLE_HUE + 9] = {120, 22, 10, 2},
};

/* The row that is chosen. */
#define CHOSEN_DARK 24
#define CHOSEN_LIGHT 153
#define WHITE 231
#define BLACK 16

/* A bright colour of eight is the plain one in bold; bright black would be black. */
static struct style_look of_eight(struct style_look look)
{
	if (look.colour == 8)
		look.colour = -1;
	else if (look.colour > 8 && look.colour < 16)
		look.bold = true;
	if (look.colour > 7)
		look.colour = look.colour & 7;
	return look;
}

/* On the row that is chosen all of it can be read: there colours tell nothing more. */
static void style_choose(struct style_look *look, bool is_light)
{
	look->background = is_light ? CHOSEN_LIGHT : CHOSEN_DARK;
	look->colour = is_light ? BLACK : WHITE;
}

static struct style_look of_256(uint8_t s, bool is_chosen, bool is_light)
{
	struct style_look look = {is_light ? theme[s].light : theme[s].dark, -1,
	                          .bold = theme[s].bold};

	if (theme[s].behind)
		look.background = theme[s].behind;
	if (is_chosen)
		style_choose(&look, is_light);
	return look;
}

static struct style_look of_16(uint8_t s, bool is_chosen, bool is_light)
{
	struct style_look look = {is_light ? theme[s].light_16 : theme[s].dark_16, -1,
	                          .bold = theme[s].bold};

	if (theme[s].behind_16)
		look.background = theme[s].behind_16;
	look.reverse = is_chosen;
	if (is_chosen)
		look.colour = look.background = -1;
	return look;
}

struct style_look style_look(uint8_t style, struct palette palette)
{
	uint8_t s = (style & ~STYLE_CHOSEN) < STYLES ? style & ~STYLE_CHOSEN : STYLE_PLAIN;
	bool is_chosen = style & STYLE_CHOSEN;

	if (palette.colours >= 256)
		return of_256(s, is_chosen, palette.is_light);
	if (palette.colours > 0) {
		struct style_look look = of_16(s, is_chosen, palette.is_light);

		if (look.colour == 16) /* black, which 0 is; there 0 would be none */
			look.colour = 0;
		return palette.colours < 16 ? of_eight(look) : look;
	}
	return (struct style_look){-1, -1, theme[s].bold, theme[s].dim,
	                           theme[s].reverse || is_chosen};
}

/* ---- what is behind it ---- */

static bool hex_part(struct text *rest, double *out)
{
	struct text digits = text_cut(*rest, '/', rest);
	char copy[5];
	char *end;

	if (digits.len == 0 || digits.len > 4)
		return false;
	memcpy(copy, digits.at, digits.len);
	copy[digits.len] = '\0';
	*out = (double)strtoul(copy, &end, 16) / (double)((1 << 4 * digits.len) - 1);
	return *end == '\0';
}

/* By how bright it looks to people, half way. */
bool style_is_light_rgb(struct text said, bool *is_light)
{
	double red, green, blue;

	if (!text_starts(said, TEXT("rgb:")))
		return false;
	said = (struct text){said.at + 4, said.len - 4};
	if (!hex_part(&said, &red) || !hex_part(&said, &green) || !hex_part(&said, &blue))
		return false;
	*is_light = 0.299 * red + 0.587 * green + 0.114 * blue > 0.5;
	return true;
}

bool style_is_light_pair(struct text said, bool *is_light)
{
	struct text rest = said, last = said;
	uint64_t colour;

	while (rest.at)
		last = text_cut(rest, ';', &rest);
	if (last.len == said.len || !text_to_u64(last, &colour) || colour > 15)
		return false;
	*is_light = colour == 7 || colour > 8;
	return true;
}

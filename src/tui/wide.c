/* wide.c - characters into cells. */
#include "tui/wide.h"

#include <wchar.h>

#include "base/utf8.h"
#include "base/visible.h"

#define REPLACEMENT 0xFFFD

/* The colours of skin are left out with what has no shape: many terminals give
 * them cells of their own. */
static bool is_left_out(uint32_t c)
{
	return visible_kind(c) == VISIBLE_SHAPELESS || (c >= 0x1F3FB && c <= 0x1F3FF);
}

/* One code point that can be shown, and its width; false at the end. */
static bool next_shown(struct text *rest, struct text *bytes, int *width)
{
	while (rest->len > 0) {
		size_t len = utf8_length(*rest);
		struct text character = {rest->at, len};
		uint32_t c = len ? utf8_decode(character) : REPLACEMENT;

		*bytes = character;
		rest->at += len ? len : 1;
		rest->len -= len ? len : 1;
		if (is_left_out(c))
			continue;
		*width = wcwidth((wchar_t)c);
		if (c == '\n' || c == '\t' || c == '\r') {
			*bytes = TEXT(" ");
			*width = 1;
		} else if (c == REPLACEMENT || *width < 0 || visible_kind(c) == VISIBLE_CONTROL) {
			*bytes = TEXT("\xEF\xBF\xBD");
			*width = 1;
		}
		return true;
	}
	return false;
}

static void wide_add(struct glyph *glyph, struct text bytes)
{
	if (glyph->len + bytes.len > GLYPH_MAX)
		return;
	memcpy(glyph->at + glyph->len, bytes.at, bytes.len);
	glyph->len += (uint8_t)bytes.len;
}

/* A mark without a character stands on a space. */
bool wide_next(struct text *rest, struct glyph *glyph)
{
	struct text bytes, after;
	int width;

	*glyph = (struct glyph){.width = 1};
	if (!next_shown(rest, &bytes, &width))
		return false;
	if (width == 0)
		wide_add(glyph, TEXT(" "));
	else
		glyph->width = width == 2 ? 2 : 1;
	wide_add(glyph, bytes);
	for (after = *rest; next_shown(&after, &bytes, &width) && width == 0; *rest = after)
		wide_add(glyph, bytes);
	return true;
}

int wide_width(struct text t)
{
	struct glyph glyph;
	int width = 0;

	while (wide_next(&t, &glyph))
		width += glyph.width;
	return width;
}

size_t wide_fit(struct text t, int cells)
{
	struct text rest = t;
	struct glyph glyph;
	size_t fits = 0;

	while (wide_next(&rest, &glyph) && glyph.width <= cells) {
		cells -= glyph.width;
		fits = t.len - rest.len;
	}
	return fits;
}

/* No more is looked at than could fit: it may be the end of something long. */
struct text wide_end(struct text t, int cells)
{
	size_t most = cells > 0 ? (size_t)cells * GLYPH_MAX : 0;
	struct glyph glyph;
	int width;

	if (t.len > most)
		t = (struct text){t.at + t.len - most, most};
	while (t.len > 0 && ((uint8_t)*t.at & 0xC0) == 0x80)
		t = (struct text){t.at + 1, t.len - 1};
	for (width = wide_width(t); width > cells && wide_next(&t, &glyph);)
		width -= glyph.width;
	return t;
}

/* wide.c - characters into cells. */
#include "tui/wide.h"

#include <wchar.h>

#include "base/utf8.h"

#define REPLACEMENT 0xFFFD

struct range {
	uint32_t first, last;
};

static bool is_among(const struct range *ranges, size_t count, uint32_t c)
{
	for (size_t i = 0; i < count; i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

/* What Unicode calls default-ignorable: without a shape of its own. */
static bool is_shapeless(uint32_t c)
{
	static const struct range ranges[] = {
		{0x00AD, 0x00AD},   {0x034F, 0x034F},   {0x115F, 0x1160},   {0x17B4, 0x17B5},
		{0x180B, 0x180F},   {0x200B, 0x200D},   {0x2060, 0x2065},   {0x206A, 0x206F},
		{0x3164, 0x3164},   {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},
		{0xFFF0, 0xFFF8},   {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0x1F3FB, 0x1F3FF},
		{0xE0000, 0xE0FFF},
	};

	return c >= 0xAD && is_among(ranges, sizeof(ranges) / sizeof(*ranges), c);
}

static bool is_forbidden(uint32_t c)
{
	static const struct range ranges[] = {
		{0x00, 0x1F},     {0x7F, 0x9F},     {0x061C, 0x061C},
		{0x200E, 0x200F}, {0x2028, 0x202E}, {0x2066, 0x2069},
	};

	return is_among(ranges, sizeof(ranges) / sizeof(*ranges), c);
}

static uint32_t decode(const uint8_t *at, size_t len)
{
	static const uint8_t lead[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
	uint32_t c = at[0] & lead[len];

	for (size_t i = 1; i < len; i++)
		c = c << 6 | (at[i] & 0x3F);
	return c;
}

/* One code point that can be shown, and its width; false at the end. */
static bool next_shown(struct text *rest, struct text *bytes, int *width)
{
	while (rest->len > 0) {
		size_t len = utf8_length(*rest);
		uint32_t c = len ? decode((const uint8_t *)rest->at, len) : REPLACEMENT;

		*bytes = (struct text){rest->at, len};
		rest->at += len ? len : 1;
		rest->len -= len ? len : 1;
		if (is_shapeless(c))
			continue;
		*width = wcwidth((wchar_t)c);
		if (c == '\n' || c == '\t' || c == '\r') {
			*bytes = TEXT(" ");
			*width = 1;
		} else if (c == REPLACEMENT || *width < 0 || is_forbidden(c)) {
			*bytes = TEXT("\xEF\xBF\xBD");
			*width = 1;
		}
		return true;
	}
	return false;
}

static void add(struct glyph *glyph, struct text bytes)
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
		add(glyph, TEXT(" "));
	else
		glyph->width = width == 2 ? 2 : 1;
	add(glyph, bytes);
	for (after = *rest; next_shown(&after, &bytes, &width) && width == 0; *rest = after)
		add(glyph, bytes);
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

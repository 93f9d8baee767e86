/* visible.c - what hides is written out. */
#include "base/visible.h"

#include <assert.h>
#include <stdio.h>

#include "base/utf8.h"

struct range {
	uint32_t first, last;
};

#define IS_AMONG(ranges, c) is_among(ranges, sizeof(ranges) / sizeof(*(ranges)), c)

static bool is_among(const struct range *ranges, size_t count, uint32_t c)
{
	for (size_t i = 0; i < count; i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

static const struct range controls[] = {
	{0x00, 0x1F},     {0x7F, 0x9F},     {0x061C, 0x061C}, {0x200E, 0x200F},
	{0x2028, 0x202E}, {0x2066, 0x2069}, {0xD800, 0xDFFF},
};

/* What Unicode calls default-ignorable, and the marks for annotations. */
static const struct range shapeless[] = {
	{0x00AD, 0x00AD}, {0x034F, 0x034F},   {0x115F, 0x1160},   {0x17B4, 0x17B5},
	{0x180B, 0x180F}, {0x200B, 0x200D},   {0x2060, 0x2065},   {0x206A, 0x206F},
	{0x3164, 0x3164}, {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},
	{0xFFF0, 0xFFFB}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
};

/* The ideographic space is not among them: it is seen in the texts it belongs to. */
static const struct range blanks[] = {
	{0x00A0, 0x00A0}, {0x1680, 0x1680}, {0x2000, 0x200A},
	{0x202F, 0x202F}, {0x205F, 0x205F}, {0x2800, 0x2800},
};

enum visible_kind visible_kind(uint32_t c)
{
	if (c >= 0x20 && c < 0x7F)
		return VISIBLE_SHAPE;
	if (IS_AMONG(controls, c))
		return VISIBLE_CONTROL;
	if (IS_AMONG(shapeless, c))
		return VISIBLE_SHAPELESS;
	return IS_AMONG(blanks, c) ? VISIBLE_BLANK : VISIBLE_SHAPE;
}

/* By way of memory of our own: a print into the buffer would want a byte more at its end. */
static bool add_escape(struct buf *out, uint32_t c)
{
	char escape[2 * VISIBLE_GROWTH + 1];
	int n = c > 0xFFFF ? snprintf(escape, sizeof(escape), "\\u%04x\\u%04x", 0xD7C0 + (c >> 10),
	                              0xDC00 + (c & 0x3FF))
	                   : snprintf(escape, sizeof(escape), "\\u%04x", c);

	return buf_add(out, (struct text){escape, (size_t)n});
}

static bool add_byte(struct buf *out, uint8_t byte)
{
	char escape[VISIBLE_GROWTH];
	int n = snprintf(escape, sizeof(escape), "\\x%02x", (unsigned)byte);

	assert(n > 0 && (size_t)n < sizeof(escape));
	return buf_add(out, (struct text){escape, (size_t)n});
}

/* A surrogate in three bytes is no UTF-8, but what a JSON escape may leave. */
static bool is_surrogate(struct text t)
{
	const uint8_t *at = (const uint8_t *)t.at;

	return t.len >= 3 && at[0] == 0xED && (at[1] & 0xE0) == 0xA0 && (at[2] & 0xC0) == 0x80;
}

static bool add_character(struct buf *out, struct text bytes, enum visible_lines lines)
{
	uint32_t c = utf8_decode(bytes);

	if (c == '\n')
		return buf_add(out, lines == VISIBLE_KEEP_LINES ? TEXT("\n") : TEXT("\u21B5"));
	if (c == '\t')
		return buf_add(out, TEXT("\u21E5"));
	if (visible_kind(c) != VISIBLE_SHAPE)
		return add_escape(out, c);
	return buf_add(out, bytes);
}

bool visible_add(struct buf *out, struct text t, enum visible_lines lines)
{
	bool ok = true;

	while (ok && t.len > 0) {
		size_t n = utf8_length(t);

		if (n > 0) {
			ok = add_character(out, (struct text){t.at, n}, lines);
		} else if (is_surrogate(t)) {
			n = 3;
			ok = add_escape(out, utf8_decode((struct text){t.at, n}));
		} else {
			n = 1;
			ok = add_byte(out, (uint8_t)*t.at);
		}
		t = (struct text){t.at + n, t.len - n};
	}
	return ok;
}

/* utf8.c - incremental validation, and text made safe to show. */
#include "base/utf8.h"

#include <assert.h>

#include "base/visible.h"

void utf8_init(struct utf8 *u)
{
	*u = (struct utf8){0, 0x80, 0xBF};
}

/* The first byte of a character says how many follow, and for some of them
 * narrows what the second may be: that is where overlong forms, surrogates and
 * code points that do not exist are refused. */
static bool lead(struct utf8 *u, uint8_t c)
{
	assert(u->need == 0);
	u->low = 0x80;
	u->high = 0xBF;
	if (c < 0x80) {
		u->need = 0;
		return true;
	}
	if (c < 0xC2 || c > 0xF4)
		return false;
	u->need = c < 0xE0 ? 1 : c < 0xF0 ? 2 : 3;
	if (c == 0xE0)
		u->low = 0xA0;
	else if (c == 0xED)
		u->high = 0x9F;
	else if (c == 0xF0)
		u->low = 0x90;
	else if (c == 0xF4)
		u->high = 0x8F;
	return true;
}

static bool utf8_follow(struct utf8 *u, uint8_t c)
{
	assert(u->need > 0 && u->low <= u->high);
	if (c < u->low || c > u->high)
		return false;
	u->need--;
	u->low = 0x80;
	u->high = 0xBF;
	return true;
}

/* Steps over ASCII eight bytes at a time: nearly all text is that. */
static size_t ascii_run(struct text t)
{
	size_t i = 0;
	uint64_t word;

	for (; i + 8 <= t.len; i += 8) {
		memcpy(&word, t.at + i, 8);
		if (word & 0x8080808080808080u)
			break;
	}
	while (i < t.len && (uint8_t)t.at[i] < 0x80)
		i++;
	return i;
}

bool utf8_feed(struct utf8 *u, struct text piece)
{
	size_t i = 0;

	while (i < piece.len) {
		if (u->need == 0)
			i += ascii_run((struct text){piece.at + i, piece.len - i});
		if (i == piece.len)
			break;
		if (u->need ? !utf8_follow(u, (uint8_t)piece.at[i])
		            : !lead(u, (uint8_t)piece.at[i]))
			return false;
		i++;
	}
	return true;
}

bool utf8_is_whole(const struct utf8 *u)
{
	return u->need == 0;
}

/* Without a branch in the loop, so that compilers take sixteen bytes at a time. */
static bool is_ascii(struct text t)
{
	uint8_t seen = 0;

	for (size_t i = 0; i < t.len; i++)
		seen |= (uint8_t)t.at[i];
	return seen < 0x80;
}

bool utf8_is_valid(struct text t)
{
	struct utf8 u;

	if (is_ascii(t))
		return true;
	utf8_init(&u);
	return utf8_feed(&u, t) && utf8_is_whole(&u);
}

size_t utf8_length(struct text t)
{
	struct utf8 u;
	size_t i = 0;

	utf8_init(&u);
	if (t.len == 0 || !lead(&u, (uint8_t)t.at[i++]))
		return 0;
	while (u.need)
		if (i == t.len || !utf8_follow(&u, (uint8_t)t.at[i++]))
			return 0;
	return i;
}

uint32_t utf8_decode(struct text character)
{
	static const uint8_t lead_bits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
	const uint8_t *at = (const uint8_t *)character.at;
	uint32_t c;

	assert(character.len >= 1 && character.len <= 4);
	c = at[0] & lead_bits[character.len];
	for (size_t i = 1; i < character.len; i++)
		c = c << 6 | (at[i] & 0x3F);
	return c;
}

/* Joiners and the two selectors of how an emoji looks. */
static bool is_needed(uint32_t c)
{
	return c == 0x200C || c == 0x200D || c == 0xFE0E || c == 0xFE0F;
}

static bool add_shown(struct buf *out, struct text character)
{
	uint32_t c = character.len ? utf8_decode(character) : 0;
	enum visible_kind kind = visible_kind(c);

	if (c == '\n' || c == '\t')
		return buf_add_char(out, ' ');
	if (kind == VISIBLE_CONTROL)
		return buf_add(out, TEXT("\uFFFD"));
	return (kind == VISIBLE_SHAPELESS && !is_needed(c)) || buf_add(out, character);
}

bool utf8_add_shown(struct buf *out, struct text t)
{
	bool ok = true;

	for (size_t i = 0; ok && i < t.len;) {
		size_t n = utf8_length((struct text){t.at + i, t.len - i});

		ok = add_shown(out, (struct text){t.at + i, n});
		i += n ? n : 1;
	}
	return ok;
}

size_t utf8_count(struct text t)
{
	size_t count = 0;

	for (size_t i = 0; i < t.len; i++)
		count += ((unsigned char)t.at[i] & 0xc0) != 0x80;
	return count;
}

struct text utf8_cut(struct text t, size_t max)
{
	if (t.len <= max)
		return t;
	while (max && ((unsigned char)t.at[max] & 0xc0) == 0x80)
		max--;
	return (struct text){t.at, max};
}

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

/* --- whole texts ----------------------------------------------------------------- */

static inline bool follows(uint8_t c)
{
	return (c & 0xC0) == 0x80;
}

/* The length of the character of several bytes that begins here; 0 when it is none.  The
 * same rules as lead() has, all bytes of a character at once. */
static inline size_t length_beyond_ascii(const uint8_t *at, size_t left)
{
	if (at[0] < 0xE0)
		return left >= 2 && at[0] >= 0xC2 && follows(at[1]) ? 2 : 0;
	if (at[0] < 0xF0)
		return left >= 3 && follows(at[1]) && follows(at[2]) &&
		                       (at[0] != 0xE0 || at[1] >= 0xA0) &&
		                       (at[0] != 0xED || at[1] < 0xA0)
		               ? 3
		               : 0;
	return left >= 4 && at[0] <= 0xF4 && follows(at[1]) && follows(at[2]) && follows(at[3]) &&
	                       (at[0] != 0xF0 || at[1] >= 0x90) && (at[0] != 0xF4 || at[1] < 0x90)
	               ? 4
	               : 0;
}

/* What is wrong at each of sixteen bytes: nothing where it is 0.  The three bytes before them
 * are looked at, too.  All at once and without a branch: in text that is not English ASCII and
 * others take turns as no processor can guess. */
typedef uint8_t utf8_block __attribute__((vector_size(16)));

static inline utf8_block faults_at(const char *at)
{
	utf8_block here, before, before2, before3, follows_here, must_follow, bad, from_a0, from_90;

	memcpy(&here, at, 16);
	memcpy(&before, at - 1, 16);
	memcpy(&before2, at - 2, 16);
	memcpy(&before3, at - 3, 16);
	follows_here = (utf8_block)((here & 0xC0) == 0x80);
	must_follow = (utf8_block)((before >= 0xC0) | (before2 >= 0xE0) | (before3 >= 0xF0));
	from_a0 = (utf8_block)(here >= 0xA0);
	from_90 = (utf8_block)(here >= 0x90);
	bad = (utf8_block)(((here & 0xFE) == 0xC0) | (here >= 0xF5));
	bad |= (from_a0 & (utf8_block)(before == 0xED)) | (~from_a0 & (utf8_block)(before == 0xE0));
	bad |= (from_90 & (utf8_block)(before == 0xF4)) | (~from_90 & (utf8_block)(before == 0xF0));
	return (follows_here ^ must_follow) | bad;
}

static inline bool any_set(utf8_block block)
{
	uint64_t words[2];

	memcpy(words, &block, 16);
	return (words[0] | words[1]) != 0;
}

static inline bool is_ascii_block(const char *at)
{
	uint64_t words[2];

	memcpy(words, at, 16);
	return ((words[0] | words[1]) & 0x8080808080808080u) == 0;
}

static bool is_valid_by_character(struct text t)
{
	size_t n = 1;

	for (; t.len && n; t = (struct text){t.at + n, t.len - n})
		n = utf8_length(t);
	return n != 0;
}

static bool is_cut(const char *end)
{
	return (uint8_t)end[-1] >= 0xC0 || (uint8_t)end[-2] >= 0xE0 || (uint8_t)end[-3] >= 0xF0;
}

bool utf8_is_valid(struct text t)
{
	utf8_block faults = {0};
	size_t i = 0, n;

	while (t.len - i >= 16 && is_ascii_block(t.at + i))
		i += 16;
	if (t.len < 16 + 3)
		return is_valid_by_character((struct text){i ? t.at + i : t.at, t.len - i});
	for (; i < 3; i += n) /* what stands before a block is looked at with it */
		if (!(n = utf8_length((struct text){t.at + i, t.len - i})))
			return false;
	for (; t.len - i >= 16; i += 16)
		faults |= faults_at(t.at + i);
	faults |= faults_at(t.at + t.len - 16); /* it overlaps the one before */
	return !any_set(faults) && !is_cut(t.at + t.len);
}

size_t utf8_length(struct text t)
{
	if (t.len == 0)
		return 0;
	return (uint8_t)t.at[0] < 0x80 ? 1 : length_beyond_ascii((const uint8_t *)t.at, t.len);
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

/* grapheme.c - a table for most places, PCRE2 for the rest. */
#include "base/grapheme.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/must.h"
#include "base/utf8.h"

#define JOINER 0x200D

struct point_range {
	uint32_t first, last;
};

/* Without marks, joiners, modifiers, regional indicators, Hangul and what precedes a letter. */
static const struct point_range plain[] = {
	{0x0000, 0x02FF},   {0x0370, 0x0482},   {0x048A, 0x0590},   {0x05D0, 0x05FF},
	{0x0620, 0x064A},   {0x1E00, 0x200B},   {0x2010, 0x20CF},   {0x2100, 0x2CEE},
	{0x3000, 0x3029},   {0x3030, 0x3098},   {0x309B, 0xA66E},   {0x1F000, 0x1F1E5},
	{0x1F200, 0x1F3FA}, {0x1F400, 0x1FFFF}, {0x20000, 0x3FFFF},
};

/* What belongs to the character behind it, and what is no character. */
static const struct point_range preceding[] = {
	{0x0600, 0x0605},   {0x06DD, 0x06DD},   {0x070F, 0x070F},   {0x0890, 0x0891},
	{0x08E2, 0x08E2},   {0x0D4E, 0x0D4E},   {0x110BD, 0x110CD}, {0x111C2, 0x111C3},
	{0x1193F, 0x11941}, {0x11A3A, 0x11A89}, {0x11D46, 0x11F02}, {UINT32_MAX, UINT32_MAX},
};

#define IS_AMONG(ranges, c) is_in_ranges(ranges, sizeof(ranges) / sizeof(*(ranges)), c)

static bool is_in_ranges(const struct point_range *ranges, size_t count, uint32_t c)
{
	for (size_t i = 0; i < count && c >= ranges[i].first; i++)
		if (c <= ranges[i].last)
			return true;
	return false;
}

bool grapheme_is_plain(uint32_t c)
{
	return IS_AMONG(plain, c);
}

static bool continues(struct text t, size_t at)
{
	return at < t.len && ((uint8_t)t.at[at] & 0xC0) == 0x80;
}

static size_t start_of(struct text t, size_t at)
{
	for (unsigned i = 0; i < 3 && at > 0 && continues(t, at); i++)
		at--;
	return at;
}

/* The code point that begins here; one that is not plain where there is none. */
static uint32_t point_at(struct text t, size_t at)
{
	struct text rest = {t.at + at, t.len - at};
	size_t n = utf8_length(rest);

	return n ? utf8_decode((struct text){rest.at, n}) : UINT32_MAX;
}

/* May it be parted here?  Yes for sure, or perhaps.  Before a plain character only a joiner and
 * what precedes a letter forbid it. */
static bool parts_surely(struct text t, size_t at)
{
	uint32_t before;

	if (at == 0 || at >= t.len)
		return true;
	if ((uint8_t)t.at[at] < 0x80 && (uint8_t)t.at[at - 1] < 0x80)
		return t.at[at] != '\n' || t.at[at - 1] != '\r';
	before = point_at(t, start_of(t, at - 1));
	return before != JOINER && !IS_AMONG(preceding, before) &&
	       grapheme_is_plain(point_at(t, at));
}

/* Walks over whole clusters from the start of t; returns the last end that is not behind `at`. */
static size_t walk(struct text t, size_t at)
{
	int problem;
	size_t where, here = 0;
	pcre2_code *code = pcre2_compile((PCRE2_SPTR) "\\X", PCRE2_ZERO_TERMINATED,
	                                 PCRE2_UTF | PCRE2_ANCHORED, &problem, &where, NULL);
	pcre2_match_data *found = code ? pcre2_match_data_create(1, NULL) : NULL;

	if (!found)
		must_give_up("memory for clusters");
	while (here < at && pcre2_match(code, (PCRE2_SPTR)t.at, t.len, here, PCRE2_NO_UTF_CHECK,
	                                found, NULL) >= 0) {
		size_t end = pcre2_get_ovector_pointer(found)[1];

		if (end > at || end == here)
			break;
		here = end;
	}
	pcre2_match_data_free(found);
	pcre2_code_free(code);
	return here;
}

size_t grapheme_before(struct text t, size_t at)
{
	size_t from, n;
	struct text near;

	if (at >= t.len)
		return t.len;
	at = start_of(t, at);
	if (parts_surely(t, at))
		return at;
	from = start_of(t, at - 1);
	while (from > 0 && at - from < GRAPHEME_REACH && !parts_surely(t, from))
		from = start_of(t, from - 1);
	n = utf8_length((struct text){t.at + at, t.len - at});
	near = (struct text){t.at + from, at + n - from};
	if (n == 0 || !utf8_is_valid(near))
		return at;
	return from + walk(near, at - from);
}

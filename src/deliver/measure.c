/* measure.c - lengths as channels count them, and what the configuration wants of pieces. */
#include "deliver/chunk.h"

/* Bytes are counted in short runs, so that the compiler can count many at once. */
enum { RUN = 255, STRIDE = 64 };

static size_t count_leads(const char *at, size_t n)
{
	size_t leads = 0;

	for (size_t i = 0; i < n; i += RUN) {
		size_t end = n - i < RUN ? n : i + RUN;
		uint8_t some = 0;

		for (size_t j = i; j < end; j++)
			some += (int8_t)at[j] >= -64;
		leads += some;
	}
	return leads;
}

static size_t count_pairs(const char *at, size_t n)
{
	size_t pairs = 0;

	for (size_t i = 0; i < n; i += RUN) {
		size_t end = n - i < RUN ? n : i + RUN;
		uint8_t some = 0;

		for (size_t j = i; j < end; j++)
			some += (uint8_t)at[j] >= 0xF0;
		pairs += some;
	}
	return pairs;
}

size_t chunk_length(enum chunk_unit unit, struct text t)
{
	if (unit == CHUNK_BYTES || t.len == 0)
		return t.len;
	return count_leads(t.at, t.len) + (unit == CHUNK_UTF16 ? count_pairs(t.at, t.len) : 0);
}

static size_t reach_in_bytes(struct text t, size_t length)
{
	if (length >= t.len)
		return t.len;
	for (unsigned i = 0; i < 3 && length > 0 && ((uint8_t)t.at[length] & 0xC0) == 0x80; i++)
		length--;
	return length;
}

size_t chunk_reach(enum chunk_unit unit, struct text t, size_t length)
{
	size_t at = 0;

	if (unit == CHUNK_BYTES)
		return reach_in_bytes(t, length);
	/* No character has more units than bytes. */
	while (length >= STRIDE && t.len - at >= STRIDE) {
		length -= chunk_length(unit, (struct text){t.at + at, STRIDE});
		at += STRIDE;
	}
	for (; at < t.len; at++) {
		size_t n = chunk_length(unit, (struct text){t.at + at, 1});

		if (n > length)
			break;
		length -= n;
	}
	return at;
}

/* --- the configuration ------------------------------------------------------------------ */

static void prefer(struct chunk_wish *wish, const struct chunk_wish *over)
{
	if (!over)
		return;
	if (over->min_chars)
		wish->min_chars = over->min_chars;
	if (over->max_chars)
		wish->max_chars = over->max_chars;
	if (over->break_preference)
		wish->break_preference = over->break_preference;
	if (over->flush_on_paragraph)
		wish->flush_on_paragraph = over->flush_on_paragraph;
}

static size_t clamp(size_t n, size_t least, size_t most)
{
	return n < least ? least : n > most ? most : n;
}

void chunk_resolve(struct chunk_options *options, const struct chunk_limit *limit,
                   const struct chunk_wish *general, const struct chunk_wish *channel,
                   const struct chunk_wish *account)
{
	struct chunk_wish wish = {CHUNK_MIN_CHARS, CHUNK_MAX_CHARS, CHUNK_PARAGRAPH, CHUNK_OFF};
	size_t most = clamp(limit->max, CHUNK_LEAST_CHARS, SIZE_MAX);

	prefer(&wish, general);
	prefer(&wish, channel);
	prefer(&wish, account);
	if (wish.max_chars < wish.min_chars)
		wish.max_chars = wish.min_chars;
	/* Between both is where a good place for a cut is looked for. */
	if (wish.max_chars > most)
		wish.min_chars = wish.min_chars * most / wish.max_chars;
	*options = (struct chunk_options){
		.unit = limit->unit,
		.max_chars = clamp(wish.max_chars, CHUNK_LEAST_CHARS, most),
		.max_lines = limit->lines ? clamp(limit->lines, CHUNK_LEAST_LINES, SIZE_MAX) : 0,
		.break_preference = wish.break_preference,
		.paragraph_from = wish.flush_on_paragraph == CHUNK_ON ? 1 : 0,
	};
	options->min_chars = clamp(wish.min_chars, 1, options->max_chars);
}

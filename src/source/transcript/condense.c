/* condense.c - one pass over the bytes, with what must be known of those before. */
#include "source/transcript/condense.h"

#include <xxhash.h>

#include "base/scan.h"

void condense_init(struct condense *c, const struct condense_limits *limits)
{
	*c = (struct condense){.limits = limits};
	buf_init(&c->out, limits->most);
}

void condense_finish(struct condense *c)
{
	buf_finish(&c->out);
	condense_init(c, c->limits);
}

void condense_clear(struct condense *c)
{
	struct buf out = c->out;

	buf_clear(&out);
	out.full = false;
	*c = (struct condense){.limits = c->limits, .out = out};
}

static void keep(struct condense *c, const char *at, size_t n)
{
	if (!buf_add(&c->out, (struct text){at, n}))
		c->is_bad = true;
}

static void keep_or_drop(struct condense *c, const char *at, size_t n)
{
	if (c->empty || c->is_cut)
		c->dropped += n;
	else
		keep(c, at, n);
}

/* --- in a string ---------------------------------------------------------------------- */

static bool continues_character(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

/* No quote, backslash or control character is among them. */
static void take_plain(struct condense *c, const char *at, size_t n)
{
	size_t room = c->max > c->string ? c->max - c->string : 0, kept = n;

	if (n == 0)
		return;
	if (!c->is_cut && n > room)
		for (kept = room; kept < n && continues_character(at[kept]);)
			kept++;
	keep_or_drop(c, at, kept);
	c->string += kept;
	c->was_unit = false;
	if (kept < n) {
		c->is_cut = true;
		c->dropped += n - kept;
	}
}

/* A pair of escapes is one character: it is not cut between them. */
static void begin_escape(struct condense *c, const char *at)
{
	if (c->string >= c->max && !c->was_unit)
		c->is_cut = true;
	keep_or_drop(c, at, 1);
	c->string++;
	c->is_escaped = true;
}

static void take_escaped(struct condense *c, const char *at)
{
	keep_or_drop(c, at, 1);
	c->string++;
	if (c->hex) {
		c->hex--;
		c->was_unit = c->hex ? c->was_unit : !c->was_unit;
	} else {
		c->is_escaped = false;
		if (*at == 'u')
			c->hex = 4;
		else
			c->was_unit = false;
	}
}

static const char *take_string(struct condense *c, const char *at, const char *end)
{
	const char *stop;

	if (c->is_escaped || c->hex) {
		take_escaped(c, at);
		return at + 1;
	}
	stop = scan_stop(at, end);
	take_plain(c, at, (size_t)(stop - at));
	if (stop == end)
		return end;
	if (*stop == '\\') {
		begin_escape(c, stop);
		return stop + 1;
	}
	if (*stop == '"')
		c->is_in_string = c->is_cut = false;
	keep_or_drop(c, stop, 1);
	return stop + 1;
}

/* --- around strings ------------------------------------------------------------------- */

static void begin_string(struct condense *c)
{
	bool is_much = c->out.len > c->limits->much;

	c->is_in_string = true;
	c->was_unit = false;
	c->string = 0;
	c->max = c->limits->string;
	if (is_much)
		c->max = c->depth > CONDENSE_DEEP ? 1 : c->limits->then;
}

static void take_bracket(struct condense *c, char bracket)
{
	if (bracket == '{' || bracket == '[') {
		keep_or_drop(c, &bracket, 1);
		c->depth++;
		if (!c->empty && c->depth > CONDENSE_DEEP && c->out.len > c->limits->much)
			c->empty = c->depth;
		return;
	}
	if (c->empty == c->depth)
		c->empty = 0;
	if (c->depth)
		c->depth--;
	keep_or_drop(c, &bracket, 1);
}

static const char *take_plain_json(struct condense *c, const char *at, const char *end)
{
	const char *from = at;

	while (at < end && *at != '"' && *at != '{' && *at != '[' && *at != '}' && *at != ']')
		at++;
	if (at > from)
		keep_or_drop(c, from, (size_t)(at - from));
	if (at == end)
		return end;
	if (*at == '"') {
		begin_string(c);
		keep_or_drop(c, at, 1);
	} else {
		take_bracket(c, *at);
	}
	return at + 1;
}

void condense_add(struct condense *c, struct text piece)
{
	const char *at = piece.at, *end = piece.len ? at + piece.len : at;

	while (at < end && !c->is_bad)
		at = c->is_in_string ? take_string(c, at, end) : take_plain_json(c, at, end);
}

uint64_t condense_hash(const struct condense *c)
{
	return XXH3_64bits_withSeed(c->out.len ? c->out.at : "", c->out.len, c->dropped);
}

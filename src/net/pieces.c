/* pieces.c - bytes to lines. */
#include "net/pieces.h"

#include <assert.h>

void pieces_init(struct pieces *pieces, size_t line_max, size_t read_max)
{
	*pieces = (struct pieces){.line_max = line_max};
	buf_init(&pieces->held, line_max + 1 + read_max);
}

void pieces_finish(struct pieces *pieces)
{
	buf_finish(&pieces->held);
}

struct text pieces_rest(const struct pieces *pieces)
{
	return buf_text(&pieces->held);
}

void pieces_keep(struct pieces *pieces, struct text rest)
{
	assert(rest.len <= pieces->held.len);
	buf_drop(&pieces->held, pieces->held.len - rest.len);
}

static struct text pieces_take_first(struct text *rest, size_t n)
{
	struct text first = {rest->at, n};

	assert(n <= rest->len);
	rest->at += n;
	rest->len -= n;
	return first;
}

static bool pieces_take_line(struct pieces *pieces, struct text *rest, struct piece *piece)
{
	const char *end = memchr(rest->at, '\n', rest->len);
	size_t len = end ? (size_t)(end - rest->at) : rest->len;
	bool has_return = len && rest->at[len - 1] == '\r'; /* and perhaps it belongs to the end */
	struct text line;

	if (!end && !pieces->is_over && len - has_return <= pieces->line_max)
		return false;
	line = pieces_take_first(rest, end ? len + 1 : len);
	line.len = end ? len - has_return : len;
	pieces->skips = !end;
	piece->is_cut = line.len > pieces->line_max;
	piece->bytes = pieces_take_first(&line, piece->is_cut ? pieces->line_max : line.len);
	assert(piece->bytes.len <= pieces->line_max);
	return true;
}

static void skip_cut_line(struct pieces *pieces, struct text *rest)
{
	const char *end = memchr(rest->at, '\n', rest->len);

	pieces_take_first(rest, end ? (size_t)(end - rest->at) + 1 : rest->len);
	pieces->skips = !end;
}

bool pieces_take(struct pieces *pieces, struct text *rest, struct piece *piece)
{
	if (rest->len && pieces->skips)
		skip_cut_line(pieces, rest);
	if (!rest->len)
		return false;
	if (pieces->line_max)
		return pieces_take_line(pieces, rest, piece);
	*piece = (struct piece){.bytes = pieces_take_first(rest, rest->len)};
	return true;
}

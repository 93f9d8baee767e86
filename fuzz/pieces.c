/* pieces.c - hostile output of a program: however it comes, the same lines are made of it, none
 * is longer than it may be, and no more is held than was promised. */
#include "net/pieces.h"

#include <stdlib.h>

enum { READ_MAX = 64, LINE_MAX_MOST = 32 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void take_all(struct pieces *pieces, struct buf *told)
{
	struct text rest = pieces_rest(pieces);
	struct piece piece;

	while (pieces_take(pieces, &rest, &piece)) {
		must(piece.bytes.len <= pieces->line_max);
		must(!memchr(piece.bytes.at, '\n', piece.bytes.len));
		buf_add(told, piece.bytes);
		buf_add_char(told, piece.is_cut ? '\0' : '\n');
	}
	pieces_keep(pieces, rest);
	must(pieces->held.len <= pieces->line_max + 1);
}

static void tell(struct text said, size_t line_max, size_t step, struct buf *told)
{
	struct pieces pieces;

	buf_init(told, 2 * said.len + 1);
	pieces_init(&pieces, line_max, READ_MAX);
	do {
		size_t n = said.len < step ? said.len : step;

		must(buf_add(&pieces.held, (struct text){said.at, n}));
		said = (struct text){said.at + n, said.len - n};
		pieces.is_over = said.len == 0;
		take_all(&pieces, told);
	} while (!pieces.is_over);
	must(pieces.held.len == 0);
	pieces_finish(&pieces);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf at_once, by_bytes;
	struct text said;
	size_t line_max;

	if (size < 2)
		return 0;
	line_max = data[0] % LINE_MAX_MOST + 1;
	said = (struct text){(const char *)data + 2, size - 2};
	tell(said, line_max, data[1] % READ_MAX + 1, &at_once);
	tell(said, line_max, 1, &by_bytes);
	must(text_equal(buf_text(&at_once), buf_text(&by_bytes)));
	buf_finish(&at_once);
	buf_finish(&by_bytes);
	return 0;
}

/* pieces_test.c - lines out of bytes, however these come. */
#include "net/pieces.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define READ_MAX 16

/* What is said comes so many bytes at a time; each piece ends with a '|', or a '~' when it was
 * cut. */
static void assert_pieces(size_t line_max, const char *said, const char *wanted)
{
	for (size_t step = 1; step <= READ_MAX; step++) {
		struct pieces pieces;
		struct text left = text_of(said), rest;
		struct piece piece;
		struct buf told;

		buf_init(&told, KIB);
		pieces_init(&pieces, line_max, READ_MAX);
		while (!pieces.is_over) {
			size_t n = left.len < step ? left.len : step;

			assert_true(buf_add(&pieces.held, (struct text){left.at, n}));
			left = (struct text){left.at + n, left.len - n};
			pieces.is_over = left.len == 0;
			rest = pieces_rest(&pieces);
			while (pieces_take(&pieces, &rest, &piece)) {
				buf_add(&told, piece.bytes);
				buf_add_char(&told, piece.is_cut ? '~' : '|');
			}
			pieces_keep(&pieces, rest);
		}
		assert_int_equal(pieces.held.len, 0);
		buf_add_char(&told, '\0');
		assert_string_equal(told.at, wanted);
		buf_finish(&told);
		pieces_finish(&pieces);
	}
}

static void lines_are_whole_however_they_come(void **state)
{
	assert_pieces(8, "one\ntwo\r\n\n\r\nend", "one|two|||end|");
	assert_pieces(8, "\rone\r\r\nt\rwo\n", "\rone\r|t\rwo|");
	assert_pieces(8, "", "");
}

static void a_line_that_is_too_long_is_cut(void **state)
{
	assert_pieces(4, "1234\n", "1234|");
	assert_pieces(4, "1234\r\n1234\rx\n", "1234|1234~");
	assert_pieces(4, "12345\nok\n", "1234~ok|");
	assert_pieces(4, "1234567890123456789012345\nok\n12345", "1234~ok|1234~");
	assert_pieces(4, "12345\n12345\n\n", "1234~1234~|");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_whole_however_they_come),
		cmocka_unit_test(a_line_that_is_too_long_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

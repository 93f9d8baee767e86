/* qr_test.c - the characters have the same squares as the code. */
#include "cli/qr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <qrencode.h>

#define QUIET 4
#define SIDE_MAX 200
#define URL \
	"https://192.168.1.5:7447/" \
	"#t=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static bool squares[SIDE_MAX][SIDE_MAX];
static int columns, rows;

static const char *skip_paint(const char *at)
{
	while (*at == '\033')
		at = strchr(at, 'm') + 1;
	return at;
}

/* What is drawn, square by square. */
static void read_squares(const char *at, bool drawn)
{
	static const char *const blocks[] = {" ", "▄", "▀", "█"};

	memset(squares, 0, sizeof(squares));
	rows = columns = 0;
	for (int x = 0; *(at = skip_paint(at)); x++) {
		size_t which = 0;

		if (*at == '\n') {
			columns = x;
			rows += 2;
			x = -1;
			at++;
			continue;
		}
		while (which < 4 && strncmp(at, blocks[which], strlen(blocks[which])) != 0)
			which++;
		assert_in_range(which, 0, 3);
		squares[rows][x] = (which & 2 ? drawn : !drawn);
		squares[rows + 1][x] = (which & 1 ? drawn : !drawn);
		at += strlen(blocks[which]);
	}
}

static void compare(bool colored)
{
	QRcode *code = QRcode_encodeString8bit(URL, 0, QR_ECLEVEL_L);
	struct out out;
	bool drawn;

	assert_non_null(code);
	out_init(&out, STDOUT_FILENO);
	out.colored = colored;
	drawn = qr_draw(&out, URL);
	assert_true(drawn);
	buf_add_char(&out.bytes, '\0');
	read_squares(out.bytes.at, colored);
	assert_int_equal(columns, code->width + 2 * QUIET);
	assert_true(columns <= 80 && rows / 2 <= 24);
	for (int y = 0; y < columns; y++)
		for (int x = 0; x < columns; x++) {
			int at_x = x - QUIET, at_y = y - QUIET;
			bool inside =
				at_x >= 0 && at_y >= 0 && at_x < code->width && at_y < code->width;

			assert_int_equal(squares[y][x],
			                 inside && code->data[at_y * code->width + at_x] & 1);
		}
	out.bytes.len = 0;
	out_finish(&out, 0);
	QRcode_free(code);
}

static void black_on_white(void **state)
{
	compare(true);
}

static void light_on_dark_without_colours(void **state)
{
	compare(false);
}

static bool shown(const char *variable)
{
	const char *env[] = {variable, NULL};
	struct command_context context = {.env = env};

	return qr_can_be_shown(&context);
}

static void only_where_there_are_such_characters(void **state)
{
	assert_true(shown("LANG=en_GB.UTF-8"));
	assert_true(shown("LC_ALL=C.utf8"));
	assert_false(shown("LANG=C"));
	assert_false(shown("TERM=xterm"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(black_on_white),
		cmocka_unit_test(light_on_dark_without_colours),
		cmocka_unit_test(only_where_there_are_such_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* backdrop_test.c - what terminals answer, and what people type meanwhile. */
#include "tui/backdrop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct backdrop_heard heard;
static struct buf typed;

static bool answered(const char *said)
{
	return backdrop_read(text_of(said), &heard, &typed);
}

static void assert_typed(const char *wanted)
{
	assert_int_equal(typed.len, strlen(wanted));
	assert_memory_equal(typed.at ? typed.at : "", wanted, typed.len);
}

#define KIND "\033[?1;2c"

static void a_terminal_that_knows_it_says_it(void **state)
{
	assert_true(answered("\033]11;rgb:ffff/ffff/ffff\033\\" KIND));
	assert_true(heard.is_known && heard.is_light);
	assert_true(answered("\033]11;rgb:1e1e/1e1e/1e1e\a" KIND));
	assert_true(heard.is_known && !heard.is_light);
	assert_typed("");
}

static void one_that_does_not_is_not_waited_for(void **state)
{
	assert_true(answered(KIND));
	assert_false(heard.is_known);
}

static void answers_come_in_pieces(void **state)
{
	static const char whole[] = "\033]11;rgb:ffff/ffff/ffff\033\\" KIND;

	for (size_t len = 0; len + 1 < sizeof(whole); len++)
		assert_false(backdrop_read((struct text){whole, len}, &heard, &typed));
}

static void keys_that_come_between_are_kept(void **state)
{
	assert_true(answered("q\033]11;rgb:0/0/0\aj" KIND "\033[A"));
	assert_typed("qj\033[A");
}

static void nonsense_is_no_colour(void **state)
{
	assert_true(answered("\033]11;pink\a" KIND));
	assert_false(heard.is_known);
}

static void who_decides_is_not_asked(void **state)
{
	assert_true(backdrop_is_light(TUI_LIGHT, &typed));
	assert_false(backdrop_is_light(TUI_DARK, &typed));
}

static int make(void **state)
{
	buf_init(&typed, BACKDROP_TYPED_MAX);
	return 0;
}

static int drop(void **state)
{
	buf_finish(&typed);
	return 0;
}

#define one(f) cmocka_unit_test_setup_teardown(f, make, drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		one(a_terminal_that_knows_it_says_it),
		one(one_that_does_not_is_not_waited_for),
		one(answers_come_in_pieces),
		one(keys_that_come_between_are_kept),
		one(nonsense_is_no_colour),
		one(who_decides_is_not_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

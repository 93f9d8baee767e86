/* switchboard_test.c - finding the tapes of a signal. */
#include "hub/switchboard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static struct reel reel;

static struct filter a_filter(const char *type, const char *source, const char *correlation)
{
	struct filter f;

	filter_init(&f);
	if (type)
		assert_true(filter_add_type(&f, text_of(type), NULL));
	if (source)
		assert_true(filter_add_source(&f, text_of(source), NULL));
	if (correlation)
		assert_true(filter_set_correlation(&f, text_of(correlation), NULL));
	return f;
}

static struct signal a_signal(const char *type, const char *source, const char *correlation)
{
	return (struct signal){
		.type = text_of(type),
		.source = text_of(source),
		.correlation = text_of(correlation),
	};
}

struct visits {
	unsigned count;
	struct tape *last;
};

static void visit(void *self, struct tape *tape)
{
	struct visits *v = self;

	v->count++;
	v->last = tape;
}

static struct visits route(struct switchboard *board, const char *type, const char *source,
                           const char *correlation)
{
	struct signal s = a_signal(type, source, correlation);
	struct visits v = {0};

	switchboard_route(board, &s, visit, &v);
	return v;
}

static struct tape *wish(struct switchboard *board, const char *type, const char *source,
                         const char *correlation)
{
	struct filter f = a_filter(type, source, correlation);

	return switchboard_tape(board, &reel, &f);
}

static void equal_wishes_share_a_tape(void **state)
{
	struct switchboard board;

	switchboard_init(&board);
	assert_ptr_equal(wish(&board, "a", NULL, NULL), wish(&board, "a", NULL, NULL));
	assert_ptr_equal(wish(&board, NULL, NULL, NULL), wish(&board, NULL, NULL, NULL));
	assert_ptr_not_equal(wish(&board, "a", NULL, NULL), wish(&board, NULL, "a", NULL));
	switchboard_finish(&board);
}

static void a_signal_finds_each_of_its_tapes_once(void **state)
{
	struct switchboard board;
	struct tape *by_run, *by_type;
	struct filter both = a_filter("a", NULL, NULL);

	switchboard_init(&board);
	by_run = wish(&board, NULL, NULL, "run-1");
	by_type = wish(&board, "thinking", NULL, NULL);
	wish(&board, "tool_*", NULL, NULL);
	wish(&board, "tool_*", "ada", NULL);
	assert_true(filter_add_type(&both, TEXT("b"), NULL));
	switchboard_tape(&board, &reel, &both);
	assert_int_equal(route(&board, "x", "s", "").count, 0);
	assert_ptr_equal(route(&board, "x", "s", "run-1").last, by_run);
	assert_ptr_equal(route(&board, "thinking", "s", "").last, by_type);
	assert_int_equal(route(&board, "thinking", "s", "run-1").count, 2);
	assert_int_equal(route(&board, "tool_call", "bela", "").count, 1);
	assert_int_equal(route(&board, "tool_call", "ada", "").count, 2);
	assert_int_equal(route(&board, "a", "s", "").count, 1);
	assert_int_equal(route(&board, "b", "s", "").count, 1);
	switchboard_finish(&board);
}

static void a_dropped_tape_is_found_no_more(void **state)
{
	struct switchboard board;
	struct tape *tape;

	switchboard_init(&board);
	tape = wish(&board, NULL, NULL, "run-1");
	wish(&board, "t", NULL, "run-1");
	switchboard_drop(&board, tape);
	assert_int_equal(route(&board, "x", "s", "run-1").count, 0);
	assert_int_equal(route(&board, "t", "s", "run-1").count, 1);
	switchboard_drop(&board, wish(&board, "p*", NULL, NULL));
	assert_int_equal(route(&board, "pp", "s", "").count, 0);
	switchboard_drop(&board, wish(&board, NULL, NULL, NULL));
	assert_null(board.all);
	switchboard_finish(&board);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_wishes_share_a_tape),
		cmocka_unit_test(a_signal_finds_each_of_its_tapes_once),
		cmocka_unit_test(a_dropped_tape_is_found_no_more),
	};
	int failed;

	reel_init(&reel, 4096, 64);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	reel_finish(&reel);
	return failed;
}

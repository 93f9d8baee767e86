/* run_place_test.c - a place is the same after it was written down. */
#include "source/run/run_place.h"

#include "source/fixture.h"

static void check_again(const struct run_place *place, const char *run)
{
	struct run_place again;
	struct text named;
	struct buf out;

	buf_init(&out, KIB);
	run_place_write(place, text_of(run), &out);
	assert_true(run_place_read(&again, buf_text(&out), &named));
	assert_memory_equal(&again, place, sizeof(again));
	assert_true(text_is(named, run));
	buf_finish(&out);
}

static void a_place_is_known_again(void **state)
{
	struct run_place place = {0};
	uint64_t seq = UINT64_MAX;

	run_place_event(&place, &seq, TEXT("one"));
	place.told = 3;
	run_place_other(&place, TEXT("phase"), TEXT("p"));
	run_place_other(&place, TEXT("control"), TEXT("c"));
	check_again(&place, ":session/one and more");
	check_again(&place, "");
	run_place_event(&place, NULL, TEXT("two"));
	assert_int_equal(place.told, 0);
	check_again(&place, "x");
}

static void only_what_was_shown_last_is_known(void **state)
{
	struct run_place place = {0};

	assert_false(run_place_has(&place, TEXT("debug"), TEXT("a")));
	run_place_other(&place, TEXT("debug"), TEXT("a"));
	run_place_other(&place, TEXT("debug"), TEXT("b"));
	assert_false(run_place_has(&place, TEXT("debug"), TEXT("a")));
	assert_true(run_place_has(&place, TEXT("debug"), TEXT("b")));
	assert_false(run_place_has(&place, TEXT("phase"), TEXT("b")));
	for (const char *c = "12345"; *c; c++)
		run_place_other(&place, TEXT("control"), (struct text){c, 1});
	assert_false(run_place_has(&place, TEXT("control"), TEXT("1")));
	assert_true(run_place_has(&place, TEXT("control"), TEXT("2")));
	assert_true(run_place_has(&place, TEXT("control"), TEXT("5")));
}

static void what_is_no_place_is_refused(void **state)
{
	static const char *const bad[] = {
		"",    "7",   "x 1 2 3 4 5 6 7 8 run", "1 1 4294967296 3 4 5 6 7 8 run",
		"- -", "1 1", "1 1 2 3 4 5 6 7",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct run_place place;
		struct text run;

		assert_false(run_place_read(&place, text_of(bad[i]), &run));
		assert_false(place.is_known);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_place_is_known_again),
		cmocka_unit_test(only_what_was_shown_last_is_known),
		cmocka_unit_test(what_is_no_place_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* burst_test.c - texts that come quickly, with a clock of the test's own. */
#include "deliver/burst.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "deliver/wrote.h"

#define PAUSE_MS 300

static void a_pause_ends_it(void **state)
{
	struct burst b;

	burst_begin(&b, 5, PAUSE_MS, 1000);
	assert_int_equal(b.until_ms, 1300);
	assert_true(burst_takes(&b, 5, 1250));
	burst_add(&b, 5, PAUSE_MS, 1250);
	assert_int_equal(b.until_ms, 1550);
}

static void who_does_not_stop_writing_is_answered_all_the_same(void **state)
{
	struct burst b;
	int64_t now_ms = 1000;

	burst_begin(&b, 5, PAUSE_MS, now_ms);
	for (; burst_takes(&b, 5, now_ms + 250); burst_add(&b, 5, PAUSE_MS, now_ms)) {
		now_ms += 250;
		assert_true(now_ms < 1000 + BURST_MOST_MS);
	}
	assert_int_equal(now_ms, 1000 + BURST_MOST_MS - 250);
	assert_int_equal(b.until_ms, 0); /* the next is another question */
}

static void the_last_pause_is_cut(void **state)
{
	struct burst b;

	burst_begin(&b, 5, PAUSE_MS, 1000);
	burst_add(&b, 5, PAUSE_MS, 3900);
	assert_int_equal(b.until_ms, 1000 + BURST_MOST_MS);
}

static void a_pause_that_is_wished_longer_is_kept(void **state)
{
	struct burst b;

	burst_begin(&b, 5, 10000, 1000);
	assert_int_equal(b.until_ms, 11000);
	assert_true(burst_takes(&b, 5, 10999));
	burst_add(&b, 5, 10000, 10999);
	assert_int_equal(b.until_ms, 11000);
	assert_false(burst_takes(&b, 5, 11000));
}

static void it_is_no_longer_than_a_message(void **state)
{
	struct burst b;

	burst_begin(&b, CHANNEL_TEXT_MAX - 11, PAUSE_MS, 1000);
	assert_true(burst_takes(&b, 10, 1001));
	burst_add(&b, 10, PAUSE_MS, 1001);
	assert_false(burst_takes(&b, 1, 1002));
	/* What came behind the one that was too long does not get in before it. */
	assert_false(burst_takes(&b, 0, 1003));
}

static void what_has_ended_takes_nothing(void **state)
{
	struct burst b = {0};

	assert_false(burst_takes(&b, 1, 0));
	burst_begin(&b, 1, PAUSE_MS, 1000);
	burst_end(&b);
	assert_false(burst_takes(&b, 1, 1001));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pause_ends_it),
		cmocka_unit_test(who_does_not_stop_writing_is_answered_all_the_same),
		cmocka_unit_test(the_last_pause_is_cut),
		cmocka_unit_test(a_pause_that_is_wished_longer_is_kept),
		cmocka_unit_test(it_is_no_longer_than_a_message),
		cmocka_unit_test(what_has_ended_takes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

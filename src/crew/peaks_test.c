/* peaks_test.c - the most at work at one moment of each hour. */
#include "crew/peaks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define HOUR 3600e3
#define START (1000 * HOUR)

static struct peaks p;

static int clear(void **state)
{
	(void)state;
	peaks_finish(&p);
	return 0;
}

static void note(double at, int change)
{
	peaks_note(&p, START + at, change);
}

/* Hours are counted from START. */
static void assert_peaks(const char *wanted)
{
	struct buf out;

	buf_init(&out, 64 * KIB);
	for (size_t i = 0; i < peaks_told(&p); i++)
		buf_print(&out, "%u:%u ", p.all[i].hour - 1000, p.all[i].most);
	buf_add_char(&out, '\0');
	assert_string_equal(out.at, wanted);
	buf_finish(&out);
}

static void those_at_one_moment_count_and_not_those_of_an_hour(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++) { /* one after the other */
		note(i * 600e3, 1);
		note(i * 600e3 + 300e3, -1);
	}
	assert_peaks("0:1 ");
	note(HOUR, 1);
	note(HOUR + 1, 1);
	note(HOUR + 2, 1);
	note(HOUR + 3, -1);
	note(HOUR + 4, 1);
	assert_peaks("0:1 1:3 ");
	assert_int_equal(p.at_work, 3);
}

static void who_works_in_silence_is_at_work(void **state)
{
	(void)state;
	note(0, 1);
	note(1, 1);
	note(3 * HOUR, -1);
	assert_peaks("0:2 1:2 2:2 3:2 ");
	note(4 * HOUR, 0);
	assert_peaks("0:2 1:2 2:2 3:2 4:1 ");
	note(4 * HOUR, -1);
	note(6 * HOUR, 0);
	assert_peaks("0:2 1:2 2:2 3:2 4:1 ");
	note(7 * HOUR, 1);
	note((8 + PEAKS_SILENT_HOURS) * HOUR, 0); /* nobody knows what was between */
	assert_peaks("0:2 1:2 2:2 3:2 4:1 7:1 20:1 ");
}

static void what_is_told_late_changes_no_hour_that_is_past(void **state)
{
	(void)state;
	note(10 * HOUR, 1);
	note(2 * HOUR, 1);
	assert_peaks("10:1 ");
	note(10 * HOUR - 60e3, 0); /* a little late */
	assert_peaks("9:2 10:1 ");
	note(10 * HOUR + 1, 0);
	assert_peaks("9:2 10:2 ");
	peaks_note(&p, 0, -1);
	peaks_note(&p, -5, 0);
	peaks_note(&p, 1e300, 0);
	assert_peaks("9:2 10:2 ");
	assert_int_equal(p.at_work, 1);
}

static void a_clock_that_was_wrong_is_not_believed_for_ever(void **state)
{
	(void)state;
	note(0, 1);
	for (int i = 0; i < PEAKS_MAX - 1; i++)
		note((500000 + i) * HOUR, 0);
	peaks_cut(&p, START + HOUR);
	note(HOUR, 1);
	note(2 * HOUR, 0);
	assert_peaks("0:1 1:2 2:2 ");
	assert_int_equal(p.count, PEAKS_MAX);
}

/* Files of agents tell of the past. */
static void an_old_moment_spoils_nothing(void **state)
{
	static const double ages[] = {10 * 60e3, 2 * HOUR, 32 * 24 * HOUR, 400 * 24 * HOUR,
	                              20000 * HOUR};
	const double now = 21000 * HOUR;

	(void)state;
	note(now - 2 * HOUR, 1);
	note(now - HOUR, 1);
	note(now, -1);
	for (size_t i = 0; i < sizeof(ages) / sizeof(*ages); i++) {
		note(now - ages[i], 1);
		note(now - ages[i] + 60e3, 0);
		note(now - ages[i] + 120e3, -1);
		assert_peaks("20998:1 20999:2 21000:2 ");
		assert_true(p.newest_ms == START + now);
	}
	note(now + HOUR, 1);
	assert_peaks("20998:1 20999:2 21000:2 21001:2 ");
}

static void what_lies_ahead_is_not_told(void **state)
{
	(void)state;
	note(0, 1);
	note(20 * 24 * HOUR, 1);
	peaks_cut(&p, START + 2 * HOUR);
	assert_peaks("0:1 ");
	note(2 * HOUR, 1);
	assert_peaks("0:1 2:3 ");
	peaks_cut(&p, START + 3 * HOUR);
	assert_peaks("0:1 2:3 ");
}

static void a_clock_that_is_behind_for_a_while_deletes_nothing(void **state)
{
	(void)state;
	note(0, 1);
	note(HOUR, 1);
	note(24 * HOUR, 1);
	peaks_cut(&p, 60e3); /* in 1970 */
	peaks_note(&p, 60e3, -1);
	assert_int_equal(peaks_told(&p), 1);
	peaks_cut(&p, START + HOUR); /* a day behind */
	note(HOUR, -1);
	note(25 * HOUR, 0);
	assert_int_equal(p.all[0].hour, 0);
	assert_int_equal(p.all[0].most, 2);
	memmove(p.all, p.all + 1, --p.count * sizeof(*p.all));
	assert_peaks("0:1 1:2 24:3 25:1 ");
}

static void the_newest_hours_are_kept(void **state)
{
	(void)state;
	for (int i = 0; i < PEAKS_MAX + 10; i++)
		note(i * HOUR, i == 0 ? 1 : 0);
	assert_int_equal(p.count, PEAKS_MAX);
	assert_int_equal(p.all[0].hour, 1010);
	assert_int_equal(p.all[PEAKS_MAX - 1].hour, 1000 + PEAKS_MAX + 9);
}

static void load(const char *json)
{
	yyjson_doc *doc = yyjson_read(json, strlen(json), 0);

	peaks_finish(&p);
	peaks_load(&p, yyjson_doc_get_root(doc));
	yyjson_doc_free(doc);
}

static void it_is_saved_and_what_is_no_such_state_is_not_loaded(void **state)
{
	static const char *const wrong[] = {
		"7",
		"{}",
		"{\"newest\":-1,\"hours\":[1,1]}",
		"{\"newest\":5,\"hours\":[1]}",
		"{\"newest\":5,\"hours\":[2,1,1,1]}",
		"{\"newest\":5,\"hours\":[1,1,1,1]}",
		"{\"newest\":5,\"hours\":[1,-1]}",
		"{\"newest\":5,\"hours\":[99999999999,1]}",
	};
	struct buf out;

	(void)state;
	note(0, 1);
	note(1, 1);
	note(HOUR, -1);
	buf_init(&out, KIB);
	peaks_save(&p, NULL, &out);
	buf_add_char(&out, '\0');
	assert_string_equal(out.at, "{\"newest\":3603600000,\"hours\":[1000,2,1001,2]}");
	load(out.at);
	assert_peaks("0:2 1:2 ");
	assert_int_equal(p.at_work, 0);
	assert_true(p.newest_ms == START + HOUR);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		load(wrong[i]);
		assert_int_equal(p.count, 0);
	}
	buf_finish(&out);
}

#define fresh(test) cmocka_unit_test_setup_teardown(test, clear, clear)

int main(void)
{
	const struct CMUnitTest tests[] = {
		fresh(those_at_one_moment_count_and_not_those_of_an_hour),
		fresh(who_works_in_silence_is_at_work),
		fresh(what_is_told_late_changes_no_hour_that_is_past),
		fresh(a_clock_that_was_wrong_is_not_believed_for_ever),
		fresh(an_old_moment_spoils_nothing),
		fresh(what_lies_ahead_is_not_told),
		fresh(a_clock_that_is_behind_for_a_while_deletes_nothing),
		fresh(the_newest_hours_are_kept),
		fresh(it_is_saved_and_what_is_no_such_state_is_not_loaded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* tally_test.c - counts by source and kind, and what happens to one source too many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "signal/tally.h"

static struct tally tally;

static void count(const char *source, enum signal_kind kind)
{
	++*tally_of(&tally, text_of(source), kind);
}

static uint64_t counted(const char *source, enum signal_kind kind)
{
	return *tally_of(&tally, text_of(source), kind);
}

static void each_source_and_kind_is_counted_apart(void **state)
{
	tally_init(&tally);
	for (int i = 0; i < 3; i++)
		count("a", KIND_ERROR);
	count("b", KIND_ERROR);
	count("a", KIND_OTHER);
	count("", KIND_OTHER);
	assert_int_equal(counted("a", KIND_ERROR), 3);
	assert_int_equal(counted("b", KIND_ERROR), 1);
	assert_int_equal(counted("a", KIND_OTHER), 1);
	assert_int_equal(counted("", KIND_OTHER), 1);
	assert_int_equal(tally.count, 3);
}

static void one_source_too_many_is_another(void **state)
{
	char name[16];

	tally_init(&tally);
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < TALLY_SOURCES + 10; i++) {
			snprintf(name, sizeof(name), "source-%d", i);
			count(name, KIND_COMPLETION);
		}
	assert_int_equal(tally.count, TALLY_SOURCES);
	assert_int_equal(counted("source-0", KIND_COMPLETION), 2);
	assert_int_equal(counted("source-31", KIND_COMPLETION), 2);
	assert_int_equal(tally.rows[TALLY_SOURCES].counts[KIND_COMPLETION], 20);
	assert_memory_equal(tally.rows[TALLY_SOURCES].name, "other", 5);
}

static void of_a_long_name_the_beginning_counts(void **state)
{
	char name[300];

	tally_init(&tally);
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	count(name, KIND_ERROR);
	name[200] = 'm';
	count(name, KIND_ERROR);
	assert_int_equal(tally.count, 1);
	assert_int_equal(tally.rows[0].len, TALLY_NAME_MAX);
	assert_int_equal(tally.rows[0].counts[KIND_ERROR], 2);
	memcpy(name + TALLY_NAME_MAX - 1, "\xC3\xA9", 2);
	count(name, KIND_ERROR);
	assert_int_equal(tally.rows[1].len, TALLY_NAME_MAX - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_source_and_kind_is_counted_apart),
		cmocka_unit_test(one_source_too_many_is_another),
		cmocka_unit_test(of_a_long_name_the_beginning_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

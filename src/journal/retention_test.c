/* retention_test.c - what goes when, and that a wrong clock does not take it all. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/must.h"
#include "journal/fixture.h"
#include "journal/hold.h"

#define DAY_S 86400
#define HOUR_S 3600

/* Six segments, of which the first five were written so many hours ago. */
static char *aged_journal(const unsigned hours[5])
{
	char *dir = new_dir();
	struct journal_options o = some_options(dir);
	struct journal *j;
	int64_t now_s = clock_wall_ms() / 1000;
	size_t n = 0;

	o.segment_bytes = 4 * KIB;
	j = open_with(&o);
	while (journal_stats(j).segments < 6)
		commit(j, 10);
	for (uint64_t seq = 1; seq <= journal_last_seq(j) && n < 5; seq++) {
		char *path = segment_path(dir, seq, SEGMENT_LINES);
		struct timespec at = {.tv_sec = (time_t)(now_s - (int64_t)hours[n] * HOUR_S)};

		if (utimensat(AT_FDCWD, path, (struct timespec[]){at, at}, 0) == 0)
			n++;
		free(path);
	}
	assert_int_equal(n, 5);
	journal_close(j);
	return dir;
}

/* How many segments are there after a start with these limits.  A commit comes after the
 * writer's first look at them. */
static uint64_t count_after_start(const char *dir, unsigned days, uint64_t bytes)
{
	struct journal_options o = some_options(dir);
	struct journal *j;
	uint64_t count;

	o.keep_days = days;
	o.keep_bytes = bytes;
	j = open_with(&o);
	commit(j, 1);
	count = journal_stats(j).segments;
	journal_close(j);
	return count;
}

static void say_that_age_took_something(const char *dir, int64_t ago_s)
{
	char *path = path_in(dir, "aged"), words[40];
	int len = snprintf(words, sizeof words, "%lld\n",
	                   (long long)(clock_wall_ms() - ago_s * 1000));

	save_file(path, (struct text){words, (size_t)len});
	free(path);
}

static void age_takes_a_day_an_hour_at_most(void **state)
{
	/* As after a clock jumped 40 days ahead. */
	static const unsigned hours[5] = {41 * 24, 41 * 24 - 10, 40 * 24 + 1, 39 * 24, 38 * 24};
	char *dir = aged_journal(hours);

	assert_int_equal(count_after_start(dir, 30, 0), 3);
	assert_int_equal(count_after_start(dir, 30, 0), 3); /* a restart is no new hour */
	say_that_age_took_something(dir, HOUR_S - 60);
	assert_int_equal(count_after_start(dir, 30, 0), 3);
	say_that_age_took_something(dir, HOUR_S + 60);
	assert_int_equal(count_after_start(dir, 30, 0), 1);
	remove_dir(dir);
}

static void a_time_that_is_to_come_binds_nobody(void **state)
{
	static const unsigned hours[5] = {41 * 24, 41 * 24, 39 * 24, 39 * 24, 1};
	char *dir = aged_journal(hours);

	say_that_age_took_something(dir, -40 * DAY_S);
	assert_int_equal(count_after_start(dir, 30, 0), 4);
	remove_dir(dir);
}

static void what_is_young_enough_stays(void **state)
{
	static const unsigned hours[5] = {29 * 24, 29 * 24, 3, 2, 1};
	char *dir = aged_journal(hours), *path = path_in(dir, "aged");

	assert_int_equal(count_after_start(dir, 30, 0), 6);
	assert_int_equal(access(path, F_OK), -1); /* nothing went, so the hour is not used up */
	assert_int_equal(count_after_start(dir, 0, 0), 6);
	free(path);
	remove_dir(dir);
}

static void size_takes_at_once_what_is_over_it(void **state)
{
	static const unsigned hours[5] = {41 * 24, 40 * 24, 39 * 24, 38 * 24, 37 * 24};
	char *dir = aged_journal(hours);

	assert_int_equal(count_after_start(dir, 30, 1), 1);
	remove_dir(dir);
}

static void count_call(void *self)
{
	++*(unsigned *)self;
}

/* One that holds its segments, of which six are there. */
static struct journal *held_journal(char *dir, unsigned *asked)
{
	struct journal_options o = some_options(dir);

	o.segment_bytes = 4 * KIB;
	o.keep_bytes = 1;
	o.is_held = true;
	o.held = count_call;
	o.self = asked;
	return open_with(&o);
}

static void wait_for_segments(struct journal *j, uint64_t count)
{
	for (unsigned i = 0; journal_stats(j).segments != count; i++) {
		assert_true(i < WAIT_MS);
		journal_wait(j, 1);
		journal_poll(j);
	}
}

static void what_is_not_kept_elsewhere_stays(void **state)
{
	static const unsigned hours[5] = {5, 4, 3, 2, 1};
	char *dir = aged_journal(hours);
	unsigned asked = 0;
	struct journal *j = held_journal(dir, &asked);

	commit(j, 1);
	while (!asked) {
		journal_wait(j, WAIT_MS);
		journal_poll(j);
	}
	assert_int_equal(journal_stats(j).segments, 6);
	journal_release(j, 1); /* in the middle of the first */
	commit(j, 1);
	assert_int_equal(journal_stats(j).segments, 6);
	journal_release(j, 40);
	while (journal_first_seq(j) == 1) {
		journal_wait(j, 1);
		journal_poll(j);
	}
	assert_true(journal_first_seq(j) <= 41);
	assert_true(journal_stats(j).segments > 1);
	journal_release(j, journal_last_seq(j));
	wait_for_segments(j, 1);
	journal_close(j);
	remove_dir(dir);
}

static void far_over_its_limit_it_waits_for_nobody(void **state)
{
	static char body[1 * MIB];
	char *dir = new_dir();
	unsigned asked = 0;
	struct journal *j = held_journal(dir, &asked);

	memset(body, 'x', sizeof body);
	for (unsigned i = 0; i < HOLD_BYTES / MIB + 8; i++) {
		journal_append(j, TEXT("{"), (struct text){body, sizeof body}, true, NULL);
		wait_durable(j);
		if (i < HOLD_BYTES / MIB - 1)
			assert_int_equal(journal_first_seq(j), 1);
	}
	assert_true(asked > 0);
	assert_true(journal_first_seq(j) > 1);
	assert_true(journal_stats(j).bytes < HOLD_BYTES + 4 * MIB);
	journal_close(j);
	remove_dir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(age_takes_a_day_an_hour_at_most),
		cmocka_unit_test(a_time_that_is_to_come_binds_nobody),
		cmocka_unit_test(what_is_young_enough_stays),
		cmocka_unit_test(size_takes_at_once_what_is_over_it),
		cmocka_unit_test(what_is_not_kept_elsewhere_stays),
		cmocka_unit_test(far_over_its_limit_it_waits_for_nobody),
	};

	log_set_level(LOG_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* kept_test.c - one checkpoint a segment: kept, found, passed over and removed with it. */
#include "journal/kept.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/must.h"
#include "journal/checkpoint.h"
#include "journal/fixture.h"
#include "journal/forget.h"
#include "journal/verify.h"

#define SEGMENT (4 * KIB)
#define STATE_MAX (64 * KIB)
#define FIRSTS_MAX 64

/* The state of these tests is the seq it stands at; and behind it what a start alone needs. */
static bool fold(void *self, struct saved_state *out)
{
	buf_print(&saved_state_add(out, true)->bytes, "state at %llu",
	          (unsigned long long)out->seq);
	buf_add(&saved_state_add(out, false)->bytes, TEXT(" and its texts"));
	return true;
}

static struct journal_options kept_options(const char *dir, struct journal **j)
{
	struct journal_options o = some_options(dir);

	o.segment_bytes = SEGMENT;
	o.checkpoint = fold;
	o.self = j;
	return o;
}

static char *kept_path(const char *dir, uint64_t first)
{
	char name[SEGMENT_NAME_ROOM];

	snprintf(name, sizeof name, "%020llu.checkpoint", (unsigned long long)first);
	return path_in(dir, name);
}

static bool is_there(const char *dir, uint64_t first)
{
	char *path = kept_path(dir, first);
	bool is = access(path, F_OK) == 0;

	free(path);
	return is;
}

/* The segments there are, oldest first. */
static size_t firsts_of(const char *dir, uint64_t last, uint64_t firsts[FIRSTS_MAX])
{
	size_t n = 0;

	for (uint64_t seq = 1; seq <= last; seq++) {
		char *path = segment_path(dir, seq, SEGMENT_LINES);

		if (access(path, F_OK) == 0) {
			assert_true(n < FIRSTS_MAX);
			firsts[n++] = seq;
		}
		free(path);
	}
	return n;
}

/* A clean stop after so many segments, each of which has a checkpoint; returns the last seq.
 * The writer makes one after the loop has asked for the state, so wait for each. */
static uint64_t fill(const char *dir, unsigned segments)
{
	struct journal *j;
	struct journal_options o = kept_options(dir, &j);
	uint64_t firsts[FIRSTS_MAX], last;
	size_t n;

	j = open_with(&o);
	while (journal_stats(j).segments < segments) {
		commit(j, 10);
		n = firsts_of(dir, journal_last_seq(j), firsts);
		for (int i = 0; n > 1 && !is_there(dir, firsts[n - 1]); i++) {
			assert_true(i < WAIT_MS);
			journal_wait(j, 1);
			journal_poll(j);
		}
	}
	last = journal_last_seq(j);
	journal_close(j);
	return last;
}

/* Where the one stands that a journal gives for seq; 0: none.  Its state says the same. */
static uint64_t kept_at(struct journal *j, uint64_t seq)
{
	char expected[40] = "";
	struct buf state;
	uint64_t at;

	buf_init(&state, STATE_MAX);
	if (journal_kept(j, seq, &state, &at))
		snprintf(expected, sizeof expected, "state at %llu", (unsigned long long)at);
	assert_true(text_is(buf_text(&state), expected));
	assert_true(at <= seq);
	buf_finish(&state);
	return at;
}

static struct journal *open_plain(const char *dir)
{
	struct journal_options o = some_options(dir);

	return open_with(&o);
}

static void remove_newest_checkpoints(const char *dir)
{
	char *path = path_in(dir, ".");
	int fd = open(path, O_RDONLY | O_DIRECTORY);

	checkpoint_remove_from(fd, 0);
	close(fd);
	free(path);
}

/* So many more, in the one segment there is; a stop saves the state. */
static void stop_after(const char *dir, unsigned signals)
{
	struct journal *j;
	struct journal_options o = kept_options(dir, &j);

	o.segment_bytes = MIB;
	j = open_with(&o);
	commit(j, signals);
	journal_close(j);
}

/* ---- kept and found ---- */

static void every_segment_has_one_that_stands_in_it(void **state)
{
	char *dir = new_dir();
	uint64_t firsts[FIRSTS_MAX], last = fill(dir, 6);
	size_t n = firsts_of(dir, last, firsts);
	struct journal *j = open_plain(dir);
	struct stat st;

	for (size_t i = 1; i < n; i++) {
		uint64_t end = i + 1 < n ? firsts[i + 1] - 1 : last, at = kept_at(j, end);
		char *path = kept_path(dir, firsts[i]);

		assert_true(at >= firsts[i] && at <= end);
		assert_int_equal(stat(path, &st), 0);
		assert_true((size_t)st.st_size <= KEPT_MAX && st.st_size > 0);
		free(path);
	}
	journal_close(j);
	remove_dir(dir);
}

static void any_moment_finds_the_newest_at_or_before_it(void **state)
{
	char *dir = new_dir();
	uint64_t last = fill(dir, 5), before = 0;
	struct journal *j = open_plain(dir);
	unsigned found = 0;

	for (uint64_t seq = 0; seq <= last; seq++) {
		uint64_t at = kept_at(j, seq);

		assert_true(at == before || at == seq);
		found += at != before;
		before = at;
	}
	assert_true(found >= 4);
	journal_close(j);
	remove_dir(dir);
}

static void the_first_in_a_segment_stays(void **state)
{
	char *dir = new_dir();
	struct journal *j;

	for (int i = 0; i < 3; i++)
		stop_after(dir, 5);
	j = open_plain(dir);
	assert_int_equal(kept_at(j, 15), 5);
	assert_int_equal(kept_at(j, 4), 0);
	journal_close(j);
	remove_dir(dir);
}

static void a_start_without_the_newest_goes_on_from_a_kept_one(void **state)
{
	char *dir = new_dir();
	uint64_t last = fill(dir, 4), at;
	struct journal *j;
	struct text saved;

	remove_newest_checkpoints(dir);
	j = open_plain(dir);
	saved = journal_checkpoint(j, &at);
	assert_true(at > 0 && at == kept_at(j, last));
	assert_true(text_starts(saved, TEXT("state at ")));
	assert_null(memmem(saved.at, saved.len, "texts", 5));
	journal_close(j);
	remove_dir(dir);
}

/* ---- not kept ---- */

static bool fold_noise(void *self, struct saved_state *out)
{
	struct buf *kept = &saved_state_add(out, true)->bytes;

	for (uint64_t i = 1, x = 88172645463325252u; i < 200000; i++) { /* nothing packs it */
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		buf_add(kept, (struct text){(const char *)&x, sizeof x});
	}
	return true;
}

static bool fold_too_much(void *self, struct saved_state *out)
{
	struct buf *kept = &saved_state_add(out, true)->bytes;

	while (kept->len <= KEPT_STATE_MAX)
		buf_add(kept, TEXT("more and more"));
	return true;
}

static bool fold_nothing_for_the_past(void *self, struct saved_state *out)
{
	buf_add(&saved_state_add(out, false)->bytes, TEXT("for a start alone"));
	return true;
}

static void a_state_that_is_too_big_or_empty_is_not_kept(void **state)
{
	bool (*const folds[])(void *, struct saved_state *) = {fold_noise, fold_too_much,
	                                                       fold_nothing_for_the_past};

	for (size_t i = 0; i < 3; i++) {
		char *dir = new_dir();
		struct journal_options o = some_options(dir);
		struct journal *j;

		o.segment_bytes = 2 * MIB;
		o.checkpoint = folds[i];
		j = open_with(&o);
		commit(j, 5);
		journal_close(j);
		j = open_plain(dir);
		assert_int_equal(kept_at(j, 5), 0);
		assert_false(is_there(dir, 1));
		journal_close(j);
		remove_dir(dir);
	}
}

/* ---- passed over ---- */

static uint64_t problems_of(const char *dir)
{
	struct journal_report report = {0};
	struct error why;

	assert_true(journal_verify(dir, &report, &why));
	return report.problems;
}

/* One of the middle, so that there is an older one. */
static void a_damaged_one_is_passed_over(void **state)
{
	char *dir = new_dir(), *path;
	uint64_t firsts[FIRSTS_MAX], last = fill(dir, 5), older;
	size_t n = firsts_of(dir, last, firsts), m = n / 2;
	struct journal *j = open_plain(dir);
	struct buf file;

	older = kept_at(j, firsts[m] - 1);
	assert_true(older > 0 && kept_at(j, firsts[m + 1] - 1) >= firsts[m]);
	path = kept_path(dir, firsts[m]);
	load_file(path, &file);
	for (size_t i = 0; i < file.len; i++) {
		file.at[i] ^= 4;
		save_file(path, buf_text(&file));
		file.at[i] ^= 4;
		assert_int_equal(kept_at(j, firsts[m + 1] - 1), older);
		save_file(path, (struct text){file.at, i}); /* torn */
		assert_int_equal(kept_at(j, firsts[m + 1] - 1), older);
	}
	journal_close(j);
	assert_int_equal(problems_of(dir), 1);
	save_file(path, buf_text(&file));
	assert_int_equal(problems_of(dir), 0);
	buf_finish(&file);
	free(path);
	remove_dir(dir);
}

/* Whole, but of another box, and of a time that this one had too. */
static void one_of_another_journal_is_passed_over(void **state)
{
	char *dir = new_dir(), *other = new_dir();
	char *from = kept_path(other, 1), *to = kept_path(dir, 1);
	struct journal *j;

	stop_after(dir, 5);
	stop_after(other, 5);
	assert_int_equal(rename(from, to), 0);
	j = open_plain(dir);
	assert_int_equal(kept_at(j, 5), 0);
	assert_false(is_there(dir, 1)); /* so that the newest segment can have another */
	journal_close(j);
	free(from);
	free(to);
	remove_dir(dir);
	remove_dir(other);
}

/* The power went, and what was kept knows more than the disk. */
static void one_of_a_timeline_that_is_lost_is_not_used(void **state)
{
	char *dir = new_dir(), *copy, *from, *to;
	struct journal *j;
	struct journal_options o = kept_options(dir, &j);

	o.segment_bytes = MIB;
	j = open_with(&o);
	commit(j, 5);
	copy = crash_copy(dir);
	commit(j, 5);
	journal_close(j);
	from = kept_path(dir, 1);
	to = kept_path(copy, 1);
	assert_int_equal(rename(from, to), 0); /* it stands at 10 */
	j = open_plain(copy);
	commit(j, 20); /* others than those of before */
	assert_int_equal(kept_at(j, 25), 0);
	assert_false(is_there(copy, 1));
	journal_close(j);
	free(from);
	free(to);
	remove_dir(copy);
	remove_dir(dir);
}

/* ---- removed ---- */

static void it_goes_with_its_segment(void **state)
{
	char *dir = new_dir();
	uint64_t firsts[FIRSTS_MAX], last = fill(dir, 6);
	size_t n = firsts_of(dir, last, firsts);
	struct journal_options o = some_options(dir);
	struct journal *j;

	o.keep_bytes = 2 * SEGMENT;
	j = open_with(&o);
	commit(j, 1);
	assert_true(journal_stats(j).segments < n);
	for (size_t i = 1; i < n; i++) {
		char *path = segment_path(dir, firsts[i], SEGMENT_LINES);

		assert_int_equal(is_there(dir, firsts[i]), access(path, F_OK) == 0);
		free(path);
	}
	journal_close(j);
	remove_dir(dir);
}

static void one_without_a_segment_goes_at_a_start(void **state)
{
	char *dir = new_dir(), *orphan, *foreign;
	uint64_t last = fill(dir, 3);
	struct journal *j;

	orphan = kept_path(dir, last + 1);
	foreign = path_in(dir, "mine.checkpoint");
	save_file(orphan, TEXT("half a checkp"));
	save_file(foreign, TEXT("somebody's"));
	assert_int_equal(problems_of(dir), 0);
	j = open_plain(dir);
	assert_int_equal(access(orphan, F_OK), -1);
	assert_int_equal(access(foreign, F_OK), 0);
	assert_true(kept_at(j, last) > 0);
	journal_close(j);
	free(orphan);
	free(foreign);
	remove_dir(dir);
}

static void those_that_heard_what_is_forgotten_go(void **state)
{
	char *dir = new_dir();
	uint64_t firsts[FIRSTS_MAX], last = fill(dir, 6);
	size_t n = firsts_of(dir, last, firsts), m = n / 2;
	struct seq_range range = {firsts[m], firsts[m]};
	struct journal_forget what = {.ranges = &range, .range_count = 1};
	struct error why;

	assert_true(journal_forget(dir, &what, &why));
	for (size_t i = 1; i < n; i++)
		assert_int_equal(is_there(dir, firsts[i]), i < m);
	remove_dir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_segment_has_one_that_stands_in_it),
		cmocka_unit_test(any_moment_finds_the_newest_at_or_before_it),
		cmocka_unit_test(the_first_in_a_segment_stays),
		cmocka_unit_test(a_start_without_the_newest_goes_on_from_a_kept_one),
		cmocka_unit_test(a_state_that_is_too_big_or_empty_is_not_kept),
		cmocka_unit_test(a_damaged_one_is_passed_over),
		cmocka_unit_test(one_of_another_journal_is_passed_over),
		cmocka_unit_test(one_of_a_timeline_that_is_lost_is_not_used),
		cmocka_unit_test(it_goes_with_its_segment),
		cmocka_unit_test(one_without_a_segment_goes_at_a_start),
		cmocka_unit_test(those_that_heard_what_is_forgotten_go),
	};

	log_set_level(LOG_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* checkpoint_test.c - the folded state survives, and only the right one. */
#include "journal/checkpoint.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "journal/fixture.h"

/* The state of these tests is the seq it stands at, and some weight. */
static bool fold(void *self, struct saved_state *out)
{
	buf_print(&saved_state_add(out, false)->bytes, "state at %llu",
	          (unsigned long long)out->seq);
	return true;
}

static void expect_state(struct journal *j, uint64_t seq)
{
	uint64_t at;
	struct text state = journal_checkpoint(j, &at);
	char expected[40] = "";

	if (seq)
		snprintf(expected, sizeof expected, "state at %llu", (unsigned long long)seq);
	assert_int_equal(at, seq);
	assert_true(text_is(state, expected));
}

static char *checkpoint_path(const char *dir, uint64_t seq)
{
	char name[40];

	snprintf(name, sizeof name, "checkpoint-%llu", (unsigned long long)seq);
	return path_in(dir, name);
}

static void a_clean_stop_leaves_the_state(void **state)
{
	char *dir = new_dir();
	struct journal_options o = some_options(dir);
	struct journal *j;

	o.checkpoint = fold;
	o.self = &j;
	j = open_with(&o);
	expect_state(j, 0);
	commit(j, 7);
	journal_close(j);
	for (int i = 0; i < 2; i++) {
		j = open_with(&o);
		expect_state(j, 7);
		journal_close(j);
	}
	remove_dir(dir);
}

static void every_roll_leaves_the_state_and_the_newest_two_are_kept(void **state)
{
	char *dir = new_dir(), *path = path_in(dir, "."), *copy;
	struct journal_options o = some_options(dir);
	struct journal *j;
	uint64_t seqs[CHECKPOINTS_MAX], at;
	size_t n = 0;
	int fd;

	o.checkpoint = fold;
	o.self = &j;
	o.segment_bytes = 16 * KIB;
	j = open_with(&o);
	fd = open(path, O_RDONLY | O_DIRECTORY);
	for (int i = 0; i < 1000 && (n < 2 || seqs[0] < 1000); i++) {
		commit(j, 50);
		n = checkpoint_list(fd, seqs);
		assert_true(n <= 3); /* for a moment, while the oldest goes */
	}
	assert_true(n >= 2);
	copy = crash_copy(dir);
	journal_close(j);
	o.dir = copy;
	j = open_with(&o);
	journal_checkpoint(j, &at);
	assert_true(at >= seqs[0] && at <= journal_last_seq(j));
	expect_state(j, at);
	journal_close(j);
	close(fd);
	free(path);
	remove_dir(copy);
	remove_dir(dir);
}

static void expect_damaged(const char *dir, uint64_t seq)
{
	char *path = path_in(dir, ".");
	int fd = open(path, O_RDONLY | O_DIRECTORY);

	assert_true(checkpoint_is_damaged(fd, seq));
	assert_false(checkpoint_is_damaged(fd, seq + 1));
	close(fd);
	free(path);
}

static void a_damaged_one_is_passed_over(void **state)
{
	char *dir = new_dir(), *path;
	struct journal_options o = some_options(dir);
	struct journal *j;
	struct buf file;

	o.checkpoint = fold;
	o.self = &j;
	for (int i = 0; i < 2; i++) {
		j = open_with(&o);
		commit(j, 5);
		journal_close(j);
	}
	path = checkpoint_path(dir, 10);
	load_file(path, &file);
	for (size_t i = 0; i < file.len; i++) {
		if (i >= 28 && i < 32) /* means nothing yet */
			continue;
		file.at[i] ^= 4;
		save_file(path, buf_text(&file));
		file.at[i] ^= 4;
		expect_damaged(dir, 10);
	}
	save_file(path, (struct text){file.at, file.len - 1});
	o.checkpoint = NULL;
	j = open_with(&o);
	expect_state(j, 5);
	assert_int_equal(access(path, F_OK), -1);
	journal_close(j);
	buf_finish(&file);
	free(path);
	remove_dir(dir);
}

/* It belongs to a timeline that is lost. */
static void one_from_beyond_the_last_line_is_removed(void **state)
{
	char *dir = new_dir(), *copy, *from, *to;
	struct journal_options o = some_options(dir);
	struct journal *j;

	o.checkpoint = fold;
	o.self = &j;
	j = open_with(&o);
	commit(j, 5);
	copy = crash_copy(dir);
	commit(j, 5);
	journal_close(j);
	from = checkpoint_path(dir, 10);
	to = checkpoint_path(copy, 10);
	assert_int_equal(rename(from, to), 0);
	o.dir = copy;
	j = open_with(&o);
	expect_state(j, 0);
	assert_int_equal(access(to, F_OK), -1);
	journal_close(j);
	free(from);
	free(to);
	remove_dir(copy);
	remove_dir(dir);
}

static bool fold_too_much(void *self, struct saved_state *out)
{
	struct buf *half = &saved_state_add(out, false)->bytes;
	struct buf *rest = &saved_state_add(out, false)->bytes;
	char chunk[4096] = {0};

	while (half->len < CHECKPOINT_MAX / 2)
		buf_add(half, (struct text){chunk, sizeof chunk});
	while (rest->len <= CHECKPOINT_MAX / 2)
		buf_add(rest, (struct text){chunk, sizeof chunk});
	return true;
}

/* As those do who need several turns for it: asked for at one seq, given at a later one. */
static bool fold_later(void *self, struct saved_state *out)
{
	return false;
}

static void a_state_may_be_given_later(void **state)
{
	char *dir = new_dir(), *copy;
	struct journal_options o = some_options(dir);
	struct saved_state given = {.seq = 9};
	struct journal *j;
	char *path;

	o.checkpoint = fold_later;
	j = open_with(&o);
	commit(j, 5);
	journal_save_state(j);
	commit(j, 4);
	fold(NULL, &given);
	journal_take_state(j, &given);
	assert_int_equal(given.count, 0);
	path = checkpoint_path(dir, 9);
	while (access(path, F_OK) != 0)
		usleep(1000);
	commit(j, 3);
	copy = crash_copy(dir);
	journal_close(j);
	j = open_in(copy);
	expect_state(j, 9);
	journal_close(j);
	free(path);
	remove_dir(copy);
	remove_dir(dir);
}

static void a_state_that_is_too_big_is_left_out(void **state)
{
	char *dir = new_dir();
	struct journal_options o = some_options(dir);
	struct journal *j;

	o.checkpoint = fold_too_much;
	j = open_with(&o);
	commit(j, 5);
	journal_close(j);
	j = open_with(&o);
	expect_state(j, 0);
	journal_close(j);
	remove_dir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clean_stop_leaves_the_state),
		cmocka_unit_test(every_roll_leaves_the_state_and_the_newest_two_are_kept),
		cmocka_unit_test(a_damaged_one_is_passed_over),
		cmocka_unit_test(one_from_beyond_the_last_line_is_removed),
		cmocka_unit_test(a_state_that_is_too_big_is_left_out),
		cmocka_unit_test(a_state_may_be_given_later),
	};

	log_set_level(LOG_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* position_test.c - positions and timelines. */
#include "journal/position.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/must.h"
#include "journal/epochs.h"
#include "journal/fixture.h"

static void a_position_is_a_seq_with_or_without_an_epoch(void **state)
{
	struct position p;

	assert_true(position_parse(TEXT("0"), &p));
	assert_string_equal(p.epoch, "");
	assert_int_equal(p.seq, 0);
	assert_true(position_parse(TEXT("18446744073709551615"), &p));
	assert_int_equal(p.seq, UINT64_MAX);
	assert_true(position_parse(TEXT("0123456789ab-77"), &p));
	assert_string_equal(p.epoch, "0123456789ab");
	assert_int_equal(p.seq, 77);
}

static void anything_else_is_not_a_position(void **state)
{
	static const char *const wrong[] = {
		"",
		"-",
		"-1",
		"+1",
		" 1",
		"1 ",
		"1a",
		"18446744073709551616",
		"0123456789ab",
		"0123456789ab-",
		"0123456789AB-1",
		"0123456789a-1",
		"0123456789abc-1",
		"0123456789ab-1-2",
		"0123456789ab--1",
		"0123456789ag-1",
	};
	struct position p;

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_false(position_parse(text_of(wrong[i]), &p));
}

static uint64_t resume(const char *epoch, uint64_t seq, struct gap *lost)
{
	struct epoch all[] = {{"aaaaaaaaaaaa", 1}, {"bbbbbbbbbbbb", 101}, {"cccccccccccc", 201}};
	struct epochs epochs = {all, 3};
	struct position after = {.seq = seq};

	if (epoch)
		memcpy(after.epoch, epoch, EPOCH_LEN);
	*lost = (struct gap){0};
	return epochs_resume(&epochs, after, 300, lost);
}

static void a_valid_position_goes_on_behind_it(void **state)
{
	struct gap lost;

	assert_int_equal(resume(NULL, 0, &lost), 1);
	assert_int_equal(resume(NULL, 300, &lost), 301);
	assert_int_equal(resume("aaaaaaaaaaaa", 100, &lost), 101);
	assert_int_equal(resume("bbbbbbbbbbbb", 50, &lost), 51);
	assert_int_equal(resume("bbbbbbbbbbbb", 200, &lost), 201);
	assert_int_equal(resume("cccccccccccc", 300, &lost), 301);
	assert_null(lost.why);
}

static void expect_lost(const char *epoch, uint64_t seq, struct gap expected)
{
	struct gap lost;
	uint64_t next = resume(epoch, seq, &lost);

	assert_string_equal(lost.why, "lost");
	assert_int_equal(lost.from, expected.from);
	assert_int_equal(lost.to, expected.to);
	assert_true(next == expected.from || next == expected.to + 1);
}

static void who_saw_what_is_lost_goes_on_at_the_fork(void **state)
{
	expect_lost("aaaaaaaaaaaa", 101, (struct gap){101, 101, NULL});
	expect_lost("aaaaaaaaaaaa", 250, (struct gap){101, 250, NULL});
	expect_lost("bbbbbbbbbbbb", 201, (struct gap){201, 201, NULL});
	expect_lost("cccccccccccc", 301, (struct gap){301, 301, NULL});
	expect_lost(NULL, 1000, (struct gap){301, 1000, NULL});
	expect_lost(NULL, UINT64_MAX, (struct gap){301, UINT64_MAX, NULL});
}

static void who_comes_from_elsewhere_goes_on_at_the_present(void **state)
{
	struct gap lost;

	assert_int_equal(resume("dddddddddddd", 50, &lost), 301);
	assert_int_equal(lost.from, 1);
	assert_int_equal(lost.to, 300);
	assert_string_equal(lost.why, "lost");
}

static void a_crash_begins_an_epoch_and_a_clean_stop_does_not(void **state)
{
	char *dir = new_dir(), *copy;
	struct journal *j = open_in(dir);
	struct position ahead = {.seq = 12};
	struct buf story;

	memcpy(ahead.epoch, journal_epoch(j), EPOCH_LEN);
	commit(j, 10);
	copy = crash_copy(dir);
	commit(j, 2); /* somebody saw these, and the crash takes them away */
	journal_close(j);
	remove_dir(dir);

	for (int i = 0; i < 2; i++) {
		j = open_in(copy);
		assert_string_not_equal(journal_epoch(j), ahead.epoch);
		read_all(j, ahead, 1000, &story);
		assert_string_equal(story.at, i == 0 ? "gap 11-12 lost" : "gap 11-12 lost 11-15");
		buf_finish(&story);
		if (i == 0)
			commit(j, 5);
		journal_close(j);
	}
	ahead.seq = 10; /* was on the disk, so nothing is lost */
	j = open_in(copy);
	read_all(j, ahead, 1000, &story);
	assert_string_equal(story.at, "11-15");
	buf_finish(&story);
	journal_close(j);
	remove_dir(copy);
}

static void a_mark_of_a_clean_stop_that_does_not_fit_is_not_believed(void **state)
{
	static const char *const marks[] = {"", "rubbish", "000000000000-10\n", "%s-9\n",
	                                    "%s-11\n"};

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		char *dir = new_dir(), *path = path_in(dir, "clean");
		struct journal *j = open_in(dir);
		char epoch[EPOCH_LEN + 1], mark[64];
		struct text t = {mark, 0};

		memcpy(epoch, journal_epoch(j), sizeof epoch);
		commit(j, 10);
		journal_close(j);
		if (strstr(marks[i], "%s"))
			t.len = (size_t)snprintf(mark, sizeof mark, "%s-%d\n", epoch,
			                         i == 3 ? 9 : 11);
		else
			t = text_of(marks[i]);
		save_file(path, t);
		j = open_in(dir);
		assert_string_not_equal(journal_epoch(j), epoch);
		assert_int_equal(access(path, F_OK), -1);
		journal_close(j);
		free(path);
		remove_dir(dir);
	}
}

static void lines_of_epochs_that_make_no_sense_are_left_out(void **state)
{
	char *dir = new_dir(), *path;
	int fd;
	struct epochs epochs;

	path = must_print("%s/epochs", dir);
	save_file(path, TEXT("aaaaaaaaaaaa 1\nrubbish\nbbbbbbbbbbbb 50\ncccccccccccc 20\n"
	                     "dddddddddddd x\neeeeeeeeeeee 0\nffffffffffff 60"));
	fd = open(dir, O_RDONLY | O_DIRECTORY);
	assert_true(epochs_load(&epochs, fd, NULL));
	assert_int_equal(epochs.count, 3);
	assert_string_equal(epochs_current(&epochs)->name, "ffffffffffff");
	assert_true(epochs_add(&epochs, fd, 70, NULL));
	epochs_finish(&epochs);
	assert_true(epochs_load(&epochs, fd, NULL));
	assert_int_equal(epochs.count, 4);
	assert_int_equal(epochs_current(&epochs)->first, 70);
	assert_true(epoch_is_valid(text_of(epochs_current(&epochs)->name)));
	epochs_finish(&epochs);
	close(fd);
	free(path);
	remove_dir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_position_is_a_seq_with_or_without_an_epoch),
		cmocka_unit_test(anything_else_is_not_a_position),
		cmocka_unit_test(a_valid_position_goes_on_behind_it),
		cmocka_unit_test(who_saw_what_is_lost_goes_on_at_the_fork),
		cmocka_unit_test(who_comes_from_elsewhere_goes_on_at_the_present),
		cmocka_unit_test(a_crash_begins_an_epoch_and_a_clean_stop_does_not),
		cmocka_unit_test(a_mark_of_a_clean_stop_that_does_not_fit_is_not_believed),
		cmocka_unit_test(lines_of_epochs_that_make_no_sense_are_left_out),
	};

	log_set_level(LOG_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

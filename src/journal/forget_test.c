/* forget_test.c - what is forgotten is in no file, everything else is where it was, and a
 * forgetting that was cut short is ended by the next start. */
#include "journal/forget.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/must.h"
#include "journal/files.h"
#include "journal/fixture.h"
#include "journal/verify.h"

#define STORY_MAX (64 * KIB)

/* Several segments of commits of ten; *last is the seq of the last. */
static char *some_journal(unsigned segments, uint64_t *last)
{
	char *dir = new_dir();
	struct journal_options o = some_options(dir);
	struct journal *j;

	o.segment_bytes = 4 * KIB;
	j = open_with(&o);
	while (journal_stats(j).segments < segments)
		commit(j, 10);
	*last = journal_last_seq(j);
	journal_close(j);
	return dir;
}

static void forget(const char *dir, uint64_t from, uint64_t to, uint64_t expected)
{
	struct seq_range range = {from, to};
	struct journal_forget what = {.ranges = &range, .range_count = 1};
	struct error why = {""};

	assert_true(journal_forget(dir, &what, &why));
	assert_string_equal(why.words, "");
	assert_int_equal(what.signals, expected);
}

static bool file_holds(const char *path, struct text text)
{
	struct buf bytes;
	bool holds;

	load_file(path, &bytes);
	holds = bytes.len && memmem(bytes.at, bytes.len, text.at, text.len);
	buf_finish(&bytes);
	return holds;
}

/* In any file of the journal. */
static bool is_anywhere(const char *dir, uint64_t seq)
{
	char *journal = must_print("%s/journal", dir), line[400];
	struct text text = {line, line_of(seq, line, sizeof line)};
	DIR *list = opendir(journal);
	struct dirent *d;
	bool found = false;

	assert_non_null(list);
	while ((d = readdir(list))) {
		char *path = path_in(dir, d->d_name);

		found = found || (d->d_type == DT_REG && file_holds(path, text));
		free(path);
	}
	closedir(list);
	free(journal);
	return found;
}

static void expect_sound(const char *dir, uint64_t forgotten)
{
	struct journal_report report = {0};
	struct error why;

	assert_true(journal_verify(dir, &report, &why));
	assert_int_equal(report.problems, 0);
	assert_int_equal(report.forgotten, forgotten);
}

static void expect_in(const char *dir, const char *expected)
{
	struct journal *j = open_in(dir);

	expect_story(j, 0, expected);
	journal_close(j);
}

static void in_the_middle_of_a_batch_a_gap_is_left(void **state)
{
	uint64_t last;
	char *dir = some_journal(3, &last), *story;

	assert_true(is_anywhere(dir, 14));
	forget(dir, 13, 15, 3);
	for (uint64_t seq = 13; seq <= 15; seq++)
		assert_false(is_anywhere(dir, seq));
	assert_true(is_anywhere(dir, 16));
	expect_sound(dir, 3);
	story = must_print("1-12 gap 13-15 forgotten 16-%llu", (unsigned long long)last);
	expect_in(dir, story);
	free(story);
	remove_dir(dir);
}

static void whole_segments_may_be_forgotten_and_their_seqs_are_not_given_again(void **state)
{
	uint64_t last;
	char *dir = some_journal(3, &last), *story;
	struct journal *j;

	forget(dir, 1, UINT64_MAX, last);
	expect_sound(dir, last);
	j = open_in(dir);
	assert_int_equal(journal_last_seq(j), last);
	commit(j, 5);
	journal_close(j);
	j = open_in(dir);
	story = must_print("%llu-%llu", (unsigned long long)last + 1, (unsigned long long)last + 5);
	expect_story(j, last, story);
	journal_close(j);
	free(story);
	remove_dir(dir);
}

static void a_second_time_adds_to_the_first(void **state)
{
	uint64_t last;
	char *dir = some_journal(2, &last), *story;

	forget(dir, 5, 5, 1);
	forget(dir, 5, 6, 1);
	forget(dir, 5, 6, 0);
	expect_sound(dir, 2);
	story = must_print("1-4 gap 5-5 forgotten gap 6-6 forgotten 7-%llu",
	                   (unsigned long long)last);
	expect_in(dir, story);
	free(story);
	remove_dir(dir);
}

static void counting_changes_nothing_and_needs_no_lock(void **state)
{
	char *dir = new_dir();
	struct journal *j = open_in(dir);
	struct seq_range range = {3, 4};
	struct journal_forget what = {.ranges = &range, .range_count = 1};
	struct error why = {""};

	commit(j, 10);
	assert_true(journal_forget_count(dir, &what, &why));
	assert_int_equal(what.signals, 2);
	assert_false(journal_forget(dir, &what, &why));
	assert_non_null(strstr(why.words, "in use"));
	expect_story(j, 0, "1-10");
	journal_close(j);
	remove_dir(dir);
}

static void damaged_bytes_and_their_copies_go_too(void **state)
{
	uint64_t last;
	char *dir = some_journal(2, &last);
	char *lines = segment_path(dir, 1, SEGMENT_LINES);
	struct journal *j;
	struct buf bytes;
	char *at;

	load_file(lines, &bytes);
	at = memmem(bytes.at, bytes.len, "{\"seq\":14,", 10);
	assert_non_null(at);
	at[12] ^= 1;
	save_file(lines, buf_text(&bytes));
	buf_finish(&bytes);
	j = open_in(dir);
	commit(j, 1);
	journal_close(j);
	assert_true(is_anywhere(dir, 15));
	forget(dir, 12, 12, 10);
	for (uint64_t seq = 11; seq <= 20; seq++)
		assert_false(is_anywhere(dir, seq));
	expect_sound(dir, 10);
	free(lines);
	remove_dir(dir);
}

/* As a crash between the mark and the last of its renames leaves it: before the new segment
 * has its name, or before the index of the old one is gone. */
static void what_was_cut_short_is_ended_by_a_start(void **state)
{
	for (int renamed = 0; renamed < 2; renamed++) {
		uint64_t last;
		char *dir = some_journal(2, &last), *done = crash_copy(dir), *story;
		char *whole = segment_path(done, 1, SEGMENT_LINES);
		char *old = segment_path(dir, 1, SEGMENT_LINES);
		char *fresh = path_in(dir, "00000000000000000001.ndjson.new");
		char *index = segment_path(dir, 1, SEGMENT_INDEX);
		char *mark = path_in(dir, "forgetting");
		struct buf bytes;

		make_old(dir, false);
		forget(done, 4, 4, 1);
		load_file(whole, &bytes);
		save_file(renamed ? old : fresh, buf_text(&bytes));
		buf_finish(&bytes);
		save_file(mark, TEXT("4\n"));
		story = must_print("1-3 gap 4-4 forgotten 5-%llu", (unsigned long long)last);
		expect_in(dir, story);
		assert_int_equal(access(mark, F_OK), -1);
		assert_int_equal(access(fresh, F_OK), -1);
		assert_int_equal(access(index, F_OK), -1);
		expect_sound(dir, 1);
		free(story);
		free(whole);
		free(fresh);
		free(index);
		free(old);
		free(mark);
		remove_dir(done);
		remove_dir(dir);
	}
}

static void a_journal_of_the_old_form_forgets_too(void **state)
{
	uint64_t last;
	char *dir = some_journal(3, &last), *story;

	make_old(dir, false);
	forget(dir, 4, 6, 3);
	expect_sound(dir, 3);
	for (uint64_t seq = 4; seq <= 6; seq++)
		assert_false(is_anywhere(dir, seq));
	story = must_print("1-3 gap 4-6 forgotten 7-%llu", (unsigned long long)last);
	expect_in(dir, story);
	free(story);
	remove_dir(dir);
}

static void what_an_older_attempt_left_is_not_taken(void **state)
{
	uint64_t last;
	char *dir = some_journal(2, &last), *story;
	char *stale = path_in(dir, "00000000000000000001.ndjson.new");

	save_file(stale, TEXT("of another day\n"));
	forget(dir, last, last, 1);
	assert_int_equal(access(stale, F_OK), -1);
	expect_sound(dir, 1);
	story = must_print("1-%llu gap %llu-%llu forgotten", (unsigned long long)last - 1,
	                   (unsigned long long)last, (unsigned long long)last);
	expect_in(dir, story);
	free(story);
	free(stale);
	remove_dir(dir);
}

/* ---- files.h, over the same holes ---- */

struct told {
	struct buf story;
	uint64_t next;
};

static bool tell_lines(void *self, uint64_t first, struct text lines)
{
	struct told *t = self;

	for (; lines.len > 0; first++) {
		struct text line = text_cut(lines, '\n', &lines);
		char expected[400];
		size_t len = line_of(first, expected, sizeof expected);

		assert_int_equal(line.len, len);
		assert_memory_equal(line.at, expected, len);
		if (first != t->next)
			buf_print(&t->story, "%llu ", (unsigned long long)first);
		t->next = first + 1;
	}
	return true;
}

static void tell_gap(void *self, const struct gap *gap)
{
	struct told *t = self;

	buf_print(&t->story, "gap %llu-%llu %s ", (unsigned long long)gap->from,
	          (unsigned long long)gap->to, gap->why);
}

static void expect_files(const char *dir, uint64_t after, uint64_t to, const char *expected)
{
	struct told told = {.next = 0};
	struct journal_files files = {.after = {.all = {{.seq = after}}, .count = 1},
	                              .to = to,
	                              .lines = tell_lines,
	                              .gap = tell_gap,
	                              .self = &told};
	struct error why;

	buf_init(&told.story, STORY_MAX);
	assert_true(journal_files_read(dir, &files, &why));
	buf_print(&told.story, "to %llu", (unsigned long long)told.next - 1);
	buf_add_char(&told.story, '\0');
	assert_string_equal(told.story.at, expected);
	buf_finish(&told.story);
}

static void files_are_read_from_any_place_to_any_place(void **state)
{
	uint64_t last;
	char *dir = some_journal(3, &last), *whole;

	whole = must_print("1 to %llu", (unsigned long long)last);
	expect_files(dir, 0, 0, whole);
	free(whole);
	expect_files(dir, 4, 9, "5 to 9");
	expect_files(dir, 9, 11, "10 to 11");
	whole = must_print("3 to %llu", (unsigned long long)last - 1);
	expect_files(dir, 2, last - 1, whole);
	forget(dir, 13, 15, 3);
	expect_files(dir, 10, 20, "11 gap 13-15 forgotten 16 to 20");
	expect_files(dir, 13, 14, "gap 14-14 forgotten to 18446744073709551615");
	free(whole);
	remove_dir(dir);
}

/* Whole lines that only the next start would give a head are read, and stay. */
static void what_the_next_start_would_keep_is_there_before_it(void **state)
{
	for (int cut = 0; cut < 2; cut++) {
		char *dir = new_dir(), *path;
		struct journal *j = open_in(dir);
		struct buf file;

		commit(j, 12);
		commit(j, 2);
		journal_close(j);
		if (!cut)
			make_old(dir, false);
		path = segment_path(dir, 1, cut ? SEGMENT_LINES : SEGMENT_INDEX);
		load_file(path, &file);
		save_file(path, (struct text){file.at, cut ? file.len - 3 : 0});
		expect_files(dir, 0, 0, cut ? "1 to 13" : "1 to 14");
		forget(dir, 3, 3, 1);
		expect_in(dir, cut ? "1-2 gap 3-3 forgotten 4-13 gap 14-14 lost"
		                   : "1-2 gap 3-3 forgotten 4-14");
		buf_finish(&file);
		free(path);
		remove_dir(dir);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_the_middle_of_a_batch_a_gap_is_left),
		cmocka_unit_test(
			whole_segments_may_be_forgotten_and_their_seqs_are_not_given_again),
		cmocka_unit_test(a_second_time_adds_to_the_first),
		cmocka_unit_test(counting_changes_nothing_and_needs_no_lock),
		cmocka_unit_test(damaged_bytes_and_their_copies_go_too),
		cmocka_unit_test(what_was_cut_short_is_ended_by_a_start),
		cmocka_unit_test(a_journal_of_the_old_form_forgets_too),
		cmocka_unit_test(what_an_older_attempt_left_is_not_taken),
		cmocka_unit_test(files_are_read_from_any_place_to_any_place),
		cmocka_unit_test(what_the_next_start_would_keep_is_there_before_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* verify_test.c - a whole journal is found whole, and each kind of damage told. */
#include "journal/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/must.h"
#include "journal/fixture.h"

/* The first and the last problem, and how many there were. */
struct findings {
	char first[256], words[256];
	struct journal_report report;
};

static void note(void *self, const char *words)
{
	struct findings *f = self;

	if (!f->first[0])
		snprintf(f->first, sizeof f->first, "%s", words);
	snprintf(f->words, sizeof f->words, "%s", words);
}

static void verify(const char *dir, struct findings *f)
{
	struct error why;

	*f = (struct findings){.report = {.problem = note, .self = f}};
	assert_true(journal_verify(dir, &f->report, &why));
}

/* Four segments; *second is the name of the second. */
static char *some_journal(uint64_t *second, uint64_t *last)
{
	char *dir = new_dir();
	struct journal_options o = some_options(dir);
	struct journal *j;

	o.segment_bytes = 4 * KIB;
	j = open_with(&o);
	for (*second = 0; journal_stats(j).segments < 4;) {
		commit(j, 10);
		if (!*second && journal_stats(j).segments == 2)
			*second = journal_last_seq(j) - 9;
	}
	*last = journal_last_seq(j);
	journal_close(j);
	return dir;
}

static void a_whole_journal_is_found_whole(void **state)
{
	uint64_t second, last;
	char *dir = some_journal(&second, &last);
	struct findings f;

	verify(dir, &f);
	assert_string_equal(f.words, "");
	assert_int_equal(f.report.problems, 0);
	assert_int_equal(f.report.segments, 4);
	assert_int_equal(f.report.signals, last);
	assert_int_equal(f.report.first, 1);
	assert_int_equal(f.report.last, last);
	assert_int_equal(f.report.uncommitted, 0);
	assert_true(f.report.stopped_cleanly);
	remove_dir(dir);
}

static void a_running_journal_can_be_verified(void **state)
{
	char *dir = new_dir();
	struct journal *j = open_in(dir);
	struct findings f;

	verify(dir, &f);
	assert_int_equal(f.report.problems, 0);
	for (int i = 0; i < 50; i++) {
		for (int k = 0; k < 200; k++)
			append(j, true);
		verify(dir, &f);
		assert_string_equal(f.words, "");
		assert_false(f.report.stopped_cleanly);
	}
	wait_durable(j);
	verify(dir, &f);
	assert_int_equal(f.report.signals, 10000);
	journal_close(j);
	remove_dir(dir);
}

static void expect_problem(const char *dir, const char *words)
{
	struct findings f;

	verify(dir, &f);
	assert_string_equal(f.words, words);
	assert_int_equal(f.report.problems, words[0] ? 1 : 0);
}

static void flip(const char *path, size_t at)
{
	struct buf file;

	load_file(path, &file);
	file.at[at] ^= 1;
	save_file(path, buf_text(&file));
	buf_finish(&file);
}

/* Where in the file this stands. */
static size_t place_of(const char *path, const char *what)
{
	struct buf file;
	char *found;
	size_t at;

	load_file(path, &file);
	found = memmem(file.at, file.len, what, strlen(what));
	assert_non_null(found);
	at = (size_t)(found - file.at);
	buf_finish(&file);
	return at;
}

/* In either form, flipped and flipped back: a line, and what says that it is there. */
static void damage_is_told_with_its_place(void **state)
{
	for (int old = 0; old < 2; old++) {
		uint64_t second, last;
		char *dir = some_journal(&second, &last), *words;
		char *lines = segment_path(dir, 1, SEGMENT_LINES);
		char *index = segment_path(dir, 1, SEGMENT_INDEX);
		struct findings f;

		if (old)
			make_old(dir, false);
		words = must_print("segment 1: signals 1 to 10, at byte %zu, are damaged",
		                   place_of(lines, "{\"seq\":1,"));
		flip(lines, place_of(lines, "{\"seq\":3,") + 9);
		expect_problem(dir, words);
		flip(lines, place_of(lines, "{\"seq\":3,") + 9);
		expect_problem(dir, "");
		flip(old ? index : lines, old ? 33 : 60);
		verify(dir, &f);
		assert_int_equal(f.report.problems, 2);
		assert_string_equal(f.first,
		                    old ? "segment 1: entry 0 of the index is damaged"
		                        : "segment 1: the head of a batch at byte 45 is damaged");
		assert_string_equal(f.words, "segment 1: signals 1 to 10 are missing");
		flip(old ? index : lines, old ? 33 : 60);
		expect_problem(dir, "");
		free(words);
		free(lines);
		free(index);
		remove_dir(dir);
	}
}

static void a_damaged_first_line_is_told_and_nothing_is_lost(void **state)
{
	char *dir = new_dir(), *path = segment_path(dir, 1, SEGMENT_LINES);
	struct journal *j = open_in(dir);

	commit(j, 12);
	journal_close(j);
	flip(path, 4);
	expect_problem(dir, "segment 1: its first line is damaged, or it is old and its index is "
	                    "missing");
	j = open_in(dir);
	expect_story(j, 0, "1-12");
	commit(j, 2);
	expect_story(j, 0, "1-14");
	journal_close(j);
	expect_problem(dir, "");
	free(path);
	remove_dir(dir);
}

/* A kill may come between the making of a file and its first line. */
static void a_segment_that_was_only_begun_is_no_damage(void **state)
{
	static const struct text begun[] = {{"", 0}, {"\n\n\n\n", 4}, {"\0\0\0\0", 4}};

	for (size_t i = 0; i < sizeof(begun) / sizeof(*begun); i++) {
		char *dir = new_dir(), *path = segment_path(dir, 13, SEGMENT_LINES);
		struct journal *j = open_in(dir);

		commit(j, 12);
		journal_close(j);
		save_file(path, begun[i]);
		expect_problem(dir, "");
		j = open_in(dir);
		expect_story(j, 0, "1-12");
		commit(j, 2);
		expect_story(j, 0, "1-14");
		journal_close(j);
		expect_problem(dir, "");
		free(path);
		remove_dir(dir);
	}
}

static void what_is_missing_is_told(void **state)
{
	uint64_t second, last;
	char *dir = some_journal(&second, &last), words[120];
	char *lines = segment_path(dir, second, SEGMENT_LINES);
	char *index = segment_path(dir, second, SEGMENT_INDEX);
	char *epochs = path_in(dir, "epochs");
	struct findings f;

	make_old(dir, false);
	unlink(index);
	verify(dir, &f);
	assert_int_equal(f.report.problems, 2); /* and that its signals are missing */
	unlink(lines);
	verify(dir, &f);
	assert_int_equal(f.report.problems, 1);
	snprintf(words, sizeof words, "signals %llu to ", (unsigned long long)second);
	assert_int_equal(strncmp(f.words, words, strlen(words)), 0);
	unlink(epochs);
	verify(dir, &f);
	assert_int_equal(f.report.problems, 2);
	assert_string_equal(f.first, "there is no epoch");
	free(lines);
	free(index);
	free(epochs);
	remove_dir(dir);
}

/* The checksum is right, but it is not the signal that should be there. */
static void a_line_with_another_seq_is_told(void **state)
{
	char *dir = new_dir();
	struct journal *j = open_in(dir);
	struct findings f;

	journal_append(j, TEXT("{\"seq\":1,"), TEXT("\"id\":\"a\"}"), true, NULL);
	journal_append(j, TEXT("{\"seq\":20,"), TEXT("\"id\":\"b\"}"), true, NULL);
	journal_close(j);
	j = open_in(dir);
	commit(j, 1);
	journal_close(j);
	verify(dir, &f);
	assert_int_equal(f.report.problems, 1);
	assert_non_null(strstr(f.words, "segment 1: signals 1 to 2, at byte "));
	assert_non_null(strstr(f.words, ", are not in order"));
	remove_dir(dir);
}

static void a_crash_is_not_damage(void **state)
{
	char *dir = new_dir(), *copy, *path;
	struct journal *j = open_in(dir);
	struct findings f;
	struct buf file;

	commit(j, 10);
	copy = crash_copy(dir);
	path = segment_path(copy, 1, SEGMENT_LINES);
	load_lines(path, &file);
	buf_add(&file, TEXT("{\"seq\":11,\"id"));
	save_file(path, buf_text(&file));
	verify(copy, &f);
	assert_string_equal(f.words, "");
	assert_int_equal(f.report.uncommitted, 13);
	assert_false(f.report.stopped_cleanly);
	journal_close(j);
	buf_finish(&file);
	free(path);
	remove_dir(copy);
	remove_dir(dir);
}

/* A journal of 14 signals in two batches, in one segment, and what is done to its files. */
struct harm {
	const char *name; /* of the file; NULL: the lines */
	size_t bytes;     /* how much of it is left */
	const char *problem;
	uint64_t signals, unindexed, last;
};

static void harm_and_compare(const char *dir, const struct harm *h)
{
	char *path = segment_path(dir, 1, h->name ? SEGMENT_INDEX : SEGMENT_LINES);
	struct findings f;
	struct journal *j;
	struct buf story;

	assert_int_equal(truncate(path, (off_t)h->bytes), 0);
	verify(dir, &f);
	assert_string_equal(f.first, h->problem);
	assert_int_equal(f.report.signals, h->signals);
	assert_int_equal(f.report.unindexed, h->unindexed);
	j = open_in(dir);
	assert_int_equal(journal_last_seq(j), 14);
	read_all(j, (struct position){.seq = 0}, KIB, &story);
	assert_int_equal(strtoull(strchr(story.at, '-') + 1, NULL, 10), h->last);
	journal_close(j);
	verify(dir, &f);
	assert_int_equal(f.report.problems, 0);
	assert_int_equal(f.report.signals, h->signals);
	assert_int_equal(f.report.lost, 14 - h->signals);
	buf_finish(&story);
	free(path);
}

/* What it says of the newest segment is what the next start does. */
static void what_the_next_start_will_keep_is_told(void **state)
{
	static const struct harm harms[] = {
		{"index", 0, "segment 1: its index is cut short", 14, 14, 14},
		{"index", 40, "segment 1: its index is cut short", 14, 2, 14},
		{"index", 55, "segment 1: its index is cut short", 14, 2, 14},
	};

	for (int clean = 0; clean < 2; clean++)
		for (size_t i = 0; i < sizeof harms / sizeof *harms; i++) {
			char *dir = new_dir(), *copy;
			struct journal *j = open_in(dir);

			commit(j, 12);
			commit(j, 2);
			copy = crash_copy(dir);
			journal_close(j);
			make_old(clean ? dir : copy, !clean);
			harm_and_compare(clean ? dir : copy, &harms[i]);
			remove_dir(copy);
			remove_dir(dir);
		}
}

static void a_batch_that_is_cut_short_is_told_with_what_is_kept(void **state)
{
	char *dir = new_dir();
	char *path = segment_path(dir, 1, SEGMENT_LINES);
	struct harm h = {.signals = 13, .unindexed = 1, .last = 13};
	char words[80];
	struct journal *j = open_in(dir);
	struct buf lines;

	commit(j, 12);
	commit(j, 2);
	journal_close(j);
	snprintf(words, sizeof words, "segment 1: signals 13 to 14, at byte %zu, are damaged",
	         place_of(path, "{\"seq\":13,"));
	load_file(path, &lines);
	h.bytes = lines.len - 2;
	h.problem = words;
	harm_and_compare(dir, &h);
	buf_finish(&lines);
	free(path);
	remove_dir(dir);
}

static void rubbish_in_the_newest_index_is_told(void **state)
{
	char *dir = new_dir();
	struct journal *j = open_in(dir);
	char *path, rubbish[80];
	struct findings f;

	commit(j, 14);
	journal_close(j);
	make_old(dir, false);
	path = segment_path(dir, 1, SEGMENT_INDEX);
	memset(rubbish, 'x', sizeof rubbish);
	save_file(path, (struct text){rubbish, sizeof rubbish});
	verify(dir, &f);
	assert_true(f.report.problems >= 2);
	assert_int_equal(f.report.unindexed, 14);
	unlink(path);
	expect_problem(dir, "segment 1: its first line is damaged, or it is old and its index is "
	                    "missing");
	j = open_in(dir);
	expect_story(j, 0, "1-14");
	journal_close(j);
	expect_problem(dir, "");
	free(path);
	remove_dir(dir);
}

static void what_a_start_refuses_or_misses_is_told(void **state)
{
	uint64_t second, last;
	char *dir = some_journal(&second, &last);
	char *pipe = path_in(dir, "pipe"), *format = path_in(dir, "format");

	assert_int_equal(mkfifo(pipe, 0600), 0);
	expect_problem(dir, "journal/pipe is no regular file; the next start refuses it");
	unlink(pipe);
	assert_int_equal(mkdir(pipe, 0700), 0);
	expect_problem(dir, "journal/pipe is no regular file; the next start refuses it");
	rmdir(pipe);
	unlink(format);
	expect_problem(dir, "journal/format is missing; the next start writes it");
	journal_close(open_in(dir));
	expect_problem(dir, "");
	free(pipe);
	free(format);
	remove_dir(dir);
}

/* Under the name of a segment it must not be waited for either. */
static void a_pipe_in_the_place_of_a_segment_is_told(void **state)
{
	static const enum segment_file which[] = {SEGMENT_LINES, SEGMENT_INDEX};

	for (size_t i = 0; i < 2; i++) {
		uint64_t second, last;
		char *dir = some_journal(&second, &last);
		char *path = segment_path(dir, second, which[i]);
		struct findings f;

		unlink(path);
		assert_int_equal(mkfifo(path, 0600), 0);
		verify(dir, &f);
		assert_non_null(strstr(f.first, "is no regular file"));
		free(path);
		remove_dir(dir);
	}
}

static void a_directory_without_a_journal_is_an_error(void **state)
{
	char *dir = new_dir();
	struct journal_report report = {0};
	struct error why;

	assert_false(journal_verify(dir, &report, &why));
	assert_non_null(strstr(why.words, "journal"));
	remove_dir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_journal_is_found_whole),
		cmocka_unit_test(a_running_journal_can_be_verified),
		cmocka_unit_test(damage_is_told_with_its_place),
		cmocka_unit_test(a_segment_that_was_only_begun_is_no_damage),
		cmocka_unit_test(a_damaged_first_line_is_told_and_nothing_is_lost),
		cmocka_unit_test(what_is_missing_is_told),
		cmocka_unit_test(a_line_with_another_seq_is_told),
		cmocka_unit_test(a_crash_is_not_damage),
		cmocka_unit_test(what_the_next_start_will_keep_is_told),
		cmocka_unit_test(a_batch_that_is_cut_short_is_told_with_what_is_kept),
		cmocka_unit_test(rubbish_in_the_newest_index_is_told),
		cmocka_unit_test(what_a_start_refuses_or_misses_is_told),
		cmocka_unit_test(a_pipe_in_the_place_of_a_segment_is_told),
		cmocka_unit_test(a_directory_without_a_journal_is_an_error),
	};

	log_set_level(LOG_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

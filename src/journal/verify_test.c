/* verify_test.c - a whole journal is found whole, and each kind of damage told. */
#include "journal/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "journal/fixture.h"

/* The last problem and how many there were. */
struct findings {
	char words[256];
	struct journal_report report;
};

static void note(void *self, const char *words)
{
	struct findings *f = self;

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

static void damage_is_told_with_its_place(void **state)
{
	uint64_t second, last;
	char *dir = some_journal(&second, &last);
	char *lines = segment_path(dir, 1, SEGMENT_LINES);
	char *index = segment_path(dir, 1, SEGMENT_INDEX);
	struct findings f;

	flip(lines, 33);
	expect_problem(dir, "segment 1: signals 1 to 10, at byte 0, are damaged");
	flip(lines, 33);
	expect_problem(dir, "");
	flip(index, 33);
	verify(dir, &f);
	assert_int_equal(f.report.problems, 2);
	assert_string_equal(f.words, "segment 1: signals 1 to 10 are missing");
	flip(index, 33);
	expect_problem(dir, "");
	free(lines);
	free(index);
	remove_dir(dir);
}

static void what_is_missing_is_told(void **state)
{
	uint64_t second, last;
	char *dir = some_journal(&second, &last), words[120];
	char *lines = segment_path(dir, second, SEGMENT_LINES);
	char *index = segment_path(dir, second, SEGMENT_INDEX);
	char *epochs = path_in(dir, "epochs");
	struct findings f;

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
	assert_string_equal(f.words, "there is no epoch");
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

	journal_append(j, TEXT("{\"seq\":1,"), TEXT("\"id\":\"a\"}"), true);
	journal_append(j, TEXT("{\"seq\":20,"), TEXT("\"id\":\"b\"}"), true);
	journal_close(j);
	j = open_in(dir);
	commit(j, 1);
	journal_close(j);
	verify(dir, &f);
	assert_int_equal(f.report.problems, 1);
	assert_non_null(strstr(f.words, "are damaged"));
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
	load_file(path, &file);
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
		cmocka_unit_test(what_is_missing_is_told),
		cmocka_unit_test(a_line_with_another_seq_is_told),
		cmocka_unit_test(a_crash_is_not_damage),
		cmocka_unit_test(a_directory_without_a_journal_is_an_error),
	};

	log_set_level(LOG_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

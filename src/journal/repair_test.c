/* repair_test.c - whatever is wrong with the files: after a repair nothing is, and what could
 * be read before can be read still. */
#include "journal/repair.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/must.h"
#include "journal/batch.h"
#include "journal/fixture.h"
#include "journal/verify.h"

/* Several segments of commits of ten. */
static char *journal_of(unsigned segments, bool is_old, uint64_t *second)
{
	char *dir = new_dir();
	struct journal_options o = some_options(dir);
	struct journal *j;

	o.segment_bytes = 4 * KIB;
	j = open_with(&o);
	*second = 0;
	while (journal_stats(j).segments < segments) {
		commit(j, 10);
		if (!*second && journal_stats(j).segments == 2)
			*second = journal_last_seq(j) - 9;
	}
	journal_close(j);
	if (is_old)
		make_old(dir, false);
	return dir;
}

static struct journal_repair repaired(const char *dir)
{
	struct journal_repair r;
	struct error why = {""};

	journal_repair(dir, &r, &why);
	assert_string_equal(why.words, "");
	return r;
}

static uint64_t problems_in(const char *dir)
{
	struct journal_report report = {0};
	struct error why = {""};

	assert_true(journal_verify(dir, &report, &why));
	return report.problems;
}

static void story_of(const char *dir, struct buf *story)
{
	struct journal *j = open_in(dir);

	read_all(j, (struct position){.seq = 0}, KIB, story);
	journal_close(j);
}

/* The words of it, where a gap that was damage is a loss. */
static char *as_repaired(const struct buf *story)
{
	char *out = must_print("%s", story->at), *at;

	while ((at = strstr(out, "damaged"))) {
		memcpy(at, "lost", 4);
		memmove(at + 4, at + 7, strlen(at + 7) + 1);
	}
	return out;
}

/* Both in the same words, so far as a repair finds no more than a reader. */
static void expect_same_after_repair(const char *dir)
{
	struct buf before, after;
	char *expected;

	story_of(dir, &before);
	assert_true(problems_in(dir) > 0);
	assert_true(repaired(dir).rewritten > 0);
	assert_int_equal(problems_in(dir), 0);
	story_of(dir, &after);
	expected = as_repaired(&before);
	assert_string_equal(after.at, expected);
	assert_int_equal(repaired(dir).rewritten, 0);
	free(expected);
	buf_finish(&before);
	buf_finish(&after);
}

static void flip(const char *dir, uint64_t first, const char *at_text)
{
	char *path = segment_path(dir, first, SEGMENT_LINES), *at;
	struct buf file;

	load_file(path, &file);
	at = memmem(file.at, file.len, at_text, strlen(at_text));
	assert_non_null(at);
	at[strlen(at_text) - 1] ^= 0x04;
	save_file(path, buf_text(&file));
	buf_finish(&file);
	free(path);
}

/* The last digit of a head's check. */
static void flip_check(const char *dir, const char *head)
{
	char *path = segment_path(dir, 1, SEGMENT_LINES), *at;
	struct buf file;

	load_file(path, &file);
	at = memmem(file.at, file.len, head, strlen(head));
	assert_non_null(at);
	at = memchr(at, '\n', BATCH_HEAD_MAX);
	assert_non_null(at);
	at[-3] = at[-3] == '0' ? '1' : '0';
	save_file(path, buf_text(&file));
	buf_finish(&file);
	free(path);
}

/* Every line but one, which has a flipped bit, in some file of the journal. */
static void expect_all_lines_in(const char *dir, uint64_t last)
{
	char *journal = must_print("%s/journal", dir);
	DIR *list = opendir(journal);
	struct buf all, file;
	struct dirent *d;
	unsigned missing = 0;

	assert_non_null(list);
	buf_init(&all, 16 * MIB);
	while ((d = readdir(list))) {
		char *path = path_in(dir, d->d_name);

		if (d->d_type == DT_REG) {
			load_file(path, &file);
			buf_add(&all, buf_text(&file));
			buf_finish(&file);
		}
		free(path);
	}
	closedir(list);
	for (uint64_t seq = 1; seq <= last; seq++) {
		char line[400];
		size_t len = line_of(seq, line, sizeof line);

		missing += !memmem(all.at, all.len, line, len);
	}
	assert_true(missing <= 1);
	buf_finish(&all);
	free(journal);
}

static void a_sound_journal_is_left_alone(void **state)
{
	for (int is_old = 0; is_old < 2; is_old++) {
		uint64_t second;
		char *dir = journal_of(3, is_old, &second);
		char *path = segment_path(dir, 1, SEGMENT_LINES);
		struct buf before, after;

		load_file(path, &before);
		assert_int_equal(repaired(dir).rewritten, 0);
		load_file(path, &after);
		assert_true(text_equal(buf_text(&before), buf_text(&after)));
		buf_finish(&before);
		buf_finish(&after);
		free(path);
		remove_dir(dir);
	}
}

static uint64_t signals_in(const char *dir)
{
	struct journal_report report = {0};

	assert_true(journal_verify(dir, &report, NULL));
	return report.signals;
}

/* All that could be read can be read, and whatever cannot is in some quarantine. */
static void expect_repair_of(const char *whole, enum segment_file which, struct text bytes)
{
	char *dir = crash_copy(whole), *damaged = segment_path(dir, 1, which);
	uint64_t before;

	save_file(damaged, bytes);
	before = signals_in(dir);
	repaired(dir);
	assert_int_equal(problems_in(dir), 0);
	assert_true(signals_in(dir) >= before);
	expect_all_lines_in(dir, signals_in(whole));
	assert_int_equal(repaired(dir).rewritten, 0);
	free(damaged);
	remove_dir(dir);
}

/* In every region of a segment that is not the newest. */
static void a_flipped_bit_anywhere_is_repaired(void **state)
{
	for (int form = 0; form < 3; form++) { /* new, old, the index of an old one */
		enum segment_file which = form == 2 ? SEGMENT_INDEX : SEGMENT_LINES;
		uint64_t second;
		char *whole = journal_of(3, form > 0, &second);
		char *path = segment_path(whole, 1, which);
		struct buf file;

		load_file(path, &file);
		for (size_t at = form == 1 ? 3 : 0; at < file.len; at += form == 2 ? 5 : 97) {
			file.at[at] ^= 0x04;
			expect_repair_of(whole, which, buf_text(&file));
			file.at[at] ^= 0x04;
		}
		buf_finish(&file);
		free(path);
		remove_dir(whole);
	}
}

/* A byte of a head: its lines are known by what is left of it. */
static void lines_behind_a_damaged_head_are_given_back(void **state)
{
	char *dir = new_dir();
	struct journal *j = open_in(dir);
	struct journal_repair r;

	for (int i = 0; i < 4; i++)
		commit(j, 10);
	journal_close(j);
	flip(dir, 1, "{\"commit\":10,\"f"); /* the first of all */
	flip(dir, 1, "{\"commit\":30,\"f");
	r = repaired(dir);
	assert_int_equal(r.gone, 0);
	assert_int_equal(r.unchecked, 20);
	j = open_in(dir);
	expect_story(j, 0, "1-40");
	journal_close(j);
	remove_dir(dir);
}

/* Its head has another checksum: one of them is wrong, and the other may be. */
static void lines_that_their_head_contradicts_are_not_believed(void **state)
{
	uint64_t second;
	char *dir = journal_of(3, false, &second);
	char *line = must_print("{\"seq\":%llu,", (unsigned long long)second - 3);
	char *head = must_print("{\"commit\":%llu,", (unsigned long long)second - 1);
	struct buf story;

	flip(dir, 1, line);
	flip_check(dir, head);
	repaired(dir);
	assert_int_equal(problems_in(dir), 0);
	story_of(dir, &story);
	assert_non_null(strstr(story.at, " lost"));
	buf_finish(&story);
	free(line);
	free(head);
	remove_dir(dir);
}

static void damage_becomes_a_gap_and_the_bytes_are_kept(void **state)
{
	for (int is_old = 0; is_old < 2; is_old++) {
		uint64_t second;
		char *dir = journal_of(3, is_old, &second);
		char *aside = segment_path(dir, 1, SEGMENT_QUARANTINE);
		struct buf file;

		flip(dir, 1, "{\"seq\":4,");
		expect_same_after_repair(dir);
		load_file(aside, &file);
		assert_non_null(memmem(file.at, file.len, "{\"seq\":5,", 9));
		buf_finish(&file);
		free(aside);
		remove_dir(dir);
	}
}

static void lines_that_have_lost_their_index_are_given_back(void **state)
{
	uint64_t second;
	char *dir = journal_of(3, true, &second), *index = segment_path(dir, 1, SEGMENT_INDEX);
	struct buf story;

	assert_int_equal(unlink(index), 0);
	story_of(dir, &story);
	assert_non_null(strstr(story.at, "gap 1-"));
	buf_finish(&story);
	assert_int_equal(repaired(dir).gone, 0);
	assert_int_equal(problems_in(dir), 0);
	story_of(dir, &story);
	assert_null(strstr(story.at, "gap"));
	buf_finish(&story);
	free(index);
	remove_dir(dir);
}

static void a_missing_segment_becomes_a_gap(void **state)
{
	uint64_t second;
	char *dir = journal_of(3, false, &second);
	char *path = segment_path(dir, second, SEGMENT_LINES);

	assert_int_equal(unlink(path), 0);
	expect_same_after_repair(dir);
	free(path);
	remove_dir(dir);
}

/* What a start leaves where it is, because it was acknowledged, is gone after a repair. */
static void damage_in_the_newest_segment_is_repaired_too(void **state)
{
	char *dir = new_dir();
	struct journal *j = open_in(dir);

	commit(j, 10);
	commit(j, 10);
	journal_close(j);
	flip(dir, 1, "{\"seq\":4,");
	expect_same_after_repair(dir);
	j = open_in(dir);
	commit(j, 1);
	expect_story(j, 0, "gap 1-10 lost 11-21");
	journal_close(j);
	remove_dir(dir);
}

static void damaged_checkpoints_go(void **state)
{
	uint64_t second;
	char *dir = journal_of(2, false, &second);
	char *old = path_in(dir, "checkpoint-1"),
	     *kept = path_in(dir, "00000000000000000001.checkpoint");

	save_file(old, TEXT("rubbish"));
	save_file(kept, TEXT("rubbish"));
	assert_int_equal(problems_in(dir), 2);
	repaired(dir);
	assert_int_equal(problems_in(dir), 0);
	assert_int_equal(access(old, F_OK), -1);
	assert_int_equal(access(kept, F_OK), -1);
	free(old);
	free(kept);
	remove_dir(dir);
}

static void a_box_that_runs_is_not_repaired(void **state)
{
	char *dir = new_dir();
	struct journal *j = open_in(dir);
	struct journal_repair r;
	struct error why = {""};

	assert_false(journal_repair(dir, &r, &why));
	assert_non_null(strstr(why.words, "is in use by signalbox"));
	journal_close(j);
	remove_dir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sound_journal_is_left_alone),
		cmocka_unit_test(a_flipped_bit_anywhere_is_repaired),
		cmocka_unit_test(lines_behind_a_damaged_head_are_given_back),
		cmocka_unit_test(lines_that_their_head_contradicts_are_not_believed),
		cmocka_unit_test(damage_becomes_a_gap_and_the_bytes_are_kept),
		cmocka_unit_test(lines_that_have_lost_their_index_are_given_back),
		cmocka_unit_test(a_missing_segment_becomes_a_gap),
		cmocka_unit_test(damage_in_the_newest_segment_is_repaired_too),
		cmocka_unit_test(damaged_checkpoints_go),
		cmocka_unit_test(a_box_that_runs_is_not_repaired),
	};

	log_set_level(LOG_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* reader_test.c - reading from any position, cold files, segments that go. */
#include "journal/reader.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/must.h"
#include "journal/cold.h"
#include "journal/fixture.h"
#include "journal/inside.h"

#define SIGNALS 3000

/* Files of many small batches, nothing of it in memory. */
static struct journal *reopened(const char *dir)
{
	struct journal_options o = some_options(dir);
	struct journal *j;

	o.segment_bytes = 64 * KIB;
	j = open_with(&o);
	for (unsigned i = 0; journal_last_seq(j) < SIGNALS; i++)
		commit(j, 1 + i * 37 % 60);
	journal_close(j);
	return open_with(&o);
}

static void forget_pages(const char *dir)
{
	for (uint64_t seq = 1; seq <= SIGNALS; seq++) {
		for (int which = SEGMENT_LINES; which <= SEGMENT_INDEX; which++) {
			char *path = segment_path(dir, seq, (enum segment_file)which);
			int fd = open(path, O_RDONLY);

			if (fd >= 0) {
				posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
				close(fd);
			}
			free(path);
		}
	}
}

static uint64_t read_one(struct journal *j, struct journal_reader *r)
{
	enum journal_news news;
	struct text lines;
	struct gap gap;
	char expected[400];
	size_t len = line_of(journal_reader_next(r), expected, sizeof expected);

	while ((news = journal_read(r, 1, &lines, &gap)) == JOURNAL_COLD) {
		journal_wait(j, WAIT_MS);
		journal_poll(j);
	}
	assert_int_equal(news, JOURNAL_LINES);
	assert_int_equal(lines.len, len + 1);
	assert_memory_equal(lines.at, expected, len);
	return journal_reader_next(r);
}

static void a_reader_starts_anywhere(void **state)
{
	char *dir = new_dir();
	struct journal *j = reopened(dir);
	uint64_t last = journal_last_seq(j);
	struct journal_reader *r = journal_reader_create(j, 0);

	for (uint64_t i = 0; i < 2000; i++) {
		uint64_t seq = 1 + i * 7919 % last;

		journal_reader_seek(r, seq);
		assert_int_equal(read_one(j, r), seq);
	}
	journal_reader_seek(r, 0);
	assert_int_equal(journal_reader_next(r), 1);
	journal_reader_seek(r, UINT64_MAX);
	assert_int_equal(journal_reader_next(r), last + 1);
	journal_reader_destroy(r);
	journal_reader_destroy(NULL);
	journal_close(j);
	remove_dir(dir);
}

static void what_was_given_may_be_used_in_part(void **state)
{
	char *dir = new_dir();
	struct journal *j = reopened(dir);
	struct journal_reader *r = journal_reader_create(j, 0);
	struct text lines, rest;
	struct gap gap;
	enum journal_news news;

	while ((news = journal_read(r, 8 * KIB, &lines, &gap)) != JOURNAL_END) {
		uint64_t next = journal_reader_next(r);
		unsigned use = 1 + next % 5;
		char expected[400];

		if (news == JOURNAL_COLD) {
			journal_wait(j, WAIT_MS);
			journal_poll(j);
			continue;
		}
		assert_int_equal(news, JOURNAL_LINES);
		for (rest = lines; use > 0 && rest.len > 0; use--) {
			struct text line = text_cut(rest, '\n', &rest);

			assert_int_equal(line.len, line_of(next++, expected, sizeof expected));
			assert_memory_equal(line.at, expected, line.len);
		}
		journal_reader_take(r, lines.len - rest.len, next);
	}
	assert_int_equal(journal_reader_next(r), journal_last_seq(j) + 1);
	journal_reader_destroy(r);
	journal_close(j);
	remove_dir(dir);
}

static void cold_files_are_fetched_by_the_other_thread(void **state)
{
	char *dir = new_dir();
	struct journal *j = reopened(dir);
	char story[40];

	snprintf(story, sizeof story, "1-%llu", (unsigned long long)journal_last_seq(j));
	for (int i = 0; i < 3; i++) {
		forget_pages(dir);
		expect_story(j, 0, story);
	}
	journal_close(j);
	remove_dir(dir);
}

/* One read of a reader that expects line after line. */
static void follow(struct journal *j, struct journal_reader *r, size_t max)
{
	uint64_t next = journal_reader_next(r);
	char expected[400];
	struct text lines, rest;
	struct gap gap;

	switch (journal_read(r, max, &lines, &gap)) {
	case JOURNAL_LINES:
		for (rest = lines; rest.len > 0;) {
			struct text line = text_cut(rest, '\n', &rest);

			assert_int_equal(line.len, line_of(next++, expected, sizeof expected));
			assert_memory_equal(line.at, expected, line.len);
		}
		journal_reader_take(r, lines.len, next);
		break;
	case JOURNAL_COLD:
		journal_poll(j);
		break;
	case JOURNAL_GAP:
		fail();
		break;
	case JOURNAL_END:
		break;
	}
}

static void readers_follow_a_writer_without_hole_or_duplicate(void **state)
{
	static const size_t sizes[] = {1, 500, 4 * KIB, 64 * KIB};
	char *dir = new_dir();
	struct journal_options o = some_options(dir);
	struct journal_reader *readers[8];
	struct journal *j;

	o.segment_bytes = 256 * KIB;
	o.commit_ms = 1;
	j = open_with(&o);
	for (uint64_t i = 0; i < 8; i++)
		readers[i] = journal_reader_create(j, 0);
	while (journal_last_seq(j) < 40000) {
		for (uint64_t i = 0; i < 1 + journal_last_seq(j) % 100; i++)
			append(j, i % 10 == 0);
		for (unsigned i = 0; i < 8; i++)
			if ((journal_last_seq(j) >> i) % 3 == 0)
				follow(j, readers[i], sizes[i % 4]);
		journal_poll(j);
	}
	for (unsigned i = 0; i < 8; i++) {
		while (journal_reader_next(readers[i]) <= journal_last_seq(j)) {
			follow(j, readers[i], 64 * KIB);
			journal_poll(j);
		}
		journal_reader_destroy(readers[i]);
	}
	journal_close(j);
	remove_dir(dir);
}

static void warmed(void *self)
{
	++*(unsigned *)self;
}

/* As on a file system that cannot say whether a read would wait. */
static void where_nobody_can_ask_everything_is_fetched_first(void **state)
{
	char *dir = new_dir();
	struct journal *j = reopened(dir);
	struct journal_reader *r = journal_reader_create(j, 0);
	uint64_t last = journal_last_seq(j);
	unsigned times = 0;

	j->options.warmed = warmed;
	j->options.self = &times;
	read_one(j, r);
	for (uint64_t i = 0; i < 300; i++) {
		list_each(&j->files, l) {
			struct open_file *f = list_of(l, struct open_file, in_journal);

			f->cannot_ask = true;
		}
		journal_reader_seek(r, 1 + i * 7919 % last);
		read_one(j, r);
	}
	assert_true(times > 0);
	journal_reader_destroy(r);
	journal_close(j);
	remove_dir(dir);
}

static void a_reader_may_go_while_it_waits(void **state)
{
	char *dir = new_dir();
	struct journal *j = reopened(dir);
	uint64_t last = journal_last_seq(j);

	for (uint64_t i = 0; i < 200; i++) {
		uint64_t after = i * 7919 % last;
		struct journal_reader *r = journal_reader_create(j, after);
		struct text lines;
		struct gap gap;

		if (i % 20 == 0)
			forget_pages(dir);
		journal_read(r, 100, &lines, &gap);
		if (i % 3 == 0)
			journal_read(r, 100, &lines, &gap);
		journal_reader_destroy(r);
		if (i % 7 == 0)
			journal_poll(j);
	}
	assert_true(list_is_empty(&j->files) || journal_stats(j).segments > 0);
	journal_close(j);
	remove_dir(dir);
}

static void old_segments_go_and_who_asks_is_told(void **state)
{
	char *dir = new_dir();
	struct journal_options o = some_options(dir);
	struct journal *j;
	uint64_t first, last;
	char story[80];

	o.segment_bytes = 64 * KIB;
	o.keep_bytes = 256 * KIB;
	j = open_with(&o);
	while (journal_last_seq(j) < 30000)
		commit(j, 100);
	journal_close(j);
	j = open_with(&o);
	first = journal_first_seq(j);
	last = journal_last_seq(j);
	assert_true(first > 20000);
	assert_true(journal_stats(j).bytes <= 320 * KIB);
	snprintf(story, sizeof story, "%llu-%llu", (unsigned long long)first,
	         (unsigned long long)last);
	expect_story(j, 0, story);
	snprintf(story, sizeof story, "gap 101-%llu expired %llu-%llu",
	         (unsigned long long)first - 1, (unsigned long long)first,
	         (unsigned long long)last);
	expect_story(j, 100, story);
	journal_close(j);
	remove_dir(dir);
}

static void a_reader_keeps_its_segment_although_it_is_gone(void **state)
{
	char *dir = new_dir();
	struct journal_options o = some_options(dir);
	struct journal *j;
	struct journal_reader *r;
	char line[400], *path = segment_path(dir, 1, SEGMENT_LINES);

	o.segment_bytes = 64 * KIB;
	j = open_with(&o);
	commit(j, 1000);
	journal_close(j);
	o.keep_bytes = 512 * KIB;
	j = open_with(&o);
	r = journal_reader_create(j, 0);
	read_one(j, r);
	while (access(path, F_OK) == 0) {
		assert_true(journal_last_seq(j) < 100000);
		commit(j, 100);
	}
	for (uint64_t seq = 1; seq <= 100; seq++) {
		assert_int_equal(read_one(j, r), seq);
		journal_reader_take(r, line_of(seq, line, sizeof line) + 1, seq + 1);
	}
	journal_reader_destroy(r);
	free(path);
	journal_close(j);
	remove_dir(dir);
}

static void old_age_is_a_reason_to_go_too(void **state)
{
	char *dir = new_dir();
	struct journal_options o = some_options(dir);
	char *path = segment_path(dir, 1, SEGMENT_LINES);
	struct timespec times[2] = {{.tv_sec = 1000000}, {.tv_sec = 1000000}};
	struct journal *j;

	o.segment_bytes = 64 * KIB;
	o.keep_days = 30;
	j = open_with(&o);
	while (journal_stats(j).segments < 3)
		commit(j, 100);
	assert_int_equal(journal_first_seq(j), 1);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	while (access(path, F_OK) == 0 && journal_last_seq(j) < 10000)
		commit(j, 100);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(journal_stats(j).segments, 3);
	free(path);
	journal_close(j);
	remove_dir(dir);
}

static void a_damaged_batch_is_a_gap_for_whoever_reads_it(void **state)
{
	char *dir = new_dir();
	struct journal *j = reopened(dir);
	uint64_t last = journal_last_seq(j);
	char *path = segment_path(dir, 1, SEGMENT_LINES);
	struct buf file, story;
	char end[24];

	load_file(path, &file);
	file.at[file.len / 2] ^= 1;
	save_file(path, buf_text(&file));
	read_all(j, (struct position){.seq = 0}, 4 * KIB, &story);
	assert_int_equal(strncmp(story.at, "1-", 2), 0);
	assert_non_null(strstr(story.at, "damaged"));
	snprintf(end, sizeof end, "-%llu", (unsigned long long)last);
	assert_non_null(strstr(story.at, end));
	buf_finish(&file);
	buf_finish(&story);
	free(path);
	journal_close(j);
	remove_dir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reader_starts_anywhere),
		cmocka_unit_test(what_was_given_may_be_used_in_part),
		cmocka_unit_test(readers_follow_a_writer_without_hole_or_duplicate),
		cmocka_unit_test(cold_files_are_fetched_by_the_other_thread),
		cmocka_unit_test(where_nobody_can_ask_everything_is_fetched_first),
		cmocka_unit_test(a_reader_may_go_while_it_waits),
		cmocka_unit_test(old_segments_go_and_who_asks_is_told),
		cmocka_unit_test(a_reader_keeps_its_segment_although_it_is_gone),
		cmocka_unit_test(old_age_is_a_reason_to_go_too),
		cmocka_unit_test(a_damaged_batch_is_a_gap_for_whoever_reads_it),
	};

	log_set_level(LOG_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

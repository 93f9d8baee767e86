/* journal_test.c - open, append, commit, read, close, and open again. */
#include "journal/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/must.h"
#include "journal/fixture.h"
#include "journal/lock.h"

static void what_is_appended_can_be_read_at_once(void **state)
{
	char *dir = new_dir();
	struct journal *j = open_in(dir);

	assert_int_equal(journal_last_seq(j), 0);
	assert_int_equal(journal_first_seq(j), 1);
	expect_story(j, 0, "");
	for (int i = 0; i < 100; i++)
		assert_int_equal(append(j, false), JOURNAL_KEPT);
	assert_int_equal(journal_last_seq(j), 100);
	expect_story(j, 0, "1-100");
	expect_story(j, 99, "100-100");
	journal_close(j);
	remove_dir(dir);
}

static void what_was_appended_is_there_after_a_clean_stop(void **state)
{
	char *dir = new_dir();
	struct journal *j = open_in(dir);
	char *epoch = strdup(journal_epoch(j));

	for (int i = 0; i < 1000; i++)
		append(j, false);
	journal_close(j);
	j = open_in(dir);
	assert_string_not_equal(journal_epoch(j), epoch);
	assert_int_equal(journal_last_seq(j), 1000);
	assert_int_equal(journal_durable_seq(j), 1000);
	expect_story(j, 0, "1-1000");
	expect_story(j, 500, "501-1000");
	commit(j, 10);
	expect_story(j, 990, "991-1010");
	journal_close(j);
	free(epoch);
	remove_dir(dir);
}

#define FILE_START "{\"journal\":2,\"segment\":1,\"check\":\""
#define LINE_ONE "\n{\"seq\":1,\"id\":\"a\"}\n"

static void lines_are_in_the_file_as_they_were_given(void **state)
{
	char *dir = new_dir();
	struct journal *j = open_in(dir);
	char *path = segment_path(dir, 1, SEGMENT_LINES);
	struct buf file;
	struct stat st;

	journal_append(j, TEXT("{\"seq\":1,"), TEXT("\"id\":\"a\"}"), true, NULL);
	journal_append(j, TEXT(""), TEXT("{\"seq\":2}"), true, NULL);
	journal_append(j, TEXT("{\"seq\":3}"), TEXT(""), true, NULL);
	wait_durable(j);
	load_lines(path, &file);
	assert_true(text_starts(buf_text(&file), TEXT(FILE_START)));
	assert_non_null(memmem(file.at, file.len, LINE_ONE, strlen(LINE_ONE)));
	assert_true(text_ends(buf_text(&file), TEXT("{\"seq\":3}\n")));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	free(path);
	path = path_in(dir, "");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	journal_close(j);
	buf_finish(&file);
	free(path);
	remove_dir(dir);
}

static void told(void *self, uint64_t seq)
{
	*(uint64_t *)self = seq;
}

static void a_hurried_line_is_durable_soon_and_the_others_with_it(void **state)
{
	char *dir = new_dir();
	uint64_t durable = 0;
	struct journal_options o = some_options(dir);
	struct journal *j;

	o.durable = told;
	o.self = &durable;
	o.commit_ms = 60000; /* nobody commits for the sake of time */
	j = open_with(&o);
	append(j, false);
	append(j, false);
	append(j, true);
	wait_durable(j);
	assert_int_equal(durable, 3);
	assert_int_equal(journal_durable_seq(j), 3);
	journal_close(j);
	remove_dir(dir);
}

static void lines_are_durable_soon_for_who_comes_to_wait_for_them(void **state)
{
	char *dir = new_dir();
	struct journal_options o = some_options(dir);
	struct journal *j;

	o.commit_ms = 10 * WAIT_MS;
	j = open_with(&o);
	append(j, false);
	append(j, false);
	journal_hurry(j);
	journal_commit(j);
	wait_durable(j);
	assert_int_equal(journal_durable_seq(j), 2);
	journal_close(j);
	remove_dir(dir);
}

static void a_line_that_nobody_waits_for_is_durable_after_a_while(void **state)
{
	char *dir = new_dir();
	struct journal *j = open_in(dir);

	append(j, false);
	wait_durable(j);
	journal_close(j);
	remove_dir(dir);
}

static void a_megabyte_does_not_wait_for_the_clock(void **state)
{
	char *dir = new_dir();
	struct journal_options o = some_options(dir);
	struct journal *j;

	o.commit_ms = 60000;
	j = open_with(&o);
	while (journal_stats(j).waiting < 1 * MIB && journal_last_seq(j) < 100000)
		append(j, false);
	for (int i = 0; journal_durable_seq(j) == 0; i++) {
		assert_true(i < WAIT_MS / 10);
		journal_wait(j, 10);
		journal_poll(j);
	}
	journal_close(j);
	remove_dir(dir);
}

static void long_lines_are_whole(void **state)
{
	char *dir = new_dir();
	struct journal *j = open_in(dir);
	size_t sizes[] = {BUFSIZ, 255 * KIB, 256 * KIB, 300 * KIB, 3 * MIB, 10};
	char *line = malloc(3 * MIB);
	struct journal_reader *r;
	struct text lines;
	struct gap gap;

	memset(line, 'y', 3 * MIB);
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < 6 && round == 0; i++)
			journal_append(j, TEXT("{"), (struct text){line, sizes[i]}, true, NULL);
		wait_durable(j);
		r = journal_reader_create(j, 0);
		for (size_t i = 0; i < 6;) {
			enum journal_news news = journal_read(r, 1000, &lines, &gap);

			if (news == JOURNAL_COLD) {
				journal_wait(j, WAIT_MS);
				journal_poll(j);
				continue;
			}
			assert_int_equal(news, JOURNAL_LINES);
			assert_int_equal(lines.len, sizes[i] + 2);
			assert_int_equal(lines.at[lines.len - 1], '\n');
			i++;
			journal_reader_take(r, lines.len, i + 1);
		}
		assert_int_equal(journal_read(r, 1000, &lines, &gap), JOURNAL_END);
		journal_reader_destroy(r);
		journal_close(j);
		j = open_in(dir);
	}
	journal_close(j);
	free(line);
	remove_dir(dir);
}

static void segments_follow_one_another(void **state)
{
	char *dir = new_dir();
	struct journal_options o = some_options(dir);
	struct journal *j;

	o.segment_bytes = 64 * KIB;
	j = open_with(&o);
	for (int i = 0; i < 100; i++)
		commit(j, 50);
	assert_true(journal_stats(j).segments > 10);
	assert_int_equal(journal_first_seq(j), 1);
	expect_story(j, 0, "1-5000");
	journal_close(j);
	j = open_with(&o);
	assert_int_equal(journal_last_seq(j), 5000);
	expect_story(j, 0, "1-5000");
	expect_story(j, 2500, "2501-5000");
	commit(j, 1);
	expect_story(j, 4990, "4991-5001");
	journal_close(j);
	remove_dir(dir);
}

static void memory_holds_only_the_newest(void **state)
{
	char *dir = new_dir();
	struct journal_options o = some_options(dir);
	struct journal *j;

	o.segment_bytes = 4 * MIB;
	j = open_with(&o);
	for (int i = 0; i < 60; i++)
		commit(j, 1000);
	expect_story(j, 0, "1-60000");
	expect_story(j, 45000, "45001-60000");
	journal_close(j);
	remove_dir(dir);
}

static void a_second_holder_is_told_who_the_first_is(void **state)
{
	char *dir = new_dir();
	struct journal *j = open_in(dir);
	struct journal_options o = some_options(dir);
	struct error why;
	char *expected = NULL;

	assert_null(journal_open(&o, &why));
	assert_true(asprintf(&expected, "%s is in use by signalbox with pid %ld", dir,
	                     (long)getpid()) > 0);
	assert_string_equal(why.words, expected);
	journal_close(j);
	j = open_in(dir);
	journal_close(j);
	free(expected);
	remove_dir(dir);
}

/* A program that a killed box was about to run: it has the lock for a moment. */
static void hold_for_a_moment(const char *dir)
{
	struct error why;

	if (lock_take(dir, &why) >= 0 && fork() == 0)
		usleep(200000);
	_exit(0);
}

static void what_a_killed_holder_left_is_waited_for(void **state)
{
	char *dir = new_dir();
	pid_t holder = fork();
	struct journal *j;
	int status = -1;

	if (holder == 0)
		hold_for_a_moment(dir);
	assert_true(holder > 0);
	assert_int_equal(waitpid(holder, &status, 0), holder);
	j = open_in(dir);
	journal_close(j);
	remove_dir(dir);
}

static void a_directory_that_is_not_there_is_an_error(void **state)
{
	struct journal_options o = some_options("/nonexistent/signalbox");
	struct error why;

	assert_null(journal_open(&o, &why));
	assert_non_null(strstr(why.words, "/nonexistent/signalbox"));
}

static void an_empty_journal_opens_at_once(void **state)
{
	char *dir = new_dir();
	uint64_t began = clock_mono_ns();
	struct journal *j = open_in(dir);

	assert_true(clock_mono_ns() - began < 1000 * 1000000ull);
	journal_close(j);
	remove_dir(dir);
}

static void what_waits_is_counted(void **state)
{
	char *dir = new_dir();
	struct journal_options o = some_options(dir);
	struct journal *j;

	o.commit_ms = 60000;
	o.wait_max = 4 * KIB;
	j = open_with(&o);
	assert_true(journal_has_room(j, 4 * KIB));
	assert_false(journal_has_room(j, 4 * KIB + 1));
	while (!journal_is_behind(j))
		append(j, false);
	assert_true(journal_stats(j).waiting > 1 * KIB);
	append(j, true);
	wait_durable(j);
	assert_false(journal_is_behind(j));
	assert_int_equal(journal_stats(j).waiting, 0);
	assert_true(journal_stats(j).bytes > 1 * KIB);
	journal_close(j);
	remove_dir(dir);
}

/* Nothing drains while the clock is not up, so memory can be filled exactly. */
static void beyond_the_ceiling_signals_are_live_only_and_one_line_stands_for_them(void **state)
{
	char *dir = new_dir();
	struct journal_options o = some_options(dir);
	struct journal *j;
	uint64_t kept, last;
	char story[80];

	o.commit_ms = 200;
	o.wait_max = 8 * KIB;
	j = open_with(&o);
	while (append(j, false) == JOURNAL_KEPT)
		;
	kept = journal_last_seq(j) - 1;
	assert_non_null(journal_trouble(j));
	assert_int_equal(append(j, false), JOURNAL_LIVE_ONLY);
	last = journal_last_seq(j);
	snprintf(story, sizeof story, "1-%llu gap %llu-%llu lost", (unsigned long long)kept,
	         (unsigned long long)kept + 1, (unsigned long long)last);
	expect_story(j, 0, story);
	wait_durable(j); /* the gap line too */
	assert_null(journal_trouble(j));
	expect_story(j, 0, story);
	commit(j, 5);
	journal_close(j);

	j = open_in(dir);
	assert_int_equal(journal_last_seq(j), last + 5);
	snprintf(story, sizeof story, "1-%llu gap %llu-%llu lost %llu-%llu",
	         (unsigned long long)kept, (unsigned long long)kept + 1, (unsigned long long)last,
	         (unsigned long long)last + 1, (unsigned long long)last + 5);
	expect_story(j, 0, story);
	journal_close(j);
	remove_dir(dir);
}

/* Of a file's first len bytes, how many the page cache has. */
static size_t cached(int fd, size_t len)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), n = 0;
	unsigned char *in_core = must_alloc(len / page);
	void *at = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, 0);

	assert_true(at != MAP_FAILED);
	assert_int_equal(mincore(at, len, in_core), 0);
	for (size_t i = 0; i < len / page; i++)
		n += in_core[i] & 1;
	munmap(at, len);
	free(in_core);
	return n * page;
}

static void the_page_cache_keeps_only_the_newest(void **state)
{
	char *dir = new_dir(), *name = segment_path(dir, 1, SEGMENT_LINES);
	char *shelf = path_in(dir, "");
	int in, lines;
	char *mib = must_zero(1, MIB);
	struct segment s;
	struct statfs where;
	struct error why;

	assert_int_equal(mkdir(shelf, 0700), 0);
	in = open(shelf, O_RDONLY | O_DIRECTORY);
	assert_true(segment_create(&s, in, 1, &why));
	for (uint64_t n = 1; n <= 40; n++) {
		struct commit_batch batch = {.first = n, .last = n, .bytes = {mib, MIB}};

		assert_true(segment_write(&s, &batch, 1, &why) && segment_sync(&s, &why));
	}
	lines = open(name, O_RDONLY);
	assert_int_equal(fstatfs(in, &where), 0);
	assert_true(cached(lines, 40 * MIB) >= 16 * MIB);
	if (where.f_type != TMPFS_MAGIC) { /* there the cache is all there is */
		assert_true(cached(lines, 40 * MIB) < 24 * MIB);
		segment_finish(&s);
		assert_true(cached(lines, 40 * MIB) < 4 * MIB);
	}
	segment_finish(&s);
	close(lines);
	close(in);
	free(mib);
	free(shelf);
	free(name);
	remove_dir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_appended_can_be_read_at_once),
		cmocka_unit_test(what_was_appended_is_there_after_a_clean_stop),
		cmocka_unit_test(lines_are_in_the_file_as_they_were_given),
		cmocka_unit_test(a_hurried_line_is_durable_soon_and_the_others_with_it),
		cmocka_unit_test(lines_are_durable_soon_for_who_comes_to_wait_for_them),
		cmocka_unit_test(a_line_that_nobody_waits_for_is_durable_after_a_while),
		cmocka_unit_test(a_megabyte_does_not_wait_for_the_clock),
		cmocka_unit_test(long_lines_are_whole),
		cmocka_unit_test(segments_follow_one_another),
		cmocka_unit_test(memory_holds_only_the_newest),
		cmocka_unit_test(the_page_cache_keeps_only_the_newest),
		cmocka_unit_test(a_second_holder_is_told_who_the_first_is),
		cmocka_unit_test(what_a_killed_holder_left_is_waited_for),
		cmocka_unit_test(a_directory_that_is_not_there_is_an_error),
		cmocka_unit_test(an_empty_journal_opens_at_once),
		cmocka_unit_test(what_waits_is_counted),
		cmocka_unit_test(
			beyond_the_ceiling_signals_are_live_only_and_one_line_stands_for_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

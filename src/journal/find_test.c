/* find_test.c - a reader with a sieve gives what a reader of everything gives that passes. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/must.h"
#include "journal/fixture.h"
#include "journal/forget.h"
#include "journal/recent.h"
#include "journal/sieve.h"

#define ROOM 1024
#define SEGMENT_SIZE (64 * KIB)
#define STORY_MAX (16 * MIB)

static uint64_t dice = 88172645463325252u;

static unsigned roll(unsigned sides)
{
	dice ^= dice << 13;
	dice ^= dice >> 7;
	dice ^= dice << 17;
	return sides ? (unsigned)(dice % sides) : 0;
}

/* ---- a journal of signals ---- */

static struct journal *open_small(const char *dir)
{
	struct journal_options o = some_options(dir);

	o.segment_bytes = SEGMENT_SIZE;
	return open_with(&o);
}

static unsigned unknown = 300; /* of so many one has no keys, which says that nobody knows */

/* As the bus does it. */
static void emit(struct journal *j, const char *run, const char *source, const char *type)
{
	char head[64], body[ROOM];
	struct place_keys keys = place_keys_of(text_of(run), text_of(source), text_of(type));
	int head_len = snprintf(head, sizeof head, "{\"seq\":%llu,",
	                        (unsigned long long)journal_last_seq(j) + 1);
	int len =
		snprintf(body, sizeof body,
	                 "\"id\":\"i\",\"type\":\"%s\",\"timestamp\":1,\"source\":\"%s\",%s%s%s"
	                 "\"payload\":{\"text\":\"%.*s\"}}",
	                 type, source, *run ? "\"correlationId\":\"" : "", run, *run ? "\"," : "",
	                 (int)roll(300),
	                 "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqr"
	                 "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqr"
	                 "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqr"
	                 "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqr");

	assert_true(len > 0 && (size_t)len < sizeof body);
	assert_int_equal(journal_append(j, (struct text){head, (size_t)head_len},
	                                (struct text){body, (size_t)len}, false,
	                                roll(unknown) || unknown == 1 ? &keys : NULL),
	                 JOURNAL_KEPT);
}

static void emit_some(struct journal *j, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		char run[32] = "", source[32], type[32];

		if (roll(8))
			snprintf(run, sizeof run, "run-%u", roll(4) ? roll(5) : roll(2000));
		snprintf(source, sizeof source, "source-%u", roll(30) ? 1 : 2 + roll(20));
		snprintf(type, sizeof type, "type.%u", roll(30) ? 1 : 2 + roll(20));
		emit(j, run, source, type);
		if (i % 500 == 499)
			wait_durable(j);
	}
	wait_durable(j);
}

/* More than memory holds, so that most of it is read from files. */
static void fill(struct journal *j)
{
	emit_some(j, RECENT_SIGNALS + 5000);
}

/* ---- two ways to read ---- */

static struct journal_sieve *sieve_for(const char *run, const char *source, const char *type)
{
	struct journal_sieve *sieve;
	struct filter filter;

	filter_init(&filter);
	assert_true(!*run || filter_set_correlation(&filter, text_of(run), NULL));
	assert_true(!*source || filter_add_sources(&filter, text_of(source), NULL));
	assert_true(!*type || filter_add_types(&filter, text_of(type), NULL));
	sieve = journal_sieve_of(&filter);
	filter_finish(&filter);
	return sieve;
}

static void tell_gap(struct buf *story, const struct gap *gap)
{
	buf_print(story, "gap %llu-%llu %s\n", (unsigned long long)gap->from,
	          (unsigned long long)gap->to, gap->why);
}

static void tell_lines(struct journal_reader *r, struct text lines, struct journal_sieve *judge,
                       struct signal_reader *signals, struct buf *story)
{
	while (lines.len) {
		struct text line = text_cut(lines, '\n', &lines);

		if (!judge || journal_sieve_passes(judge, line, signals)) {
			buf_add(story, line);
			buf_add_char(story, '\n');
		}
		journal_reader_take(r, line.len + 1, signal_seq_of(line) + 1);
		if (roll(50) == 0)
			return; /* the rest is given again */
	}
}

/* by_sieve: the reader sifts; else it reads everything, and the sieve is asked here. */
static void read_story(struct journal *j, uint64_t after, struct journal_sieve *sieve,
                       bool by_sieve, struct buf *story)
{
	struct journal_reader *r = journal_reader_create(j, after);
	struct signal_reader *signals = signal_reader_create();
	enum journal_news news;
	struct text lines;
	struct gap gap;

	buf_init(story, STORY_MAX);
	if (by_sieve) {
		journal_sieve_ref(sieve);
		journal_reader_sift(r, sieve);
	}
	while ((news = journal_read(r, 1 + roll(64 * KIB), &lines, &gap)) != JOURNAL_END) {
		if (news == JOURNAL_COLD) {
			journal_wait(j, WAIT_MS);
			journal_poll(j);
		} else if (news == JOURNAL_GAP) {
			tell_gap(story, &gap);
		} else {
			tell_lines(r, lines, by_sieve ? NULL : sieve, signals, story);
		}
	}
	signal_reader_destroy(signals);
	journal_reader_destroy(r);
}

static void expect_same(struct journal *j, uint64_t after, struct journal_sieve *sieve)
{
	struct buf by_sieve, by_all;

	read_story(j, after, sieve, true, &by_sieve);
	read_story(j, after, sieve, false, &by_all);
	assert_false(by_all.full);
	assert_int_equal(by_sieve.len, by_all.len);
	assert_true(text_equal(buf_text(&by_sieve), buf_text(&by_all)));
	buf_finish(&by_sieve);
	buf_finish(&by_all);
}

static void expect_all_same(struct journal *j)
{
	static const char *const asked[][3] = {
		{"run-1", "", ""},
		{"run-1777", "", ""},
		{"nobody", "", ""},
		{"", "source-3", ""},
		{"", "source-1", ""},
		{"", "", "type.5"},
		{"", "", "type.5,type.9"},
		{"", "", "type.*"},
		{"run-2", "source-2", "type.2"},
		{"", "source-7", "type.1"},
		{"", "source-5,x,y", ""},
	};

	for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
		struct journal_sieve *sieve = sieve_for(asked[i][0], asked[i][1], asked[i][2]);

		expect_same(j, 0, sieve);
		for (unsigned k = 0; k < 2; k++)
			expect_same(j, roll((unsigned)journal_last_seq(j)), sieve);
		journal_sieve_unref(sieve);
	}
}

/* ---- its indexes ---- */

typedef void file_fn(const char *path, unsigned nth);

/* Calls each for the files of this ending; returns how many there are. */
static unsigned each_file(const char *dir, const char *ending, file_fn *each)
{
	char *path = must_print("%s/journal", dir);
	DIR *names = opendir(path);
	struct dirent *d;
	unsigned n = 0;

	assert_non_null(names);
	while ((d = readdir(names))) {
		if (!text_ends(text_of(d->d_name), text_of(ending)))
			continue;
		if (each) {
			char *file = must_print("%s/%s", path, d->d_name);

			each(file, n);
			free(file);
		}
		n++;
	}
	closedir(names);
	free(path);
	return n;
}

/* Until there is an index beside each segment but the newest. */
static void wait_for_places(struct journal *j, const char *dir)
{
	for (unsigned i = 0; each_file(dir, ".places", NULL) + 1 < journal_stats(j).segments; i++) {
		assert_true(i < WAIT_MS / 10);
		usleep(10000);
		journal_poll(j);
	}
}

static void garble(const char *path, unsigned nth)
{
	struct buf file;

	buf_init(&file, 64 * MIB);
	load_file(path, &file);
	switch (nth % 4) {
	case 0:
		file.at[roll((unsigned)file.len)] ^= (char)(1 + roll(255));
		break;
	case 1:
		file.len = roll((unsigned)file.len);
		break;
	case 2:
		memset(file.at, (int)roll(256), file.len);
		break;
	default:
		assert_int_equal(unlink(path), 0);
		buf_finish(&file);
		return;
	}
	save_file(path, buf_text(&file));
	buf_finish(&file);
}

static char *other_places; /* the path of another one */

/* Each gets the bytes of the one before: whole, and of another segment. */
static void exchange(const char *path, unsigned nth)
{
	struct buf file;

	buf_init(&file, 64 * MIB);
	if (other_places) {
		load_file(other_places, &file);
		save_file(path, buf_text(&file));
	}
	buf_finish(&file);
	free(other_places);
	other_places = must_print("%s", path);
}

/* ---- tests ---- */

static void a_sieve_gives_what_a_look_at_everything_gives(void **state)
{
	char *dir = new_dir();
	struct journal *j = open_small(dir);

	expect_all_same(j);
	fill(j);
	expect_all_same(j);
	wait_for_places(j, dir);
	expect_all_same(j);
	journal_close(j);
	remove_dir(dir);
}

static void after_a_restart_the_newest_segment_is_read_for_its_index(void **state)
{
	char *dir = new_dir();
	struct journal *j = open_small(dir);

	for (unsigned i = 0; i < 2; i++) {
		fill(j);
		emit_some(j, roll(60));
		journal_close(j);
		j = open_small(dir);
		expect_all_same(j);
		wait_for_places(j, dir);
		expect_all_same(j);
	}
	journal_close(j);
	remove_dir(dir);
}

static void damaged_lost_and_exchanged_indexes_change_nothing(void **state)
{
	static file_fn *const harms[] = {garble, exchange};
	char *dir = new_dir();
	struct journal *j = open_small(dir);

	fill(j);
	for (size_t i = 0; i < 2; i++) {
		wait_for_places(j, dir);
		each_file(dir, ".places", harms[i]);
		expect_all_same(j); /* in the middle of its life */
		journal_close(j);
		each_file(dir, ".places", harms[i]);
		j = open_small(dir);
		expect_all_same(j);
	}
	wait_for_places(j, dir);
	expect_all_same(j);
	free(other_places);
	other_places = NULL;
	journal_close(j);
	remove_dir(dir);
}

static void a_crash_leaves_indexes_that_do_no_harm(void **state)
{
	char *dir = new_dir(), *copy;
	struct journal *j = open_small(dir);

	fill(j);
	emit_some(j, 700);
	copy = crash_copy(dir);
	journal_close(j);
	remove_dir(dir);
	j = open_small(copy);
	expect_all_same(j);
	emit_some(j, 3000);
	wait_for_places(j, copy);
	expect_all_same(j);
	journal_close(j);
	remove_dir(copy);
}

/* Far from its end, by which an index knows its segment. */
static void flip(const char *path, unsigned nth)
{
	struct buf file;

	buf_init(&file, 64 * MIB);
	load_file(path, &file);
	if (nth % 3 == 1 && file.len > SEGMENT_SIZE / 2)
		file.at[file.len / 2] ^= 1;
	save_file(path, buf_text(&file));
	buf_finish(&file);
}

static void gaps_are_told_whether_there_is_an_index_or_not(void **state)
{
	char *dir = new_dir();
	struct journal *j = open_small(dir);

	fill(j);
	journal_close(j);
	each_file(dir, ".places", garble); /* so that they are made of what is damaged now */
	each_file(dir, ".places", garble);
	each_file(dir, ".places", garble);
	each_file(dir, ".ndjson", flip);
	j = open_small(dir);
	expect_all_same(j);
	wait_for_places(j, dir);
	expect_all_same(j);
	journal_close(j);
	remove_dir(dir);
}

static void what_was_forgotten_is_in_no_index(void **state)
{
	struct text run = TEXT("run-1");
	struct journal_forget what = {.correlations = &run, .correlation_count = 1};
	char *dir = new_dir();
	struct journal *j = open_small(dir);
	unsigned before;
	struct error why;

	fill(j);
	wait_for_places(j, dir);
	before = each_file(dir, ".places", NULL);
	journal_close(j);
	assert_true(journal_forget(dir, &what, &why));
	assert_true(what.segments > 1);
	assert_true(each_file(dir, ".places", NULL) + what.segments <= before + 1);
	j = open_small(dir);
	expect_all_same(j);
	wait_for_places(j, dir);
	expect_all_same(j);
	journal_close(j);
	remove_dir(dir);
}

static void an_index_goes_with_its_segment(void **state)
{
	char *dir = new_dir();
	struct journal_options o = some_options(dir);
	struct journal *j;

	o.segment_bytes = SEGMENT_SIZE;
	o.keep_bytes = 4 * SEGMENT_SIZE;
	j = open_with(&o);
	fill(j);
	wait_for_places(j, dir);
	assert_true(each_file(dir, ".places", NULL) <= journal_stats(j).segments);
	expect_all_same(j);
	journal_close(j);
	j = open_with(&o);
	wait_for_places(j, dir);
	for (unsigned i = 0; each_file(dir, ".places", NULL) + 1 > journal_stats(j).segments; i++) {
		assert_true(i < WAIT_MS / 10);
		usleep(10000);
	}
	journal_close(j);
	remove_dir(dir);
}

static unsigned count_gaps(struct journal *j, struct journal_sieve *sieve, bool by_sieve)
{
	struct buf story;
	unsigned gaps = 0;

	read_story(j, 0, sieve, by_sieve, &story);
	for (size_t i = 0; i < story.len; i++)
		gaps += story.at[i] == '\n';
	buf_finish(&story);
	return gaps;
}

/* Damage that came when the index was there already is not seen by who need not go there; where
 * he begins, he looks. */
static void blocks_without_what_is_wanted_are_not_read(void **state)
{
	struct journal_sieve *sieve = sieve_for("nobody", "", "");
	char *dir = new_dir();
	struct journal *j = open_small(dir);

	unknown = 1;
	fill(j);
	unknown = 300;
	wait_for_places(j, dir);
	each_file(dir, ".ndjson", flip);
	assert_true(count_gaps(j, sieve, false) > 2);
	assert_true(count_gaps(j, sieve, true) <= 1);
	journal_sieve_unref(sieve);
	journal_close(j);
	remove_dir(dir);
}

/* Readers come and go while the thread is at their questions. */
static void a_question_may_be_given_up_at_any_time(void **state)
{
	struct journal_sieve *sieve = sieve_for("", "", "type.*");
	char *dir = new_dir();
	struct journal *j = open_small(dir);

	fill(j);
	for (unsigned i = 0; i < 300; i++) {
		struct journal_reader *r = journal_reader_create(j, roll(10000));
		struct text lines;
		struct gap gap;

		journal_sieve_ref(sieve);
		journal_reader_sift(r, sieve);
		for (unsigned k = roll(4); k > 0; k--) {
			if (journal_read(r, 64 * KIB, &lines, &gap) == JOURNAL_COLD && roll(2))
				journal_wait(j, 1);
			if (roll(3) == 0)
				journal_reader_seek(r, 1 + roll(9000));
			if (roll(2))
				journal_poll(j);
		}
		journal_reader_destroy(r);
	}
	journal_sieve_unref(sieve);
	journal_close(j);
	remove_dir(dir);
}

static void a_reader_reads_no_further_than_it_is_told(void **state)
{
	struct journal_sieve *sieve = sieve_for("", "", "type.*");
	char *dir = new_dir();
	struct journal *j = open_small(dir);
	struct journal_reader *r;
	enum journal_news news;
	struct text lines;
	struct gap gap;

	fill(j);
	r = journal_reader_create(j, 100);
	journal_reader_sift(r, sieve);
	journal_reader_end_at(r, 105);
	while ((news = journal_read(r, 64 * KIB, &lines, &gap)) == JOURNAL_COLD) {
		journal_wait(j, WAIT_MS);
		journal_poll(j);
	}
	assert_int_equal(news, JOURNAL_LINES);
	for (uint64_t seq = 101; seq < 105; seq++)
		assert_int_equal(signal_seq_of(text_cut(lines, '\n', &lines)), seq);
	assert_int_equal(lines.len, 0);
	journal_reader_destroy(r);
	journal_close(j);
	remove_dir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sieve_gives_what_a_look_at_everything_gives),
		cmocka_unit_test(after_a_restart_the_newest_segment_is_read_for_its_index),
		cmocka_unit_test(damaged_lost_and_exchanged_indexes_change_nothing),
		cmocka_unit_test(a_crash_leaves_indexes_that_do_no_harm),
		cmocka_unit_test(gaps_are_told_whether_there_is_an_index_or_not),
		cmocka_unit_test(what_was_forgotten_is_in_no_index),
		cmocka_unit_test(an_index_goes_with_its_segment),
		cmocka_unit_test(blocks_without_what_is_wanted_are_not_read),
		cmocka_unit_test(a_question_may_be_given_up_at_any_time),
		cmocka_unit_test(a_reader_reads_no_further_than_it_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* recover_test.c - what a start makes of a segment that a crash, or something worse, left
 * behind.
 *
 * The last commit may be torn in any way, and what was acknowledged is never lost with it:
 * each byte of a head, and many of the lines, are cut off, flipped and overwritten here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/log.h"
#include "base/must.h"
#include "journal/batch.h"
#include "journal/fixture.h"
#include "journal/inspect.h"

/* Two commits, of 12 and of 2 lines, as they are on the disk at a crash. */
struct wreck {
	char *dir;
	struct buf file; /* without what is filled ahead */
	size_t heads[2]; /* where they begin */
	size_t lines[2];
};

static size_t find(const struct wreck *w, const char *what, size_t from)
{
	char *at = memmem(w->file.at + from, w->file.len - from, what, strlen(what));

	assert_non_null(at);
	return (size_t)(at - w->file.at);
}

static void wreck_init(struct wreck *w)
{
	char *dir = new_dir(), *path;
	struct journal *j = open_in(dir);

	commit(j, 12);
	commit(j, 2);
	w->dir = crash_copy(dir);
	journal_close(j);
	remove_dir(dir);
	path = segment_path(w->dir, 1, SEGMENT_LINES);
	load_lines(path, &w->file);
	free(path);
	w->heads[0] = find(w, "{\"commit\":12,", 0);
	w->lines[0] = find(w, "{\"seq\":1,", 0);
	w->heads[1] = find(w, "{\"commit\":14,", 0);
	w->lines[1] = find(w, "{\"seq\":13,", 0);
}

static void wreck_finish(struct wreck *w)
{
	buf_finish(&w->file);
	remove_dir(w->dir);
}

/* As if no start had seen what the file holds. */
static void put(struct wreck *w, struct text bytes)
{
	char *path = segment_path(w->dir, 1, SEGMENT_LINES), *epochs = path_in(w->dir, "epochs");

	remove_segments(w->dir);
	unlink(epochs);
	save_file(path, bytes);
	free(path);
	free(epochs);
}

/* Starts with this file and says what it found; and again, for a start leaves it whole. */
static void expect_after_start(struct wreck *w, struct text bytes, const char *story)
{
	put(w, bytes);
	for (int i = 0; i < 2; i++) {
		struct journal *j = open_in(w->dir);

		expect_story(j, 0, story);
		journal_close(j);
	}
}

static void all_that_was_committed_is_there_after_a_crash(void **state)
{
	struct wreck w;

	wreck_init(&w);
	expect_after_start(&w, buf_text(&w.file), "1-14");
	wreck_finish(&w);
}

/* Wherever the file ends: a commit that is not whole was never acknowledged, and its head says
 * how many there were. */
static void a_file_may_end_anywhere(void **state)
{
	struct wreck w;

	wreck_init(&w);
	for (size_t len = w.heads[1]; len < w.file.len; len += len < w.lines[1] + 9 ? 1 : 7) {
		expect_after_start(&w, (struct text){w.file.at, len},
		                   len < w.lines[1] ? "1-12" : "1-12 gap 13-14 lost");
	}
	wreck_finish(&w);
}

/* Bytes of the last commit, by a bit: its head says that these are not its lines; without
 * the head, they are taken for what they are. */
static void a_flipped_bit_in_the_last_commit_is_noticed(void **state)
{
	struct wreck w;

	wreck_init(&w);
	for (size_t at = w.heads[1]; at < w.file.len; at += at < w.lines[1] + 9 ? 1 : 11) {
		w.file.at[at] ^= 0x04;
		expect_after_start(&w, buf_text(&w.file),
		                   at < w.lines[1] - 1    ? "1-14"
		                   : at == w.lines[1] - 1 ? "1-12"
		                                          : "1-12 gap 13-14 lost");
		w.file.at[at] ^= 0x04;
	}
	wreck_finish(&w);
}

/* The only head that there is: its lines are known by what is left of it. */
static void a_flipped_bit_in_the_only_head_loses_nothing(void **state)
{
	char *dir = new_dir(), *copy, *path;
	struct journal *j = open_in(dir);
	struct buf file;
	size_t head;

	commit(j, 3);
	copy = crash_copy(dir);
	journal_close(j);
	remove_dir(dir);
	path = segment_path(copy, 1, SEGMENT_LINES);
	load_lines(path, &file);
	head = (size_t)((char *)memmem(file.at, file.len, "{\"commit\":", 10) - file.at);
	for (size_t at = head; file.at[at] != '\n'; at++) {
		remove_segments(copy);
		file.at[at] ^= 0x04;
		save_file(path, buf_text(&file));
		file.at[at] ^= 0x04;
		j = open_in(copy);
		expect_story(j, 0, "1-3");
		journal_close(j);
	}
	buf_finish(&file);
	free(path);
	remove_dir(copy);
}

/* A stretch of the file is zeros: what was in it is told, and all else is given. */
static void a_hole_of_zeros_hides_nothing_behind_it(void **state)
{
	char *dir = new_dir(), *path, *first, *last;
	struct journal *j = open_in(dir);
	struct buf file, story;

	commit(j, 2000);
	journal_close(j);
	path = segment_path(dir, 1, SEGMENT_LINES);
	load_file(path, &file);
	first = memmem(file.at, file.len, "{\"seq\":500,", 11);
	last = memmem(file.at, file.len, "{\"seq\":1200,", 12);
	assert_true(last - first > 80000);
	memset(first, 0, (size_t)(last - first));
	save_file(path, buf_text(&file));
	j = open_in(dir);
	read_all(j, (struct position){.seq = 0}, KIB, &story);
	assert_int_equal(strncmp(story.at, "1-", 2), 0);
	assert_non_null(strstr(story.at, "-2000"));
	assert_null(strstr(story.at, "-2000 damaged"));
	buf_finish(&file);
	read_all(j, (struct position){.seq = 1900}, KIB, &file);
	assert_string_equal(file.at, "1901-2000");
	journal_close(j);
	buf_finish(&story);
	buf_finish(&file);
	free(path);
	remove_dir(dir);
}

/* What was acknowledged for certain is damaged, stays where it is and is put aside; all else
 * is given. */
static void a_flipped_bit_in_an_older_commit_is_told(void **state)
{
	struct wreck w;

	wreck_init(&w);
	for (size_t at = w.heads[0]; at < w.heads[1]; at += at < w.lines[0] + 9 ? 1 : 37) {
		char *path;

		w.file.at[at] ^= 0x04;
		expect_after_start(&w, buf_text(&w.file), "gap 1-12 damaged 13-14");
		path = segment_path(w.dir, 1, SEGMENT_QUARANTINE);
		assert_int_equal(unlink(path), 0);
		free(path);
		w.file.at[at] ^= 0x04;
	}
	wreck_finish(&w);
}

/* Power that goes: any sectors of the last commit are as they were before it, or garbage. */
static void sectors_of_the_last_commit_may_be_missing(void **state)
{
	static const char kinds[] = {'\n', 'x', 0}; /* 0: no two bytes alike */
	const size_t sector = 64; /* smaller than any, so that there are several */
	struct wreck w;
	struct buf torn;

	wreck_init(&w);
	buf_init(&torn, MIB);
	for (unsigned mask = 1; mask < 64; mask++)
		for (size_t garbage = 0; garbage < sizeof kinds; garbage++) {
			struct journal *j;
			struct buf story;

			buf_clear(&torn);
			buf_add(&torn, buf_text(&w.file));
			for (size_t at = w.heads[1]; at < torn.len; at++)
				if (mask >> (at - w.heads[1]) / sector % 6 & 1)
					torn.at[at] =
						kinds[garbage] ? kinds[garbage] : (char)(at * 7919);
			put(&w, buf_text(&torn));
			j = open_in(w.dir);
			read_all(j, (struct position){.seq = 0}, KIB, &story);
			assert_true(text_starts(buf_text(&story), TEXT("1-1")));
			assert_true(journal_last_seq(j) >= 12 && journal_last_seq(j) <= 14);
			commit(j, 2);
			journal_close(j);
			buf_finish(&story);
		}
	buf_finish(&torn);
	wreck_finish(&w);
}

/* A commit of several batches behind the two, as it is on the disk. */
static void load_commit_of_parts(struct wreck *w, struct buf *file)
{
	struct journal *j = open_in(w->dir);
	char *path = segment_path(w->dir, 1, SEGMENT_LINES);

	for (unsigned i = 0; i < 300; i++)
		append(j, i == 299);
	wait_durable(j);
	load_lines(path, file);
	journal_close(j);
	free(path);
	assert_non_null(memmem(file->at, file->len, "\"part\":2,", 9));
}

static void spoil(struct buf *file, const char *what)
{
	char *at = memmem(file->at, file->len, what, strlen(what));

	assert_non_null(at);
	memset(at, '?', strlen(what));
}

/* Half of a commit must never show: its batches were acknowledged together. */
static void expect_lost_from(struct wreck *w, const struct buf *file, const char *start)
{
	struct journal *j;
	struct buf story;

	put(w, buf_text(file));
	j = open_in(w->dir);
	assert_int_equal(journal_last_seq(j), 314);
	read_all(j, (struct position){.seq = 0}, KIB, &story);
	assert_true(text_starts(buf_text(&story), text_of(start)));
	assert_true(text_ends(text_of(story.at), TEXT("-314 lost")));
	assert_null(strstr(story.at, "damaged"));
	buf_finish(&story);
	journal_close(j);
}

static void a_hole_in_the_last_commit_cuts_off_what_follows(void **state)
{
	struct wreck w;
	struct buf file;

	wreck_init(&w);
	load_commit_of_parts(&w, &file);
	spoil(&file, "{\"seq\":150,");
	expect_lost_from(&w, &file, "1-");
	buf_finish(&file);
	wreck_finish(&w);
}

/* Behind a head that is gone nobody knows how many parts there were: what stands before it is
 * not acknowledged for certain. */
static void a_commit_reaches_over_a_head_that_is_gone(void **state)
{
	struct wreck w;
	struct buf file;
	char *head;

	wreck_init(&w);
	load_commit_of_parts(&w, &file);
	spoil(&file, "{\"seq\":15,");
	head = memmem(file.at, file.len, ",\"part\":1,", 10);
	assert_non_null(head);
	while (head[-1] != '\n')
		*--head = '?';
	expect_lost_from(&w, &file, "1-14 gap 15-");
	buf_finish(&file);
	wreck_finish(&w);
}

static void add_batch(struct buf *out, uint64_t first, uint64_t last, uint16_t place)
{
	struct index_entry e = {.first = first, .last = last, .kind = ENTRY_LINES, .place = place};
	char head[BATCH_HEAD_MAX], line[400];
	struct buf lines;

	buf_init(&lines, 64 * KIB);
	for (uint64_t seq = first; seq <= last; seq++) {
		buf_add(&lines, (struct text){line, line_of(seq, line, sizeof line)});
		buf_add_char(&lines, '\n');
	}
	e.length = (uint32_t)lines.len;
	e.crc = crc32c(0, lines.at, lines.len);
	buf_add(out, (struct text){head, batch_head_write(head, &e)});
	buf_add(out, buf_text(&lines));
	buf_finish(&lines);
}

/* The parts that are left of the last commit cannot be those that follow the ones before. */
static void an_older_commit_is_not_taken_for_part_of_the_torn_one(void **state)
{
	struct wreck w;
	struct buf file;
	char title[BATCH_HEAD_MAX];

	wreck_init(&w);
	buf_init(&file, MIB);
	buf_add(&file, (struct text){title, batch_write_title(title, 1)});
	add_batch(&file, 1, 10, 0);
	add_batch(&file, 11, 20, 1);
	add_batch(&file, 21, 30, 0);
	add_batch(&file, 31, 40, 1);
	add_batch(&file, 41, 50, 2);
	spoil(&file, "{\"seq\":4,");
	spoil(&file, "{\"commit\":30,");
	spoil(&file, "{\"commit\":40,");
	expect_after_start(&w, buf_text(&file), "gap 1-10 damaged 11-20 gap 21-50 lost");
	buf_finish(&file);
	wreck_finish(&w);
}

/* What was cut off at 15, whole, in the order of the cuts. */
static void expect_cut(struct wreck *w, const char *expected)
{
	char *path = segment_path(w->dir, 15, SEGMENT_QUARANTINE);
	struct buf file;

	load_file(path, &file);
	assert_true(text_is(buf_text(&file), expected));
	buf_finish(&file);
	free(path);
}

static void only_a_torn_tail_is_cut_and_never_without_a_copy(void **state)
{
	static const char *const torn[] = {
		"{\"se",
		"{\"seq\":15,\"payload\":\"half",
		"{\"seq\":15,\"payload\":\"whole, but for its newline\"}",
		"{\"seq\":15,\"payload\":{]}\n",
		"{\"seq\":16,\"payload\":\"not the next\"}\n",
		"{\"seq\":14,\"payload\":\"the last again\"}\n",
		"[15]\n",
		"{\"commit\":16,\"first\":15,\"bytes\":40,\"crc32c\":\"00000000\"}\n",
	};
	struct buf copies;
	struct wreck w;

	wreck_init(&w);
	buf_init(&copies, 4 * KIB);
	for (size_t i = 0; i < sizeof torn / sizeof *torn; i++) {
		size_t len = w.file.len;

		buf_add(&w.file, text_of(torn[i]));
		buf_add(&copies, text_of(torn[i]));
		expect_after_start(&w, buf_text(&w.file), "1-14");
		w.file.len = len;
		buf_add_char(&copies, '\0');
		expect_cut(&w, copies.at);
		copies.len--;
	}
	buf_finish(&copies);
	wreck_finish(&w);
}

/* The whole lines of what a clean stop vouched for, and a gap for the rest. */
static void lines_that_were_acknowledged_are_kept_without_a_checksum(void **state)
{
	char *path, *dir = new_dir();
	struct journal *j = open_in(dir);
	struct buf file;

	commit(j, 12);
	commit(j, 20);
	journal_close(j);
	path = segment_path(dir, 1, SEGMENT_LINES);
	load_file(path, &file);
	save_file(path, (struct text){file.at, file.len - 3});
	j = open_in(dir);
	assert_int_equal(journal_last_seq(j), 32);
	commit(j, 1);
	expect_story(j, 0, "1-31 gap 32-32 lost 33-33");
	journal_close(j);
	buf_finish(&file);
	free(path);
	remove_dir(dir);
}

/* A start that is cut short has left the rest in a segment of its own, or not even that. */
static void a_start_may_be_cut_short(void **state)
{
	struct wreck w;
	struct journal *j;
	char *path, *rest;

	wreck_init(&w);
	expect_after_start(&w, (struct text){w.file.at, w.file.len - 2}, "1-12 gap 13-14 lost");
	rest = segment_path(w.dir, 13, SEGMENT_LINES);
	assert_int_equal(access(rest, R_OK), 0);
	path = segment_path(w.dir, 1, SEGMENT_LINES);
	save_file(path, (struct text){w.file.at, w.file.len - 2}); /* not yet cut */
	j = open_in(w.dir);
	expect_story(j, 0, "1-12 gap 13-14 lost");
	commit(j, 1);
	expect_story(j, 0, "1-12 gap 13-14 lost 15-15");
	journal_close(j);
	free(path);
	free(rest);
	wreck_finish(&w);
}

static void a_segment_of_which_nothing_is_left_is_replaced(void **state)
{
	struct wreck w;
	char *rubbish = must_zero(1, 5000);
	char *clean;

	wreck_init(&w);
	memset(rubbish, 'x', 5000);
	clean = path_in(w.dir, "clean");
	expect_after_start(&w, (struct text){rubbish, 5000}, "");
	unlink(clean);
	expect_after_start(&w, (struct text){w.file.at, w.heads[0]}, "");
	unlink(clean);
	expect_after_start(&w, (struct text){w.file.at, w.lines[0] + 3}, "gap 1-12 lost");
	free(clean);
	free(rubbish);
	wreck_finish(&w);
}

static void a_newer_form_is_refused_and_not_touched(void **state)
{
	char *path, digits[9];
	struct wreck w;
	struct buf after;
	uint32_t check;

	wreck_init(&w);
	w.file.at[11] = '3';
	check = crc32c(0, w.file.at, w.heads[0] - 21);
	snprintf(digits, sizeof digits, "%08x", (unsigned)check);
	memcpy(w.file.at + w.heads[0] - 11, digits, 8);
	put(&w, buf_text(&w.file));
	expect_refusal(w.dir, "segment 1 was written by a newer signalbox");
	path = segment_path(w.dir, 1, SEGMENT_LINES);
	load_file(path, &after);
	assert_true(text_equal(buf_text(&after), buf_text(&w.file)));
	buf_finish(&after);
	free(path);
	wreck_finish(&w);
}

/* A journal of the old form is read, and goes on in the new one at the next segment. */
static void an_old_journal_goes_on_in_the_new_form(void **state)
{
	char *dir = new_dir();
	struct journal *j = open_in(dir);
	char *index = segment_path(dir, 1, SEGMENT_INDEX);
	char *next = segment_path(dir, 15, SEGMENT_LINES);
	char *format = path_in(dir, "format");
	struct buf file;

	commit(j, 14);
	journal_close(j);
	make_old(dir, false);
	j = open_in(dir);
	expect_story(j, 0, "1-14");
	commit(j, 6);
	expect_story(j, 0, "1-20");
	journal_close(j);
	j = open_in(dir);
	expect_story(j, 0, "1-20");
	journal_close(j);
	assert_int_equal(access(index, R_OK), 0);
	load_file(next, &file);
	assert_true(text_starts(buf_text(&file), TEXT("{\"journal\":2,\"segment\":15,")));
	buf_finish(&file);
	load_file(format, &file);
	assert_true(text_is(buf_text(&file), "signalbox journal 2\n"));
	buf_finish(&file);
	free(index);
	free(next);
	free(format);
	remove_dir(dir);
}

/* Of a sealed segment nothing is filled ahead, and of one in use it is newlines. */
static void what_is_filled_ahead_are_newlines_and_a_stop_cuts_them(void **state)
{
	char *dir = new_dir(), *copy, *path;
	struct journal *j = open_in(dir);
	struct buf file, lines;

	commit(j, 14);
	do {
		copy = crash_copy(dir);
		path = segment_path(copy, 1, SEGMENT_LINES);
		load_file(path, &file);
		load_lines(path, &lines);
		free(path);
		remove_dir(copy);
		if (file.len > lines.len)
			break;
		buf_finish(&file);
		buf_finish(&lines);
	} while (true);
	assert_true(batch_is_blank((struct text){file.at + lines.len, file.len - lines.len}));
	assert_null(memchr(file.at, '\0', file.len));
	buf_finish(&file);
	journal_close(j);
	path = segment_path(dir, 1, SEGMENT_LINES);
	load_file(path, &file);
	assert_int_equal(file.len, lines.len);
	buf_finish(&file);
	buf_finish(&lines);
	free(path);
	remove_dir(dir);
}

static char *three_segments(void)
{
	char *dir = new_dir();
	struct journal_options o = some_options(dir);
	struct journal *j;

	o.segment_bytes = 4 * KIB;
	j = open_with(&o);
	while (journal_stats(j).segments < 3)
		commit(j, 10);
	journal_close(j);
	return dir;
}

static void a_missing_segment_is_a_gap(void **state)
{
	char *dir = three_segments();
	struct journal *j = open_in(dir);
	uint64_t last = journal_last_seq(j), second = 0;
	struct buf story;

	for (uint64_t seq = 2; seq <= last && !second; seq++) {
		char *path = segment_path(dir, seq, SEGMENT_LINES);

		if (access(path, R_OK) == 0) {
			second = seq;
			unlink(path);
		}
		free(path);
	}
	journal_close(j);
	j = open_in(dir);
	read_all(j, (struct position){.seq = 0}, 1000, &story);
	assert_non_null(strstr(story.at, "damaged"));
	assert_int_equal(strncmp(story.at, "1-", 2), 0);
	assert_int_equal(journal_last_seq(j), last);
	buf_finish(&story);
	journal_close(j);
	remove_dir(dir);
}

static void seqs_do_not_go_back_when_segments_are_taken_away(void **state)
{
	char *dir = new_dir();
	struct journal *j = open_in(dir);
	char *path;

	commit(j, 10);
	path = crash_copy(dir);
	journal_close(j);
	remove_dir(dir);
	dir = path;
	j = open_in(dir); /* a new epoch at 11 */
	journal_close(j);
	path = segment_path(dir, 1, SEGMENT_LINES);
	unlink(path);
	free(path);
	j = open_in(dir);
	assert_int_equal(journal_last_seq(j), 10);
	expect_story(j, 0, "");
	commit(j, 1);
	expect_story(j, 0, "11-11");
	journal_close(j);
	remove_dir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_that_was_committed_is_there_after_a_crash),
		cmocka_unit_test(a_file_may_end_anywhere),
		cmocka_unit_test(a_flipped_bit_in_the_last_commit_is_noticed),
		cmocka_unit_test(a_flipped_bit_in_the_only_head_loses_nothing),
		cmocka_unit_test(a_hole_of_zeros_hides_nothing_behind_it),
		cmocka_unit_test(a_flipped_bit_in_an_older_commit_is_told),
		cmocka_unit_test(sectors_of_the_last_commit_may_be_missing),
		cmocka_unit_test(a_hole_in_the_last_commit_cuts_off_what_follows),
		cmocka_unit_test(a_commit_reaches_over_a_head_that_is_gone),
		cmocka_unit_test(an_older_commit_is_not_taken_for_part_of_the_torn_one),
		cmocka_unit_test(only_a_torn_tail_is_cut_and_never_without_a_copy),
		cmocka_unit_test(lines_that_were_acknowledged_are_kept_without_a_checksum),
		cmocka_unit_test(a_start_may_be_cut_short),
		cmocka_unit_test(a_segment_of_which_nothing_is_left_is_replaced),
		cmocka_unit_test(a_missing_segment_is_a_gap),
		cmocka_unit_test(seqs_do_not_go_back_when_segments_are_taken_away),
		cmocka_unit_test(a_newer_form_is_refused_and_not_touched),
		cmocka_unit_test(an_old_journal_goes_on_in_the_new_form),
		cmocka_unit_test(what_is_filled_ahead_are_newlines_and_a_stop_cuts_them),
	};

	log_set_level(LOG_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

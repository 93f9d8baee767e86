/* recover_old_test.c - what a start makes of segments of the old form that a crash, or
 * something worse, left behind. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/log.h"
#include "journal/fixture.h"

/* Two commits, of 12 and of 2 lines, as they are on the disk at a crash. */
struct wreck {
	char *dir;
	struct buf lines, index;
	struct index_entry entries[2];
};

static void wreck_init(struct wreck *w)
{
	char *dir = new_dir();
	struct journal *j = open_in(dir);
	char *path;

	commit(j, 12);
	commit(j, 2);
	w->dir = crash_copy(dir);
	journal_close(j);
	remove_dir(dir);
	make_old(w->dir, true);
	path = segment_path(w->dir, 1, SEGMENT_LINES);
	load_file(path, &w->lines);
	free(path);
	path = segment_path(w->dir, 1, SEGMENT_INDEX);
	load_file(path, &w->index);
	free(path);
	memcpy(w->entries, w->index.at, sizeof w->entries);
	assert_int_equal(w->entries[1].last, 14);
}

static void wreck_finish(struct wreck *w)
{
	buf_finish(&w->lines);
	buf_finish(&w->index);
	remove_dir(w->dir);
}

static void put(struct wreck *w, enum segment_file which, struct text bytes)
{
	char *path = segment_path(w->dir, 1, which);

	if (which == SEGMENT_LINES)
		remove_segments(w->dir);
	save_file(path, bytes);
	free(path);
}

/* Starts with these files and says what it found. */
static void expect_after_start(struct wreck *w, struct text lines, struct text index,
                               const char *story)
{
	struct journal *j;

	put(w, SEGMENT_LINES, lines);
	put(w, SEGMENT_INDEX, index);
	j = open_in(w->dir);
	expect_story(j, 0, story);
	journal_close(j);
}

/* As if no start had seen what the files hold. */
static void forget_epochs(struct wreck *w)
{
	char *path = path_in(w->dir, "epochs");

	unlink(path);
	free(path);
}

static void all_that_was_committed_is_there_after_a_crash(void **state)
{
	struct wreck w;

	wreck_init(&w);
	expect_after_start(&w, buf_text(&w.lines), buf_text(&w.index), "1-14");
	wreck_finish(&w);
}

/* Wherever the file ends: whole lines are kept, and the index says how many there were. */
static void whole_lines_of_a_batch_that_is_cut_short_are_kept(void **state)
{
	const char *second;
	struct wreck w;

	wreck_init(&w);
	second = memchr(w.lines.at + w.entries[1].offset, '\n', w.entries[1].length);
	for (size_t len = w.entries[1].offset; len < w.lines.len; len++) {
		bool is_whole = w.lines.at + len > second;

		expect_after_start(&w, (struct text){w.lines.at, len}, buf_text(&w.index),
		                   is_whole ? "1-13 gap 14-14 lost" : "1-12 gap 13-14 lost");
		forget_epochs(&w);
	}
	expect_after_start(&w, buf_text(&w.lines), buf_text(&w.index), "1-14");
	wreck_finish(&w);
}

/* Both batches are cut short, and only the last can be one that was not acknowledged. */
static void no_seq_that_the_index_knows_is_given_out_again(void **state)
{
	struct journal *j;
	struct wreck w;
	char *line;

	wreck_init(&w);
	line = memrchr(w.lines.at, '\n', w.entries[1].offset - 1);
	for (int i = 0; i < 2; i++) {
		put(&w, SEGMENT_LINES,
		    (struct text){w.lines.at, (size_t)(line - w.lines.at) + (i ? 1 : 9)});
		put(&w, SEGMENT_INDEX, buf_text(&w.index));
		j = open_in(w.dir);
		assert_int_equal(journal_last_seq(j), 14);
		expect_story(j, 0, "1-11 gap 12-14 lost");
		commit(j, 2);
		expect_story(j, 0, "1-11 gap 12-14 lost 15-16");
		journal_close(j);
		j = open_in(w.dir);
		expect_story(j, 0, "1-11 gap 12-14 lost 15-16");
		journal_close(j);
		forget_epochs(&w);
	}
	wreck_finish(&w);
}

/* The whole lines of what a clean stop vouched for, and a gap for the rest. */
static void a_batch_cut_short_after_a_clean_stop_keeps_its_lines(void **state)
{
	char *path, *dir = new_dir();
	struct journal *j = open_in(dir);
	struct buf lines;

	commit(j, 12);
	commit(j, 20);
	journal_close(j);
	make_old(dir, false);
	path = segment_path(dir, 1, SEGMENT_LINES);
	load_file(path, &lines);
	save_file(path, (struct text){lines.at, lines.len - 3});
	j = open_in(dir);
	assert_int_equal(journal_last_seq(j), 32);
	commit(j, 1);
	expect_story(j, 0, "1-31 gap 32-32 lost 33-33");
	journal_close(j);
	buf_finish(&lines);
	free(path);
	remove_dir(dir);
}

/* Whoever saw what went with the last commit is told, and what was acknowledged is not
 * taken from anybody. */
static void the_new_epoch_begins_where_the_last_commit_is_torn(void **state)
{
	struct position seen = {.seq = 14};
	struct buf epochs, story;
	struct journal *j;
	struct wreck w;
	char *path;

	wreck_init(&w);
	path = path_in(w.dir, "epochs");
	load_file(path, &epochs);
	memcpy(seen.epoch, epochs.at, EPOCH_LEN);
	put(&w, SEGMENT_LINES, (struct text){w.lines.at, w.entries[1].offset + 5});
	put(&w, SEGMENT_INDEX, buf_text(&w.index));
	j = open_in(w.dir);
	commit(j, 1);
	read_all(j, seen, KIB, &story);
	assert_string_equal(story.at, "gap 13-14 lost gap 13-14 lost 15-15");
	buf_finish(&story);
	seen.seq = 12;
	read_all(j, seen, KIB, &story);
	assert_string_equal(story.at, "gap 13-14 lost 15-15");
	buf_finish(&story);
	journal_close(j);
	buf_finish(&epochs);
	free(path);
	wreck_finish(&w);
}

/* Whoever lost his entry was acknowledged, or might have been. */
static void lines_behind_a_torn_index_are_kept(void **state)
{
	struct wreck w;

	wreck_init(&w);
	for (size_t len = 0; len < 2 * sizeof(struct index_entry); len++)
		expect_after_start(&w, buf_text(&w.lines), (struct text){w.index.at, len}, "1-14");
	wreck_finish(&w);
}

/* An entry that is whole says that these are not the bytes that were written. */
static void garbage_in_the_last_batch_cuts_it_off(void **state)
{
	struct wreck w;

	wreck_init(&w);
	for (size_t i = w.entries[1].offset; i < w.lines.len; i += 11) {
		w.lines.at[i] ^= 0x20;
		expect_after_start(&w, buf_text(&w.lines), buf_text(&w.index),
		                   "1-12 gap 13-14 lost");
		w.lines.at[i] ^= 0x20;
		forget_epochs(&w);
	}
	wreck_finish(&w);
}

static void garbage_in_the_last_entry_loses_nothing(void **state)
{
	struct wreck w;

	wreck_init(&w);
	for (size_t i = sizeof(struct index_entry); i < 2 * sizeof(struct index_entry); i++) {
		w.index.at[i] ^= 0x01;
		expect_after_start(&w, buf_text(&w.lines), buf_text(&w.index), "1-14");
		w.index.at[i] ^= 0x01;
	}
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
		"\n",
		"rubbish\n{\"seq\":15}\n",
	};
	struct buf copies;
	struct wreck w;

	wreck_init(&w);
	buf_init(&copies, 4 * KIB);
	for (size_t i = 0; i < sizeof torn / sizeof *torn; i++) {
		size_t len = w.lines.len;

		buf_add(&w.lines, text_of(torn[i]));
		buf_add(&copies, text_of(torn[i]));
		expect_after_start(&w, buf_text(&w.lines), buf_text(&w.index), "1-14");
		w.lines.len = len;
		buf_add_char(&copies, '\0');
		expect_cut(&w, copies.at);
		copies.len--;
	}
	buf_finish(&copies);
	wreck_finish(&w);
}

static void whole_lines_before_the_tear_are_kept(void **state)
{
	char line[400];
	struct wreck w;

	wreck_init(&w);
	for (uint64_t seq = 15; seq < 18; seq++) {
		size_t len = line_of(seq, line, sizeof line);

		buf_add(&w.lines, (struct text){line, len});
		buf_add_char(&w.lines, '\n');
	}
	buf_add(&w.lines, TEXT("{\"seq\":18,\"pay"));
	expect_after_start(&w, buf_text(&w.lines), buf_text(&w.index), "1-17");
	for (int i = 0; i < 2; i++) {
		struct journal *j = open_in(w.dir);

		expect_story(j, 0, i ? "1-19" : "1-17");
		if (i == 0)
			commit(j, 2);
		journal_close(j);
	}
	wreck_finish(&w);
}

/* The line of a gap has the seq of the last that is missing, and is a gap again. */
static void a_gap_line_behind_the_index_is_kept_as_a_gap(void **state)
{
	static const char *const whys[] = {"disk", "forgotten"};

	for (size_t i = 0; i < 2; i++) {
		struct wreck w;

		wreck_init(&w);
		buf_print(&w.lines,
		          "{\"seq\":20,\"id\":\"x\",\"type\":\"journal.gap\",\"timestamp\":1,"
		          "\"source\":\"signalbox\",\"payload\":{\"from\":15,\"to\":20,\"why\":"
		          "\"%s\"}}\n",
		          whys[i]);
		expect_after_start(&w, buf_text(&w.lines), buf_text(&w.index),
		                   i ? "1-14 gap 15-20 forgotten" : "1-14 gap 15-20 lost");
		wreck_finish(&w);
	}
}

/* A clean stop vouches for every line: nothing of it is torn, and no seq is given out again. */
static void what_a_clean_stop_vouched_for_is_damaged_and_not_cut(void **state)
{
	char *path, *dir = new_dir();
	struct journal *j = open_in(dir);
	struct buf before, after;

	commit(j, 12);
	commit(j, 2);
	journal_close(j);
	make_old(dir, false);
	path = segment_path(dir, 1, SEGMENT_LINES);
	load_file(path, &before);
	before.at[before.len - 5] ^= 1;
	save_file(path, buf_text(&before));
	j = open_in(dir);
	assert_int_equal(journal_last_seq(j), 14);
	commit(j, 1);
	expect_story(j, 0, "1-12 gap 13-14 damaged 15-15");
	load_file(path, &after);
	assert_true(text_starts(buf_text(&after), buf_text(&before)));
	journal_close(j);
	buf_finish(&before);
	buf_finish(&after);
	free(path);
	remove_dir(dir);
}

static void what_was_cut_off_does_not_come_back(void **state)
{
	struct journal *j;
	struct wreck w;

	wreck_init(&w);
	w.lines.at[w.lines.len - 3] ^= 1;
	expect_after_start(&w, buf_text(&w.lines), buf_text(&w.index), "1-12 gap 13-14 lost");
	for (int i = 0; i < 3; i++) {
		j = open_in(w.dir);
		commit(j, 1);
		journal_close(j);
	}
	j = open_in(w.dir);
	expect_story(j, 0, "1-12 gap 13-14 lost 15-17");
	journal_close(j);
	wreck_finish(&w);
}

static void a_damaged_batch_in_the_middle_is_put_aside_and_told(void **state)
{
	struct buf aside;
	struct wreck w;
	char *path;

	wreck_init(&w);
	w.lines.at[100] ^= 1;
	expect_after_start(&w, buf_text(&w.lines), buf_text(&w.index), "gap 1-12 damaged 13-14");
	path = segment_path(w.dir, 1, SEGMENT_QUARANTINE);
	load_file(path, &aside);
	assert_int_equal(aside.len, w.entries[0].length);
	assert_memory_equal(aside.at, w.lines.at, aside.len);
	buf_finish(&aside);
	free(path);
	wreck_finish(&w);
}

static void a_damaged_entry_in_the_middle_is_told(void **state)
{
	struct wreck w;

	wreck_init(&w);
	for (size_t i = 0; i < sizeof(struct index_entry); i++) {
		w.index.at[i] ^= 0x80;
		expect_after_start(&w, buf_text(&w.lines), buf_text(&w.index),
		                   "gap 1-12 damaged 13-14");
		w.index.at[i] ^= 0x80;
	}
	memset(w.index.at, 0, sizeof(struct index_entry));
	expect_after_start(&w, buf_text(&w.lines), buf_text(&w.index), "gap 1-12 damaged 13-14");
	wreck_finish(&w);
}

/* Half of a commit must never show: its batches were acknowledged together. */
static void a_hole_in_the_last_commit_cuts_off_what_follows(void **state)
{
	struct journal *j;
	struct wreck w;
	struct index_entry more[3];
	char line[] = "{\"seq\":15}\n{\"seq\":16}\n{\"seq\":17}\n";

	wreck_init(&w);
	for (unsigned i = 0; i < 3; i++) {
		more[i] = (struct index_entry){
			.first = 15 + i,
			.last = 15 + i,
			.offset = w.lines.len + 11 * i,
			.length = 11,
			.crc = crc32c(0, line + 11 * i, 11),
			.kind = ENTRY_LINES,
			.place = (uint16_t)i,
		};
		index_entry_seal(&more[i]);
	}
	memcpy(w.index.at + 2 * sizeof *more, more, sizeof more);
	line[11] = '?';
	buf_add(&w.lines, TEXT(line));
	put(&w, SEGMENT_LINES, buf_text(&w.lines));
	put(&w, SEGMENT_INDEX, buf_text(&w.index));
	j = open_in(w.dir);
	assert_int_equal(journal_last_seq(j), 17);
	expect_story(j, 15, "gap 16-17 lost");
	journal_close(j);
	wreck_finish(&w);
}

static void a_segment_without_its_index_gets_another(void **state)
{
	struct wreck w;
	struct journal *j;
	char *path;

	wreck_init(&w);
	path = segment_path(w.dir, 1, SEGMENT_INDEX);
	for (int i = 0; i < 2; i++) {
		unlink(path);
		j = open_in(w.dir);
		expect_story(j, 0, "1-14");
		journal_close(j);
	}
	free(path);
	wreck_finish(&w);
}

/* More than one part of it, and lines longer than a part. */
static void a_big_segment_without_its_index_gets_another(void **state)
{
	char *dir = new_dir(), *path, *copy;
	struct journal_options o = some_options(dir);
	struct buf line;
	struct journal *j;

	o.segment_bytes = 16 * MIB;
	j = open_with(&o);
	commit(j, 9000);
	buf_init(&line, 8 * MIB);
	buf_print(&line, "{\"seq\":9001,\"payload\":\"");
	memset(buf_reserve(&line, 3 * MIB), 'x', 3 * MIB);
	line.len += 3 * MIB;
	buf_add(&line, TEXT("\"}"));
	journal_append(j, (struct text){line.at, 12}, (struct text){line.at + 12, line.len - 12},
	               true, NULL);
	wait_durable(j);
	commit(j, 100);
	copy = crash_copy(dir);
	journal_close(j);
	make_old(copy, true);
	path = segment_path(copy, 1, SEGMENT_INDEX);
	assert_int_equal(unlink(path), 0);
	o.dir = copy;
	j = open_with(&o);
	assert_int_equal(journal_last_seq(j), 9101);
	journal_close(j);
	buf_finish(&line);
	free(path);
	remove_dir(copy);
	remove_dir(dir);
}

static void a_newer_format_is_refused_and_not_touched(void **state)
{
	struct wreck w;
	struct buf after;
	char *format, *index;

	wreck_init(&w);
	format = path_in(w.dir, "format");
	index = segment_path(w.dir, 1, SEGMENT_INDEX);
	save_file(format, TEXT("signalbox journal 3\nmore\n"));
	expect_refusal(w.dir, "the journal has format 3 and was written by a newer signalbox");
	save_file(format, TEXT("rubbish"));
	expect_refusal(w.dir, "format makes no sense");
	unlink(format);
	for (size_t i = 0; i < 2; i++) {
		struct index_entry newer = w.entries[i];

		newer.format = ENTRY_FORMAT + 1;
		newer.kind = 77;
		index_entry_seal(&newer);
		memcpy(w.index.at + i * sizeof newer, &newer, sizeof newer);
		put(&w, SEGMENT_INDEX, buf_text(&w.index));
		expect_refusal(w.dir, "segment 1 was written by a newer signalbox");
		load_file(index, &after);
		assert_true(text_equal(buf_text(&after), buf_text(&w.index)));
		buf_finish(&after);
		memcpy(w.index.at + i * sizeof newer, &w.entries[i], sizeof newer);
	}
	expect_after_start(&w, buf_text(&w.lines), buf_text(&w.index), "1-14");
	load_file(format, &after);
	assert_true(text_is(buf_text(&after), "signalbox journal 2\n"));
	buf_finish(&after);
	free(format);
	free(index);
	wreck_finish(&w);
}

static void what_is_no_regular_file_is_refused(void **state)
{
	static const char *const names[] = {"00000000000000000015.ndjson", "2.new", "checkpoint-3",
	                                    "anything"};
	struct wreck w;

	wreck_init(&w);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char *path = path_in(w.dir, names[i]);

		assert_int_equal(mkdir(path, 0700), 0);
		expect_refusal(w.dir, "is no regular file");
		assert_int_equal(rmdir(path), 0);
		assert_int_equal(symlink("/dev/null", path), 0);
		expect_refusal(w.dir, names[i]);
		assert_int_equal(unlink(path), 0);
		assert_int_equal(mkfifo(path, 0600), 0);
		expect_refusal(w.dir, names[i]);
		assert_int_equal(unlink(path), 0);
		free(path);
	}
	expect_after_start(&w, buf_text(&w.lines), buf_text(&w.index), "1-14");
	wreck_finish(&w);
}

/* One line in a segment of its own. */
static void add_segment(const char *dir, uint64_t seq)
{
	char line[400], *path = path_in(dir, "");
	int fd = open(path, O_RDONLY | O_DIRECTORY);
	size_t len = line_of(seq, line, sizeof line);
	struct commit_batch batch = {.first = seq, .last = seq, .bytes = {line, len + 1}};
	struct segment s;

	line[len] = '\n';
	assert_true(segment_create(&s, fd, seq, NULL));
	assert_true(segment_write(&s, &batch, 1, NULL) && segment_sync(&s, NULL));
	segment_finish(&s);
	close(fd);
	free(path);
}

/* As when a sync failed although all the bytes had reached the disk. */
static void where_two_segments_hold_a_seq_the_later_one_is_right(void **state)
{
	struct journal *j;
	struct wreck w;

	wreck_init(&w);
	add_segment(w.dir, 13);
	j = open_in(w.dir);
	assert_int_equal(journal_last_seq(j), 13);
	expect_story(j, 0, "1-13");
	commit(j, 1);
	expect_story(j, 0, "1-14");
	journal_close(j);
	wreck_finish(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_that_was_committed_is_there_after_a_crash),
		cmocka_unit_test(whole_lines_of_a_batch_that_is_cut_short_are_kept),
		cmocka_unit_test(no_seq_that_the_index_knows_is_given_out_again),
		cmocka_unit_test(a_batch_cut_short_after_a_clean_stop_keeps_its_lines),
		cmocka_unit_test(the_new_epoch_begins_where_the_last_commit_is_torn),
		cmocka_unit_test(lines_behind_a_torn_index_are_kept),
		cmocka_unit_test(garbage_in_the_last_batch_cuts_it_off),
		cmocka_unit_test(garbage_in_the_last_entry_loses_nothing),
		cmocka_unit_test(only_a_torn_tail_is_cut_and_never_without_a_copy),
		cmocka_unit_test(whole_lines_before_the_tear_are_kept),
		cmocka_unit_test(a_gap_line_behind_the_index_is_kept_as_a_gap),
		cmocka_unit_test(what_a_clean_stop_vouched_for_is_damaged_and_not_cut),
		cmocka_unit_test(what_was_cut_off_does_not_come_back),
		cmocka_unit_test(a_damaged_batch_in_the_middle_is_put_aside_and_told),
		cmocka_unit_test(a_damaged_entry_in_the_middle_is_told),
		cmocka_unit_test(a_hole_in_the_last_commit_cuts_off_what_follows),
		cmocka_unit_test(a_segment_without_its_index_gets_another),
		cmocka_unit_test(a_big_segment_without_its_index_gets_another),
		cmocka_unit_test(a_newer_format_is_refused_and_not_touched),
		cmocka_unit_test(what_is_no_regular_file_is_refused),
		cmocka_unit_test(where_two_segments_hold_a_seq_the_later_one_is_right),
	};

	log_set_level(LOG_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

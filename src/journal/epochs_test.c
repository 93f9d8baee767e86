/* epochs_test.c - positions and timelines. */
#include "signal/position.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
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
	struct positions after = {.all = {{.seq = seq}}, .count = 1};

	if (epoch)
		memcpy(after.all[0].epoch, epoch, EPOCH_LEN);
	*lost = (struct gap){0};
	return epochs_resume(&epochs, &after, 300, lost);
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

static void who_comes_from_elsewhere_goes_on_at_the_beginning(void **state)
{
	struct gap lost;

	assert_int_equal(resume("dddddddddddd", 50, &lost), 1);
	assert_int_equal(lost.from, 1);
	assert_int_equal(lost.to, 50);
	assert_string_equal(lost.why, "lost");
	assert_true(lost.is_fork);
	assert_int_equal(resume("dddddddddddd", 0, &lost), 1); /* saw nothing, so lost nothing */
	assert_null(lost.why);
}

/* Goes on where these positions say, with this loss: "121 121-150". */
static void expect_resume(const char *positions, const char *expected)
{
	struct epoch all[] = {{"aaaaaaaaaaaa", 1}, {"bbbbbbbbbbbb", 101}, {"cccccccccccc", 201}};
	struct epochs epochs = {all, 3};
	struct positions after;
	struct gap lost = {0};
	char story[80];
	uint64_t next;
	int len;

	assert_true(positions_parse(text_of(positions), &after));
	next = epochs_resume(&epochs, &after, 300, &lost);
	len = snprintf(story, sizeof story, "%llu", (unsigned long long)next);
	if (lost.why)
		snprintf(story + len, sizeof story - (size_t)len, " %llu-%llu",
		         (unsigned long long)lost.from, (unsigned long long)lost.to);
	assert_string_equal(story, expected);
}

static void an_older_position_tells_where_the_timelines_parted(void **state)
{
	expect_resume("bbbbbbbbbbbb-150,aaaaaaaaaaaa-80", "151");
	expect_resume("dddddddddddd-150,bbbbbbbbbbbb-120", "121 121-150");
	expect_resume("dddddddddddd-150,eeeeeeeeeeee-140,aaaaaaaaaaaa-80", "81 81-150");
	/* Of b we have no more than its timeline was long. */
	expect_resume("dddddddddddd-250,bbbbbbbbbbbb-220,aaaaaaaaaaaa-80", "201 201-250");
	/* Nothing was seen in d: that it is gone is no loss. */
	expect_resume("dddddddddddd-120,bbbbbbbbbbbb-120", "121");
	/* Of an older one nobody has more than where he stands. */
	expect_resume("dddddddddddd-50,bbbbbbbbbbbb-120", "51");
	expect_resume("dddddddddddd-50,eeeeeeeeeeee-40", "1 1-50");
}

static void positions_are_up_to_sixteen_with_commas(void **state)
{
	struct positions p;
	char text[POSITIONS_ROOM];
	char many[] = "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17";

	assert_true(positions_parse(TEXT("0123456789ab-7,5"), &p));
	assert_int_equal(p.count, 2);
	assert_int_equal(p.all[1].seq, 5);
	assert_true(text_is(positions_print(&p, text), "0123456789ab-7,5"));
	assert_false(positions_parse(TEXT(""), &p));
	assert_false(positions_parse(TEXT("1,"), &p));
	assert_false(positions_parse(TEXT(",1"), &p));
	assert_false(positions_parse(TEXT("1,,2"), &p));
	assert_false(positions_parse(TEXT("1, 2"), &p));
	assert_false(positions_parse(text_of(many), &p));
	many[sizeof many - 4] = '\0';
	assert_true(positions_parse(text_of(many), &p));
	assert_int_equal(p.count, POSITIONS_MAX);
}

static void step_to(struct positions *p, const char *to, const char *expected)
{
	struct position now;
	char text[POSITIONS_ROOM];

	assert_true(position_parse(text_of(to), &now));
	positions_step(p, now);
	assert_true(text_is(positions_print(p, text), expected));
}

static void a_reader_keeps_a_position_for_each_epoch(void **state)
{
	struct positions p;

	assert_true(positions_parse(TEXT("7"), &p));
	step_to(&p, "aaaaaaaaaaaa-8", "aaaaaaaaaaaa-8");
	step_to(&p, "aaaaaaaaaaaa-20", "aaaaaaaaaaaa-20");
	step_to(&p, "bbbbbbbbbbbb-21", "bbbbbbbbbbbb-21,aaaaaaaaaaaa-20");
	/* The timeline forked at 16: of a there is no more than that in it. */
	step_to(&p, "cccccccccccc-15", "cccccccccccc-15,bbbbbbbbbbbb-15,aaaaaaaaaaaa-15");
	step_to(&p, "cccccccccccc-30", "cccccccccccc-30,bbbbbbbbbbbb-15,aaaaaaaaaaaa-15");
	for (unsigned i = 0; i < 40; i++) {
		struct position now = {.seq = 40 + i};

		snprintf(now.epoch, sizeof now.epoch, "%012x", i);
		positions_step(&p, now);
	}
	assert_int_equal(p.count, POSITIONS_MAX);
	assert_int_equal(p.all[0].seq, 79);
	assert_int_equal(p.all[POSITIONS_MAX - 1].seq, 64);
}

static void every_start_begins_an_epoch(void **state)
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

/* A backup that was made of a stopped box, and is started after the box went on. */
static void a_restored_backup_gives_no_position_a_second_meaning(void **state)
{
	char *dir = new_dir(), *backup;
	struct journal *j = open_in(dir);
	struct positions at = {.count = 2};
	struct journal_reader *r;
	struct text lines;
	struct gap gap;

	commit(j, 10);
	memcpy(at.all[1].epoch, journal_epoch(j), EPOCH_LEN);
	at.all[1].seq = 10;
	journal_close(j);
	backup = crash_copy(dir);
	j = open_in(dir);
	commit(j, 5);
	memcpy(at.all[0].epoch, journal_epoch(j), EPOCH_LEN);
	at.all[0].seq = 15;
	journal_close(j);
	remove_dir(dir);

	j = open_in(backup);
	commit(j, 7);
	r = journal_reader_resume(j, &at);
	assert_int_equal(journal_read(r, 1000, &lines, &gap), JOURNAL_GAP);
	assert_string_equal(gap.why, "lost");
	assert_int_equal(gap.from, 11);
	assert_int_equal(gap.to, 15);
	assert_int_equal(journal_read(r, 1000, &lines, &gap), JOURNAL_LINES);
	assert_int_equal(journal_reader_next(r), 11);
	journal_reader_destroy(r);
	journal_close(j);
	remove_dir(backup);
}

/* Whatever the mark says: only one of this epoch that goes further than the lines counts. */
static void a_mark_of_a_clean_stop_is_believed_if_it_is_ours(void **state)
{
	static const struct {
		const char *mark;
		uint64_t last;
	} cases[] = {
		{"", 10},        {"rubbish", 10}, {"000000000000-15\n", 10},       {"%s-9\n", 10},
		{"%s-10\n", 10}, {"%s-15\n", 15}, {"%s-9223372036854775807\n", 10}};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *dir = new_dir(), *path = path_in(dir, "clean"), *mark;
		struct journal *j = open_in(dir);
		struct text rest, before = text_cut(text_of(cases[i].mark), '%', &rest);

		commit(j, 10);
		mark = rest.at ? must_print("%s%s", journal_epoch(j), rest.at + 1)
		               : text_dup(before);
		journal_close(j);
		save_file(path, text_of(mark));
		j = open_in(dir);
		assert_int_equal(journal_last_seq(j), cases[i].last);
		assert_int_equal(access(path, F_OK), -1);
		commit(j, 1);
		expect_story(j, 0, cases[i].last == 10 ? "1-11" : "1-10 gap 11-15 lost 16-16");
		journal_close(j);
		free(path);
		free(mark);
		remove_dir(dir);
	}
}

static void epochs_before_the_oldest_segment_are_dropped(void **state)
{
	struct epoch all[] = {{"aaaaaaaaaaaa", 1},
	                      {"bbbbbbbbbbbb", 101},
	                      {"cccccccccccc", 101},
	                      {"dddddddddddd", 150}};
	struct epochs epochs = {all, 4};

	epochs_drop_before(&epochs, 0);
	epochs_drop_before(&epochs, 100);
	assert_int_equal(epochs.count, 4);
	epochs_drop_before(&epochs, 101); /* of a there is nothing left, of b nothing was */
	assert_int_equal(epochs.count, 2);
	assert_string_equal(epochs.all[0].name, "cccccccccccc");
	epochs_drop_before(&epochs, 1000);
	assert_int_equal(epochs.count, 1);
	assert_string_equal(epochs_current(&epochs)->name, "dddddddddddd");
}

static void a_million_restarts_still_start(void **state)
{
	char *dir = new_dir(), *path = path_in(dir, "epochs");
	struct journal *j = open_in(dir);
	struct position old = {"0000000f423f", 3};
	struct stat st;
	struct buf file, story;

	commit(j, 5);
	journal_close(j);
	buf_init(&file, 64 * MIB);
	for (unsigned i = 0; i < 1000000; i++)
		buf_print(&file, "%012x %u\n", i, i < 500000 ? 1 : 6);
	save_file(path, buf_text(&file));
	buf_finish(&file);
	j = open_in(dir);
	assert_int_equal(journal_last_seq(j), 5);
	assert_int_equal(stat(path, &st), 0);
	assert_in_range(st.st_size, 1, EPOCHS_MAX * (EPOCH_LEN + 3));
	read_all(j, old, 1000, &story); /* of the newest: still known */
	assert_string_equal(story.at, "4-5");
	buf_finish(&story);
	old.epoch[7] = '0';
	read_all(j, old, 1000, &story);
	assert_string_equal(story.at, "gap 1-3 lost 1-5");
	buf_finish(&story);
	journal_close(j);
	free(path);
	remove_dir(dir);
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
	assert_true(position_is_epoch(text_of(epochs_current(&epochs)->name)));
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
		cmocka_unit_test(who_comes_from_elsewhere_goes_on_at_the_beginning),
		cmocka_unit_test(an_older_position_tells_where_the_timelines_parted),
		cmocka_unit_test(positions_are_up_to_sixteen_with_commas),
		cmocka_unit_test(a_reader_keeps_a_position_for_each_epoch),
		cmocka_unit_test(every_start_begins_an_epoch),
		cmocka_unit_test(a_restored_backup_gives_no_position_a_second_meaning),
		cmocka_unit_test(a_mark_of_a_clean_stop_is_believed_if_it_is_ours),
		cmocka_unit_test(epochs_before_the_oldest_segment_are_dropped),
		cmocka_unit_test(a_million_restarts_still_start),
		cmocka_unit_test(lines_of_epochs_that_make_no_sense_are_left_out),
	};

	log_set_level(LOG_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

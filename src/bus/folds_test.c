/* folds_test.c - what is folded: loaded, caught up, heard at once and later, saved. */
#include "bus/folds.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/sections.h"
#include "bus/bus.h"
#include "bus/fixture.h"
#include "bus/inside.h"
#include "journal/journal.h"

/* ---- a fold: how many signals it heard, and their seqs added up ---- */

struct sum {
	uint64_t count, total, last, durable;
	unsigned pieces;
	bool is_all;
	bool refuses;   /* what was saved */
	unsigned saved; /* numbers of it */
};

static void hear(void *self, const struct signal *s)
{
	struct sum *sum = self;

	assert_true(s->seq > sum->last); /* in order, none twice */
	sum->last = s->seq;
	sum->count++;
	sum->total += s->seq;
}

static void heard(void *self, bool is_all)
{
	((struct sum *)self)->pieces++;
	((struct sum *)self)->is_all = is_all;
}

static void is_durable(void *self, uint64_t seq)
{
	((struct sum *)self)->durable = seq;
}

static bool is_odd(struct text line)
{
	return signal_seq_of(line) % 2 == 1;
}

static bool wants_odd(const struct signal *s)
{
	return s->seq % 2 == 1;
}

static void save(const void *self, struct buf *out)
{
	const struct sum *sum = self;

	buf_print(out, "%llu %llu %llu", (unsigned long long)sum->count,
	          (unsigned long long)sum->total, (unsigned long long)sum->last);
}

static bool load(void *self, struct text saved, uint64_t *seq)
{
	struct sum *sum = self;

	return !sum->refuses && text_to_u64(text_cut(saved, ' ', &saved), &sum->count) &&
	       text_to_u64(text_cut(saved, ' ', &saved), &sum->total) &&
	       text_to_u64(saved, &sum->last);
}

static void save_words(const void *self, struct buf *out)
{
	buf_add(out, TEXT("words"));
}

static void load_words(void *self, struct text saved)
{
}

#define KIND(name_, pace_) \
	.name = name_, .pace = pace_, .hear = hear, .heard = heard, .durable = is_durable, \
	.save = save, .load = load

static const struct fold_kind at_once = {KIND("quick", FOLD_AT_ONCE), .save_texts = save_words,
                                         .load_texts = load_words};
static const struct fold_kind odd = {KIND("odd", FOLD_AT_ONCE), .back = 10, .may_want = is_odd,
                                     .wants = wants_odd};
static const struct fold_kind later = {KIND("slow", FOLD_LATER)};
static const struct fold_kind timid = {KIND("timid", FOLD_LATER), .flood = 300};
static const struct fold_kind careful = {KIND("careful", FOLD_LATER), .durable_first = true};
static const struct fold_kind narrow = {KIND("narrow", FOLD_LATER), .saved_max = 4};

/* A number at a time: they would not fit together if it heard something in between. */
static void begin_numbers(void *self)
{
	((struct sum *)self)->saved = 0;
}

static bool save_number(void *self, struct buf *out)
{
	struct sum *sum = self;
	const uint64_t numbers[] = {sum->count, sum->total, sum->last};

	buf_print(out, sum->saved ? " %llu" : "%llu", (unsigned long long)numbers[sum->saved]);
	return ++sum->saved < 3;
}

static const struct fold_kind still = {.name = "still",
                                       .pace = FOLD_LATER,
                                       .hear = hear,
                                       .save_begin = begin_numbers,
                                       .save_more = save_number,
                                       .stands_still = true,
                                       .load = load};
static const struct fold_kind still_narrow = {.name = "still",
                                              .pace = FOLD_LATER,
                                              .saved_max = 4,
                                              .hear = hear,
                                              .save_begin = begin_numbers,
                                              .save_more = save_number,
                                              .stands_still = true,
                                              .load = load};

static struct sum quick, odds, slow;
static struct folded *slow_fold;

static void join(void)
{
	quick = (struct sum){.refuses = quick.refuses};
	odds = (struct sum){.refuses = odds.refuses};
	slow = (struct sum){.refuses = slow.refuses};
	folds_add(bus_folds(fixture_bus), &at_once, &quick);
	folds_add(bus_folds(fixture_bus), &odd, &odds);
	slow_fold = folds_add(bus_folds(fixture_bus), &later, &slow);
	folds_catch_up(bus_folds(fixture_bus));
}

static int set_up(void **state)
{
	quick.refuses = odds.refuses = slow.refuses = false;
	fixture_open();
	join();
	return 0;
}

static int tear_down(void **state)
{
	fixture_close();
	return 0;
}

static void emit(unsigned count)
{
	struct bus_emit e = {
		.raw = TEXT("{\"type\":\"x\",\"source\":\"me\",\"timestamp\":7,\"payload\":{}}"),
		.from = {.name = TEXT("test")},
	};
	struct bus_verdict verdict;

	while (count--) {
		bus_admit(fixture_bus, &e, &verdict);
		assert_int_equal(verdict.answer, BUS_ACCEPTED);
	}
}

static void settle(void)
{
	journal_commit(fixture_journal);
	for (unsigned i = 0;
	     journal_durable_seq(fixture_journal) < journal_last_seq(fixture_journal); i++) {
		assert_true(i < 1000);
		journal_wait(fixture_journal, 20);
		journal_poll(fixture_journal);
	}
}

static uint64_t sum_to(uint64_t n)
{
	return n * (n + 1) / 2;
}

/* ---- tests ---- */

static void one_hears_at_once_and_one_when_it_is_its_turn(void **state)
{
	emit(10);
	assert_int_equal(quick.total, sum_to(10));
	assert_int_equal(odds.total, 1 + 3 + 5 + 7 + 9);
	assert_int_equal(slow.count, 0);
	assert_true(folds_are_behind(bus_folds(fixture_bus)) && fold_is_behind(slow_fold));
	assert_false(folds_turn(bus_folds(fixture_bus)));
	assert_int_equal(slow.total, sum_to(10));
	assert_int_equal(fold_seq(slow_fold), 10);
	assert_true(slow.pieces == 1 && slow.is_all);
	assert_false(folds_are_behind(bus_folds(fixture_bus)));
	settle();
	assert_int_equal(quick.durable, 10);
}

static void a_restart_goes_on_from_the_checkpoint(void **state)
{
	emit(10);
	folds_turn(bus_folds(fixture_bus));
	emit(10); /* the slow one does not hear these any more */
	fixture_stop();
	fixture_start();
	join();
	assert_int_equal(quick.total, sum_to(20));
	assert_int_equal(odds.count, 10);
	assert_int_equal(slow.total, sum_to(10));
	assert_true(fold_reach(slow_fold, UINT64_C(1000000000)));
	assert_int_equal(slow.total, sum_to(20));
}

static void without_a_checkpoint_the_past_is_heard(void **state)
{
	emit(30);
	fixture_stop();
	quick.refuses = odds.refuses = slow.refuses = true;
	fixture_start();
	join();
	assert_int_equal(quick.total, sum_to(30));
	assert_int_equal(odds.total, 21 + 23 + 25 + 27 + 29); /* of the newest ten */
	assert_int_equal(quick.durable, 30);
	assert_true(fold_reach(slow_fold, UINT64_C(1000000000)));
	assert_int_equal(slow.total, sum_to(30));
}

static void a_stop_before_the_past_was_heard_loses_nothing(void **state)
{
	emit(10);
	fixture_stop();
	fixture_start();
	quick.refuses = true; /* joined, but never caught up */
	quick = (struct sum){.refuses = true};
	folds_add(bus_folds(fixture_bus), &at_once, &quick);
	fixture_stop();
	quick.refuses = false;
	fixture_start();
	join();
	assert_int_equal(quick.total, sum_to(10));
}

static void a_flood_is_folded_when_it_is_over(void **state)
{
	struct folds *folds = bus_folds(fixture_bus);

	emit(6000);
	assert_true(folds_tick(folds));
	folds_turn(folds);
	assert_int_equal(slow.count, 0);
	assert_false(folds_tick(folds)); /* nothing came since */
	while (folds_turn(folds))
		;
	assert_int_equal(slow.count, 5000); /* so much until the next tick */
	folds_tick(folds);
	while (folds_turn(folds))
		;
	assert_int_equal(slow.total, sum_to(6000));
}

static void many_are_folded_once_a_tick_and_few_as_they_come(void **state)
{
	struct folds *folds = bus_folds(fixture_bus);

	emit(1000);
	folds_tick(folds);
	while (folds_turn(folds))
		;
	assert_int_equal(slow.count, 1000);
	emit(1);
	assert_false(folds_turn(folds));
	assert_int_equal(slow.count, 1000); /* at the next tick */
	folds_tick(folds);
	folds_turn(folds);
	assert_int_equal(slow.count, 1001);
	emit(1);
	folds_turn(folds);
	assert_int_equal(slow.count, 1002);
}

static void what_is_watched_follows_a_flood(void **state)
{
	struct folds *folds = bus_folds(fixture_bus);

	fold_watch(slow_fold, true);
	emit(20000);
	folds_tick(folds);
	while (folds_turn(folds))
		;
	assert_int_equal(slow.total, sum_to(20000));
	fold_watch(slow_fold, false);
}

static void take_turns(void)
{
	while (folds_turn(bus_folds(fixture_bus)))
		;
}

static void some_wait_for_a_smaller_flood(void **state)
{
	struct sum sum = {0};
	struct folded *f = folds_add(bus_folds(fixture_bus), &timid, &sum);

	emit(400);
	folds_tick(bus_folds(fixture_bus));
	take_turns();
	assert_int_equal(sum.count, 0);
	assert_int_equal(slow.count, 400);
	assert_true(fold_reach_to(f, 100, UINT64_C(10000000000)));
	assert_int_equal(sum.last, 100); /* and no further */
	folds_tick(bus_folds(fixture_bus));
	take_turns();
	assert_int_equal(sum.count, 400);
	fold_remove(f);
}

static void a_turn_is_bounded_and_nothing_is_lost_by_that(void **state)
{
	emit(50);
	assert_false(fold_reach(slow_fold, 0)); /* one look at the clock, and back */
	assert_true(slow.count > 0 && slow.count < 50);
	assert_false(slow.is_all);
	while (!fold_reach(slow_fold, 0))
		;
	assert_int_equal(slow.total, sum_to(50));
	assert_true(slow.is_all);
}

static void some_hear_only_what_is_on_the_disk(void **state)
{
	struct sum sum = {0};
	struct folded *f = folds_add(bus_folds(fixture_bus), &careful, &sum);

	emit(5);
	fold_reach(f, UINT64_C(1000000000));
	assert_int_equal(sum.last, journal_durable_seq(fixture_journal));
	settle();
	assert_true(fold_reach(f, UINT64_C(1000000000)));
	assert_int_equal(sum.total, sum_to(5));
	fold_remove(f);
}

/* All, and what of it may be kept; kept may be NULL. */
static void save_now(struct folds *folds, struct buf *out, struct buf *kept)
{
	struct saved_state state = {0};

	folds_save_all(folds, &state);
	for (size_t i = 0; i < state.count; i++) {
		buf_add(out, buf_text(&state.pieces[i].bytes));
		if (kept && state.pieces[i].is_kept)
			buf_add(kept, buf_text(&state.pieces[i].bytes));
	}
	saved_state_finish(&state);
}

static void a_state_that_is_too_long_is_not_saved(void **state)
{
	struct sum sum = {0};
	struct folded *f = folds_add(bus_folds(fixture_bus), &narrow, &sum);
	struct buf out;

	emit(100);
	while (folds_turn(bus_folds(fixture_bus)))
		;
	buf_init(&out, MIB);
	save_now(bus_folds(fixture_bus), &out, NULL);
	assert_int_equal(section_find(buf_text(&out), "narrow").len, 0);
	assert_true(section_find(buf_text(&out), "slow").len > 0);
	assert_true(section_find(buf_text(&out), "window").len > 0);
	fold_remove(f);
	sum = (struct sum){0};
	f = folds_add(bus_folds(fixture_bus), &still_narrow, &sum);
	assert_true(fold_reach(f, UINT64_C(1000000000)));
	buf_clear(&out);
	save_now(bus_folds(fixture_bus), &out, NULL);
	assert_int_equal(section_find(buf_text(&out), "still").len, 0);
	assert_true(section_find(buf_text(&out), "window").len > 0);
	buf_finish(&out);
	fold_remove(f);
}

/* ---- a checkpoint under way ---- */

/* Saves so slowly that each piece takes a whole turn. */
struct slug {
	unsigned begun, pieces, left;
};

static void hear_nothing(void *self, const struct signal *s)
{
}

static void begin_slowly(void *self)
{
	struct slug *slug = self;

	slug->begun++;
	slug->left = 3;
}

static bool save_slowly(void *self, struct buf *out)
{
	struct slug *slug = self;
	uint64_t until = clock_mono_ns() + FOLDS_TURN_NS;

	while (clock_mono_ns() < until)
		;
	slug->pieces++;
	buf_add_char(out, '*');
	return --slug->left > 0;
}

static bool load_nothing(void *self, struct text saved, uint64_t *seq)
{
	return true;
}

static const struct fold_kind sluggish = {.name = "slug",
                                          .pace = FOLD_AT_ONCE,
                                          .hear = hear_nothing,
                                          .save_begin = begin_slowly,
                                          .save_more = save_slowly,
                                          .load = load_nothing};

static void a_turn_that_saves_is_bounded(void **state)
{
	struct folds *folds = bus_folds(fixture_bus);
	struct slug slug = {0};
	struct folded *f = folds_add(folds, &sluggish, &slug);
	struct saved_state out = {0};

	assert_false(folds_save_turn(folds)); /* none is due */
	assert_false(folds_save(folds, &out));
	assert_int_equal(out.count, 0);
	for (unsigned before = 0; folds_save_turn(folds); before = slug.pieces)
		assert_true(slug.pieces <= before + 1);
	assert_int_equal(slug.begun, 1);
	assert_int_equal(slug.pieces, 3);
	assert_false(folds_save_turn(folds));
	fold_remove(f);
}

static void one_that_is_due_meanwhile_comes_after_it(void **state)
{
	struct folds *folds = bus_folds(fixture_bus);
	struct slug slug = {0};
	struct folded *f = folds_add(folds, &sluggish, &slug);
	struct saved_state out = {0};

	folds_save(folds, &out);
	while (slug.pieces < 1)
		assert_true(folds_save_turn(folds));
	assert_false(folds_save(folds, &out));
	while (folds_save_turn(folds))
		;
	assert_int_equal(slug.begun, 2);
	assert_int_equal(slug.pieces, 6);
	folds_save(folds, &out);
	folds_save_turn(folds);
	fold_remove(f); /* what was under way is given up */
	while (folds_save_turn(folds))
		;
}

static void assert_sum_at(struct text saved, uint64_t seq)
{
	char expected[80];

	snprintf(expected, sizeof(expected), "%llu %llu %llu", (unsigned long long)seq,
	         (unsigned long long)sum_to(seq), (unsigned long long)seq);
	assert_true(text_is(saved, expected));
}

/* One of so many numbers, from 0 on; the same ones each time. */
static unsigned draw(unsigned count)
{
	static uint32_t drawn = 7;

	drawn = drawn * 1664525 + 1013904223;
	return (drawn >> 16) % count;
}

/* Signals and folding go on between the steps, here and there. */
static void each_state_is_of_one_moment(void **state)
{
	struct folds *folds = bus_folds(fixture_bus);
	struct sum sum = {0};
	struct folded *f = folds_add(folds, &still, &sum);

	for (unsigned round = 0; round < 50; round++) {
		uint64_t own, began = journal_last_seq(fixture_journal);
		struct text all;
		struct buf out;

		folds_save_begin(folds);
		for (bool more = true; more; more = folds_save_step(folds)) {
			emit(draw(3));
			if (draw(2) == 1)
				folds_turn(folds);
			if (draw(4) == 0)
				folds_tick(folds);
			fold_reach(f, 0);
		}
		buf_init(&out, 8 * MIB);
		for (size_t i = 0; i < folds->state.count; i++)
			buf_add(&out, buf_text(&folds->state.pieces[i].bytes));
		all = buf_text(&out);
		assert_true(folds->state.seq >= began);
		assert_sum_at(section_find(all, "quick"), folds->state.seq);
		assert_true(text_to_u64(section_find(all, "slow.seq"), &own));
		assert_true(own <= folds->state.seq);
		assert_sum_at(section_find(all, "slow"), own);
		assert_true(text_to_u64(section_find(all, "still.seq"), &own));
		assert_true(own <= folds->state.seq);
		assert_sum_at(section_find(all, "still"), own);
		buf_finish(&out);
		folds_save_abandon(folds);
	}
	fold_remove(f);
}

static void save_up_to(struct folds *folds, struct folded *f)
{
	folds_save_begin(folds);
	while (!fold_stands_still(f))
		assert_true(folds_save_step(folds));
}

static void one_that_stands_still_goes_on_when_it_is_saved(void **state)
{
	struct folds *folds = bus_folds(fixture_bus);
	struct sum sum = {0};
	struct folded *f = folds_add(folds, &still, &sum);

	emit(3);
	assert_true(fold_reach(f, UINT64_C(1000000000)));
	save_up_to(folds, f);
	emit(2);
	assert_false(fold_reach(f, 0));
	assert_int_equal(sum.last, 3);
	assert_true(fold_reach(f, UINT64_C(1000000000))); /* saves the rest first */
	assert_false(fold_stands_still(f));
	assert_int_equal(sum.last, 5);
	assert_int_equal(sum.saved, 3);
	save_up_to(folds, f);
	assert_true(folds_save_step(folds)); /* before all others begin */
	assert_int_equal(sum.saved, 1);
	assert_false(folds->is_dated);
	fold_save_rest(f);
	assert_int_equal(sum.saved, 3);
	assert_false(fold_stands_still(f));
	save_up_to(folds, f);
	folds_save_abandon(folds);
	assert_false(fold_stands_still(f));
	fold_remove(f);
}

static void a_stop_while_one_stands_still_saves_all(void **state)
{
	struct folds *folds = bus_folds(fixture_bus);
	struct sum sum = {0};
	struct folded *f = folds_add(folds, &still, &sum);

	emit(3);
	assert_true(fold_reach(f, UINT64_C(1000000000)));
	save_up_to(folds, f);
	assert_true(folds_save_step(folds));
	emit(2);
	fixture_stop();
	fixture_start();
	join();
	sum = (struct sum){0};
	f = folds_add(bus_folds(fixture_bus), &still, &sum);
	assert_int_equal(fold_seq(f), 3);
	assert_int_equal(sum.total, sum_to(3));
	assert_true(fold_reach(f, UINT64_C(1000000000)));
	assert_int_equal(sum.total, sum_to(5));
	fold_remove(f);
}

/* ---- a moment of the past ---- */

#define MOMENTS 6

/* What was folded up to a moment, as a checkpoint has it. */
struct moment {
	uint64_t seq, began;
	struct buf saved;
};

static void fold_moment(struct moment *m)
{
	struct folds *folds = folds_create_at(fixture_journal, m->seq);
	struct sum first = {0}, second = {0};

	folds_add(folds, &at_once, &first);
	folds_add(folds, &later, &second);
	folds_catch_up(folds);
	assert_false(folds_are_behind(folds));
	emit(1); /* of the present: it is not heard there */
	folds_turn(folds);
	assert_int_equal(first.total, sum_to(m->seq));
	assert_int_equal(second.total, sum_to(m->seq));
	m->began = folds_began(folds);
	assert_true(m->began <= m->seq);
	buf_init(&m->saved, MIB);
	save_now(folds, &m->saved, NULL);
	folds_destroy(folds);
}

static void remove_files(const char *names)
{
	char pattern[128];
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/journal/%s", fixture_dir, names);
	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++)
		assert_int_equal(unlink(found.gl_pathv[i]), 0);
	globfree(&found);
}

/* As retention leaves it: the newest segment alone. */
static void remove_old_segments(void)
{
	char pattern[128];
	glob_t found;

	remove_files("*.checkpoint");
	snprintf(pattern, sizeof(pattern), "%s/journal/*.ndjson", fixture_dir);
	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	assert_true(found.gl_pathc > 1);
	for (size_t i = 0; i + 1 < found.gl_pathc; i++)
		assert_int_equal(unlink(found.gl_pathv[i]), 0);
	globfree(&found);
}

/* One that is new to a journal whose oldest signals are gone begins with those that are there. */
static void a_new_one_begins_with_what_is_there(void **state)
{
	uint64_t oldest;

	fixture_segment = 64 * KIB;
	fixture_stop();
	fixture_start();
	join();
	for (int i = 0; i < 60; i++) {
		emit(100);
		settle();
	}
	fixture_stop();
	fixture_segment = 64 * MIB;
	remove_old_segments();
	slow.refuses = true;
	fixture_start();
	join();
	oldest = journal_first_seq(fixture_journal);
	assert_true(oldest > 5000);
	assert_false(folds_turn(bus_folds(fixture_bus)) && folds_turn(bus_folds(fixture_bus)));
	assert_true(fold_reach(slow_fold, UINT64_C(1000000000)));
	assert_int_equal(slow.count, 6000 - oldest + 1);
	assert_int_equal(fold_seq(slow_fold), 6000);
}

/* Byte for byte the same as from the first signal on. */
static void a_moment_of_the_past_is_folded_from_near(void **state)
{
	struct moment near[MOMENTS] = {{0}, {1}, {350}, {701}, {1234}, {2000}};

	fixture_segment = 16 * KIB;
	fixture_stop();
	fixture_start();
	join();
	for (int i = 0; i < 20; i++) {
		emit(100);
		take_turns();
		settle();
	}
	fixture_stop(); /* and what was to be kept is */
	fixture_start();
	for (size_t i = 0; i < MOMENTS; i++)
		fold_moment(&near[i]);
	assert_true(near[0].began == 0 && near[MOMENTS - 1].began > 0);
	remove_files("*.checkpoint");
	for (size_t i = 0; i < MOMENTS; i++) {
		struct moment far = {near[i].seq};

		fold_moment(&far);
		assert_int_equal(far.began, 0);
		assert_true(text_equal(buf_text(&far.saved), buf_text(&near[i].saved)));
		buf_finish(&far.saved);
		buf_finish(&near[i].saved);
	}
	fixture_segment = 64 * MIB;
}

/* Nobody has to wait for it: it is folded as others are that fold later. */
static void a_moment_is_reached_in_pieces(void **state)
{
	struct folds *folds;
	struct sum sum = {0};
	struct folded *f;

	emit(200);
	settle();
	folds = folds_create_at(fixture_journal, 150);
	f = folds_add(folds, &at_once, &sum);
	assert_int_equal(fold_seq(f), 0);
	assert_false(fold_reach(f, 0)); /* one look at the clock, and back */
	assert_true(sum.count > 0 && sum.count < 150 && fold_is_behind(f));
	while (!fold_reach(f, 0))
		;
	assert_int_equal(sum.total, sum_to(150));
	assert_int_equal(sum.durable, 150);
	folds_destroy(folds);
}

static const struct fold_kind wordy = {KIND("wordy", FOLD_LATER), .kept_max = 1};

static void the_window_texts_and_long_states_are_not_kept(void **state)
{
	struct sum sum = {0};
	struct folded *f = folds_add(bus_folds(fixture_bus), &wordy, &sum);
	struct buf out, kept;
	struct text all, part;

	emit(3);
	take_turns();
	buf_init(&out, MIB);
	buf_init(&kept, MIB);
	save_now(bus_folds(fixture_bus), &out, &kept);
	all = buf_text(&out);
	part = buf_text(&kept);
	assert_true(text_equal(section_find(part, "quick"), section_find(all, "quick")));
	assert_true(text_is(section_find(part, "slow.seq"), "3"));
	assert_true(section_find(all, "window").len && !section_find(part, "window").len);
	assert_true(text_is(section_find(all, "wordy"), "3 6 3"));
	assert_false(section_find(part, "wordy").len || section_find(part, "wordy.seq").len);
	assert_false(section_find(all, "quick.texts").len); /* they are saved at a stop alone */
	buf_clear(&out);
	buf_clear(&kept);
	folds_close(bus_folds(fixture_bus));
	save_now(bus_folds(fixture_bus), &out, &kept);
	assert_true(section_find(buf_text(&out), "quick.texts").len);
	assert_false(section_find(buf_text(&kept), "quick.texts").len);
	buf_finish(&out);
	buf_finish(&kept);
	fold_remove(f);
}

/* Without the newest checkpoint: what was too long to be kept is folded from the beginning. */
static void a_start_goes_on_from_what_is_kept_whole(void **state)
{
	struct sum sum = {0};
	struct folded *f = folds_add(bus_folds(fixture_bus), &wordy, &sum);

	emit(5);
	take_turns();
	assert_int_equal(fold_seq(f), 5);
	fixture_stop();
	remove_files("checkpoint-*");
	fixture_start();
	join();
	sum = (struct sum){0};
	f = folds_add(bus_folds(fixture_bus), &wordy, &sum);
	assert_int_equal(fold_seq(f), 0);
	assert_int_equal(fold_seq(slow_fold), 5);
	assert_int_equal(slow.total, sum_to(5));
	assert_int_equal(quick.total, sum_to(5));
	fold_remove(f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_hears_at_once_and_one_when_it_is_its_turn),
		TEST(a_restart_goes_on_from_the_checkpoint),
		TEST(without_a_checkpoint_the_past_is_heard),
		TEST(a_stop_before_the_past_was_heard_loses_nothing),
		TEST(a_flood_is_folded_when_it_is_over),
		TEST(many_are_folded_once_a_tick_and_few_as_they_come),
		TEST(what_is_watched_follows_a_flood),
		TEST(some_wait_for_a_smaller_flood),
		TEST(a_turn_is_bounded_and_nothing_is_lost_by_that),
		TEST(some_hear_only_what_is_on_the_disk),
		TEST(a_state_that_is_too_long_is_not_saved),
		TEST(a_turn_that_saves_is_bounded),
		TEST(one_that_is_due_meanwhile_comes_after_it),
		TEST(each_state_is_of_one_moment),
		TEST(one_that_stands_still_goes_on_when_it_is_saved),
		TEST(a_stop_while_one_stands_still_saves_all),
		TEST(a_new_one_begins_with_what_is_there),
		TEST(a_moment_of_the_past_is_folded_from_near),
		TEST(a_moment_is_reached_in_pieces),
		TEST(the_window_texts_and_long_states_are_not_kept),
		TEST(a_start_goes_on_from_what_is_kept_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

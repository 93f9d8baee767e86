/* bus_test.c - the order of signals, what a listener may do, and what is remembered. */
#include "bus/bus.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "bus/fixture.h"
#include "journal/journal.h"

static int set_up(void **state)
{
	fixture_open();
	return 0;
}

static int tear_down(void **state)
{
	fixture_close();
	return 0;
}

static int remove_folded(const char *path, const struct stat *st, int kind, struct FTW *walk)
{
	const char *name = path + walk->base;

	if (strncmp(name, "checkpoint", 10) == 0 || strcmp(name, "clean") == 0)
		return remove(path);
	return 0;
}

static uint64_t stamped_seq;

static void stamped(void *self, uint64_t tag, struct text id, uint64_t seq)
{
	stamped_seq = seq;
}

static struct bus_verdict emit(const char *raw, bool once)
{
	struct bus_emit e = {
		.raw = text_of(raw),
		.from = {.name = TEXT("test")},
		.ticket = {.stamped = stamped},
		.durable = true,
		.once = once,
	};
	struct bus_verdict verdict;

	stamped_seq = 0;
	bus_admit(fixture_bus, &e, &verdict);
	return verdict;
}

/* --- listeners ------------------------------------------------------------------- */

struct listener {
	struct bus_listener listener;
	unsigned heard;
	char types[64];
	const char *answer;      /* what it emits on the first signal */
	enum bus_answer verdict; /* on that */
	struct listener *removes;
};

static void heard(struct bus_listener *listener, const struct signal *s)
{
	struct listener *l = list_of(listener, struct listener, listener);
	size_t n = strlen(l->types);

	l->heard++;
	snprintf(l->types + n, sizeof(l->types) - n, "%.*s ", TEXT_ARG(s->type));
	assert_int_equal(signal_seq_of(s->line), s->seq);
	if (l->answer && l->heard == 1)
		l->verdict = emit(l->answer, false).answer;
	if (l->removes)
		bus_remove_listener(fixture_bus, &l->removes->listener);
}

static void listen_to_it(struct listener *l)
{
	l->listener = (struct bus_listener){.name = "test", .heard = heard};
	bus_add_listener(fixture_bus, &l->listener);
}

static void a_signal_made_by_a_tap_waits_its_turn(void **state)
{
	struct listener first = {.answer = "{\"type\":\"answer\"}"}, second = {0};

	listen_to_it(&first);
	listen_to_it(&second);
	emit("{\"type\":\"question\"}", false);
	assert_int_equal(first.verdict, BUS_ACCEPTED);
	assert_string_equal(first.types, "question answer ");
	assert_string_equal(second.types, "question answer ");
	assert_int_equal(journal_last_seq(fixture_journal), 2);
	bus_remove_listener(fixture_bus, &first.listener);
	bus_remove_listener(fixture_bus, &second.listener);
}

static void what_is_wrong_is_refused_and_nobody_hears_it(void **state)
{
	struct listener l = {0};
	struct bus_verdict v;

	listen_to_it(&l);
	v = emit("{\"type\":\"x\",\"payload\":[]}", false);
	assert_int_equal(v.answer, BUS_REFUSED);
	assert_int_equal(v.reason, ADMIT_WRONG_TYPE);
	assert_int_equal(l.heard, 0);
	assert_int_equal(bus_stats(fixture_bus)->refused[ADMIT_WRONG_TYPE], 1);
	bus_remove_listener(fixture_bus, &l.listener);
}

static void what_a_tap_makes_wrong_is_refused_at_once(void **state)
{
	struct listener l = {.answer = "{\"type\":\"x\",\"payload\":[]}"};

	listen_to_it(&l);
	emit("{\"type\":\"question\"}", false);
	assert_int_equal(l.verdict, BUS_REFUSED);
	assert_string_equal(l.types, "question ");
	bus_remove_listener(fixture_bus, &l.listener);
}

static void another_mode_is_that_of_taps_too(void **state)
{
	struct listener l = {.answer = "{\"type\":\"x\",\"unknown\":1}"};

	listen_to_it(&l);
	bus_set_mode(fixture_bus, ADMIT_STRICT);
	emit("{\"type\":\"question\"}", false);
	assert_int_equal(l.verdict, BUS_REFUSED);
	assert_string_equal(l.types, "question ");
	bus_remove_listener(fixture_bus, &l.listener);
}

static void a_tap_may_remove_itself_and_the_next(void **state)
{
	struct listener a = {0}, b = {0}, c = {0};

	a.removes = &b;
	listen_to_it(&a);
	listen_to_it(&b);
	listen_to_it(&c);
	emit("{\"type\":\"x\"}", false);
	assert_int_equal(b.heard, 0);
	assert_int_equal(c.heard, 1);
	c.removes = &c;
	emit("{\"type\":\"x\"}", false);
	emit("{\"type\":\"x\"}", false);
	assert_int_equal(a.heard, 3);
	assert_int_equal(c.heard, 2);
	bus_remove_listener(fixture_bus, &a.listener);
}

/* --- once --------------------------------------------------------------------- */

#define WHOLE "{\"id\":\"a\",\"type\":\"x\",\"timestamp\":5,\"source\":\"s\",\"payload\":{}}"
#define BARE "{\"id\":\"b\",\"type\":\"x\"}"
#define LAST "{\"id\":\"c\",\"type\":\"x\",\"timestamp\":1700000000000}"

static void assert_known(const char *raw, uint64_t seq)
{
	assert_int_equal(emit(raw, true).answer, BUS_ACCEPTED);
	assert_int_equal(stamped_seq, seq);
	assert_int_equal(journal_last_seq(fixture_journal), 3);
}

static void the_same_bytes_get_their_first_seq(void **state)
{
	emit(WHOLE, true);
	emit(BARE, true);
	emit(LAST, true);
	assert_known(WHOLE, 1);
	assert_known(BARE, 2);
	assert_known(LAST, 3);
	assert_int_equal(bus_stats(fixture_bus)->repeated, 3);
	emit("{\"id\":\"b\",\"type\":\"y\"}", true);
	assert_int_equal(stamped_seq, 4);
	assert_int_equal(bus_stats(fixture_bus)->id_reused, 1);
}

static void they_do_so_after_a_clean_stop(void **state)
{
	emit(WHOLE, true);
	emit(BARE, true);
	emit(LAST, true);
	fixture_stop();
	fixture_start();
	assert_known(WHOLE, 1);
	assert_known(BARE, 2);
	assert_known(LAST, 3);
}

static void they_do_so_when_there_is_no_checkpoint(void **state)
{
	emit(WHOLE, true);
	emit(BARE, true);
	emit(LAST, true);
	fixture_stop();
	assert_int_equal(nftw(fixture_dir, remove_folded, 8, FTW_PHYS), 0);
	fixture_start();
	assert_known(WHOLE, 1);
	assert_known(BARE, 2);
	assert_known(LAST, 3);
}

/* Each of them counts once, whether its timestamp was filled in or not. */
static void all_of_the_window_is_known_after_a_crash(void **state)
{
	char raw[64];

	for (unsigned n = 0; n < 65536; n++) {
		snprintf(raw, sizeof(raw), "{\"id\":\"n%u\",\"type\":\"x\"}", n);
		emit(raw, true);
	}
	fixture_stop();
	assert_int_equal(nftw(fixture_dir, remove_folded, 8, FTW_PHYS), 0);
	fixture_start();
	emit("{\"type\":\"new\"}", true);
	for (unsigned n = 0; n < 65536; n += 977) {
		snprintf(raw, sizeof(raw), "{\"id\":\"n%u\",\"type\":\"x\"}", n);
		emit(raw, true);
		assert_int_equal(stamped_seq, n + 1);
	}
}

/* It looks like one of ours, and is what the producer wrote. */
#define GIVEN(last, seq) \
	"{\"id\":\"d\",\"type\":\"x\",\"source\":\"s\",\"payload\":{}" seq \
	",\"timestamp\": 170000000000" last "}"

static void a_timestamp_that_was_given_counts_however_it_is_spelt(void **state)
{
	for (int i = 0; i < 2; i++) {
		emit(GIVEN("1", ""), true);
		assert_int_equal(stamped_seq, 1);
		emit(GIVEN("2", ""), true);
		assert_int_equal(stamped_seq, 2);
		emit(GIVEN("3", ",\"seq\":7"), true);
		assert_int_equal(stamped_seq, 3);
		fixture_stop();
		assert_int_equal(nftw(fixture_dir, remove_folded, 8, FTW_PHYS), 0);
		fixture_start();
	}
}

static void without_once_the_same_bytes_are_another_signal(void **state)
{
	emit(WHOLE, false);
	emit(WHOLE, false);
	assert_int_equal(stamped_seq, 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_signal_made_by_a_tap_waits_its_turn),
		TEST(what_is_wrong_is_refused_and_nobody_hears_it),
		TEST(what_a_tap_makes_wrong_is_refused_at_once),
		TEST(another_mode_is_that_of_taps_too),
		TEST(a_tap_may_remove_itself_and_the_next),
		TEST(the_same_bytes_get_their_first_seq),
		TEST(they_do_so_after_a_clean_stop),
		TEST(they_do_so_when_there_is_no_checkpoint),
		TEST(all_of_the_window_is_known_after_a_crash),
		TEST(a_timestamp_that_was_given_counts_however_it_is_spelt),
		TEST(without_once_the_same_bytes_are_another_signal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

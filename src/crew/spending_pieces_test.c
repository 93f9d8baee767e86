/* spending_pieces_test.c - what is saved in pieces is of one moment; sessions know their hours. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "crew/spending.h"
#include "signal/json.h"

#define NOON 1794830400000.0 /* 2026-11-16T12:00Z */
#define HOUR 3600000.0

static struct spending *all;
static struct prices *prices;
static struct signal_reader *reader;
static struct buf answer;
static yyjson_doc *doc;
static uint64_t seq;

static int make_all(void **state)
{
	all = spending_create();
	prices = prices_own();
	spending_price(all, prices);
	reader = signal_reader_create();
	buf_init(&answer, 4 * MIB);
	seq = 0;
	return 0;
}

static int drop_all(void **state)
{
	spending_destroy(all);
	prices_destroy(prices);
	signal_reader_destroy(reader);
	buf_finish(&answer);
	yyjson_doc_free(doc);
	doc = NULL;
	return 0;
}

static void tell(const char *type, const char *run, double at_ms, const char *payload)
{
	char line[1000];
	struct error why;
	struct signal s;
	int len = snprintf(line, sizeof(line),
	                   "{\"seq\":%llu,\"id\":\"i\",\"type\":\"%s\",\"timestamp\":%.0f,"
	                   "\"source\":\"adapter:tap\",\"correlationId\":\"%s\",\"payload\":%s}",
	                   (unsigned long long)++seq, type, at_ms, run, payload);

	assert_true(signal_read(reader, (struct text){line, (size_t)len}, &s, &why));
	spending_hear(all, &s);
}

static void call_model(const char *run, const char *id, double at_ms, unsigned out,
                       const char *model)
{
	char payload[300];

	snprintf(payload, sizeof(payload),
	         "{\"agentId\":\"a\",\"promptTokens\":1000000,\"completionTokens\":%u,"
	         "\"responseId\":\"%s\",\"model\":\"%s\"}",
	         out, id, model);
	tell("token_usage", run, at_ms, payload);
}

static unsigned draw(unsigned *seed, unsigned most)
{
	*seed = *seed * 1103515245u + 12345u;
	return (*seed >> 16) % most;
}

/* Anything: rows, responses and sessions that are new, and others that change. */
static void do_something(unsigned *seed)
{
	char run[32], id[32], facts[100];

	snprintf(run, sizeof(run), "s%u", draw(seed, 300));
	snprintf(id, sizeof(id), "msg_%u", draw(seed, 5000));
	snprintf(facts, sizeof(facts), "{\"cwd\":\"/x/p%u\",\"cost\":%u}", draw(seed, 20),
	         draw(seed, 50));
	if (draw(seed, 5) == 0)
		tell("session.facts", run, NOON, facts);
	else
		call_model(run, id, NOON + draw(seed, 400) * HOUR, draw(seed, 100),
		           draw(seed, 2) ? "claude-opus-5-5" : "home-made");
}

static void pieces_are_of_the_moment_at_which_it_began(void **state)
{
	unsigned seed = 7;

	for (unsigned round = 0; round < 40; round++) {
		struct spending_saving *saving, *other;
		struct buf whole, pieces, later;
		bool more = true;

		buf_init(&whole, SPENDING_SAVED_MAX);
		buf_init(&pieces, SPENDING_SAVED_MAX);
		buf_init(&later, SPENDING_SAVED_MAX);
		for (unsigned i = 0; i < 200; i++)
			do_something(&seed);
		spending_save(all, &whole);
		saving = spending_saving_begin(all);
		for (unsigned i = draw(&seed, 20); i > 0; i--)
			do_something(&seed);
		other = spending_saving_begin(all);
		while (more) {
			more = spending_saving_more(saving, &pieces);
			spending_saving_more(other, &later); /* and is given up */
			for (unsigned i = draw(&seed, 40); more && i > 0; i--)
				do_something(&seed);
			if (other && draw(&seed, 8) == 0) {
				spending_saving_end(other);
				other = spending_saving_begin(all);
			}
		}
		spending_saving_end(saving);
		spending_saving_end(other);
		assert_true(text_equal(buf_text(&whole), buf_text(&pieces)));
		buf_finish(&whole);
		buf_finish(&pieces);
		buf_finish(&later);
	}
}

/* The ring goes round, and sessions are pushed out, while it is saved. */
static void what_goes_meanwhile_is_saved_too(void **state)
{
	struct spending_saving *saving;
	struct buf whole, pieces;
	char id[32];
	bool more = true;
	unsigned n = 0;

	buf_init(&whole, SPENDING_SAVED_MAX);
	buf_init(&pieces, SPENDING_SAVED_MAX);
	for (; n < SPENDING_IDS + 1000; n++) {
		snprintf(id, sizeof(id), "m%u", n);
		call_model(id, id, NOON, 1, "claude-opus-5-5");
	}
	spending_save(all, &whole);
	saving = spending_saving_begin(all);
	while (more) {
		more = spending_saving_more(saving, &pieces);
		for (unsigned i = 0; i < 200; i++, n++) {
			snprintf(id, sizeof(id), "m%u", n);
			call_model(id, id, NOON, 1, "claude-opus-5-5");
		}
	}
	spending_saving_end(saving);
	assert_true(text_equal(buf_text(&whole), buf_text(&pieces)));
	assert_true(spending_load(all, buf_text(&pieces)));
	buf_finish(&whole);
	buf_finish(&pieces);
}

/* ---- hours of sessions ---- */

static yyjson_val *ask_session(double since_ms, double until_ms, const char *run)
{
	struct spending_question q = {SPENDING_BY_SESSION, since_ms, until_ms, 0, prices};
	yyjson_arr_iter each;
	yyjson_val *row;

	buf_clear(&answer);
	buf_add_char(&answer, '{');
	spending_json(all, &q, &answer);
	buf_add_char(&answer, '}');
	yyjson_doc_free(doc);
	doc = yyjson_read(answer.at, answer.len, 0);
	assert_non_null(doc);
	each = yyjson_arr_iter_with(yyjson_obj_get(yyjson_doc_get_root(doc), "rows"));
	while ((row = yyjson_arr_iter_next(&each)))
		if (text_is(json_text_at(row, "key"), run))
			return row;
	return NULL;
}

static uint64_t member(yyjson_val *row, const char *name)
{
	return yyjson_get_uint(yyjson_obj_get(row, name));
}

static double cost_of(yyjson_val *row)
{
	return yyjson_get_num(yyjson_obj_get(row, "cost"));
}

static bool is_at_least(yyjson_val *row)
{
	return yyjson_get_bool(yyjson_obj_get(row, "atLeast"));
}

static void save_and_load(void)
{
	struct buf saved;

	buf_init(&saved, SPENDING_SAVED_MAX);
	spending_save(all, &saved);
	assert_true(spending_load(all, buf_text(&saved)));
	buf_finish(&saved);
}

static void a_session_counts_from_the_hour_that_is_asked_for(void **state)
{
	yyjson_val *row;

	call_model("s", "msg_1", NOON, 1, "claude-opus-5-5");
	call_model("s", "msg_2", NOON + HOUR, 10, "claude-opus-5-5");
	call_model("s", "msg_3", NOON + 3 * HOUR, 100, "claude-opus-5-5");
	call_model("old", "msg_4", NOON, 1000, "claude-opus-5-5");
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(member(ask_session(0, INFINITY, "s"), "output"), 111);
		row = ask_session(NOON + HOUR, INFINITY, "s");
		assert_int_equal(member(row, "output"), 110);
		assert_int_equal(member(row, "calls"), 2);
		assert_false(is_at_least(row));
		assert_null(ask_session(NOON + HOUR, INFINITY, "old"));
		assert_int_equal(member(ask_session(NOON, NOON + 2 * HOUR, "s"), "output"), 11);
		assert_null(ask_session(NOON + 2 * HOUR, NOON + 3 * HOUR, "s"));
		save_and_load();
	}
}

static void an_own_figure_is_in_the_hours_that_are_known(void **state)
{
	yyjson_val *row;

	call_model("s", "msg_1", NOON, 0, "claude-opus-5-5"); /* $4 */
	tell("session.facts", "s", NOON, "{\"cost\":10}");
	call_model("s", "msg_2", NOON + 5 * HOUR, 0, "claude-opus-5-5");
	tell("session.facts", "s", NOON + 5 * HOUR, "{\"cost\":16}"); /* six of it in this hour */
	assert_true(fabs(cost_of(ask_session(0, INFINITY, "s")) - 16) < 1e-9);
	row = ask_session(NOON + HOUR, INFINITY, "s");
	assert_true(fabs(cost_of(row) - 10) < 1e-9);
	assert_true(is_at_least(row));
}

static void hours_that_were_joined_are_told_as_at_least(void **state)
{
	yyjson_val *row;
	char id[32];

	for (unsigned i = 0; i < 200; i++) {
		snprintf(id, sizeof(id), "msg_%u", i);
		call_model("s", id, NOON + i * HOUR, 1, "claude-opus-5-5");
	}
	for (unsigned i = 0; i < 2; i++) {
		row = ask_session(0, INFINITY, "s");
		assert_int_equal(member(row, "output"), 200);
		assert_false(is_at_least(row));
		row = ask_session(NOON + 190 * HOUR, INFINITY, "s");
		assert_int_equal(member(row, "output"), 10);
		assert_false(is_at_least(row));
		row = ask_session(NOON + 50 * HOUR, INFINITY, "s");
		assert_true(is_at_least(row));
		assert_true(member(row, "output") >= 50 && member(row, "output") <= 150);
		save_and_load();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(pieces_are_of_the_moment_at_which_it_began,
	                                        make_all, drop_all),
		cmocka_unit_test_setup_teardown(what_goes_meanwhile_is_saved_too, make_all,
	                                        drop_all),
		cmocka_unit_test_setup_teardown(a_session_counts_from_the_hour_that_is_asked_for,
	                                        make_all, drop_all),
		cmocka_unit_test_setup_teardown(an_own_figure_is_in_the_hours_that_are_known,
	                                        make_all, drop_all),
		cmocka_unit_test_setup_teardown(hours_that_were_joined_are_told_as_at_least,
	                                        make_all, drop_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

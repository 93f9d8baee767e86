/* spending_test.c - each response is counted once, in any order, whoever tells it. */
#include "crew/spending.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "base/crc32c.h"
#include "crew/seen.h"
#include "signal/json.h"

#define NOON 1794830400000.0 /* 2026-11-16T12:00Z */
#define HOUR 3600000.0

static struct spending *all;
static struct prices *prices;
static struct signal_reader *reader;
static struct buf answer;
static yyjson_doc *doc;
static uint64_t seq;

static int make(void **state)
{
	all = spending_create();
	prices = prices_own();
	spending_price(all, prices);
	reader = signal_reader_create();
	buf_init(&answer, 1 * MIB);
	doc = NULL;
	seq = 0;
	return 0;
}

static int drop(void **state)
{
	spending_destroy(all);
	prices_destroy(prices);
	signal_reader_destroy(reader);
	buf_finish(&answer);
	yyjson_doc_free(doc);
	return 0;
}

static const char *source = "adapter:tap";

static void hear_line(const char *type, const char *run, double at_ms, const char *rest)
{
	char line[2000];
	struct error why;
	struct signal s;
	int len = snprintf(line, sizeof(line),
	                   "{\"seq\":%llu,\"id\":\"i\",\"type\":\"%s\",\"timestamp\":%.0f,"
	                   "\"source\":\"%s\",\"correlationId\":\"%s\",%s}",
	                   (unsigned long long)++seq, type, at_ms, source, run, rest);

	assert_true(signal_read(reader, (struct text){line, (size_t)len}, &s, &why));
	spending_hear(all, &s);
}

static void hear_box(const char *type, const char *run, const char *rest)
{
	source = "signalbox";
	hear_line(type, run, NOON, rest);
	source = "adapter:tap";
}

static void spend(const char *run, const char *id, unsigned in, unsigned out)
{
	char rest[400];

	snprintf(rest, sizeof(rest),
	         "\"payload\":{\"agentId\":\"a\",\"promptTokens\":%u,\"completionTokens\":%u,"
	         "\"model\":\"claude-opus-5-5\"%s%s%s}",
	         in, out, id ? ",\"responseId\":\"" : "", id ? id : "", id ? "\"" : "");
	hear_line("token_usage", run, NOON, rest);
}

static yyjson_val *ask(enum spending_by by)
{
	struct spending_question q = {by, 0, INFINITY, 0, prices};

	buf_clear(&answer);
	buf_add_char(&answer, '{');
	spending_json(all, &q, &answer);
	buf_add_char(&answer, '}');
	yyjson_doc_free(doc);
	doc = yyjson_read(answer.at, answer.len, 0);
	assert_non_null(doc);
	return yyjson_doc_get_root(doc);
}

static uint64_t total(const char *name)
{
	return yyjson_get_uint(
		yyjson_obj_get(yyjson_obj_get(ask(SPENDING_BY_MODEL), "total"), name));
}

static void a_response_is_counted_once_whoever_tells_it(void **state)
{
	spend("one", "msg_1", 100, 1);
	spend("one", "msg_1", 100, 40);
	spend("one", "msg_1", 100, 40);
	spend("fork", "msg_1", 100, 40);
	spend("one", "msg_1", 100, 7);
	assert_int_equal(total("input"), 100);
	assert_int_equal(total("output"), 40);
	assert_int_equal(total("calls"), 1);
	spend("fork", "msg_2", 5, 5);
	assert_int_equal(total("output"), 45);
	assert_int_equal(total("calls"), 2);
}

static void strangers_spend_nothing_of_a_session(void **state)
{
	struct buf saved;

	spend("one", "msg_1", 100, 40);
	source = "local/x";
	spend("one", "msg_2", 100, 1000);
	spend("one", NULL, 100, 1000);
	hear_line("usage.past", "", NOON,
	          "\"payload\":{\"session\":\"one\",\"cost\":99,\"calls\":[{\"responseId\":\"p\","
	          "\"at\":1794830400000,\"completionTokens\":9}]}");
	assert_int_equal(total("output"), 40);
	spend("mine", "msg_3", 1, 2);
	assert_int_equal(total("output"), 42);
	buf_init(&saved, 1 * MIB);
	spending_save(all, &saved);
	assert_true(spending_load(all, buf_text(&saved)));
	buf_finish(&saved);
	spend("one", "msg_4", 100, 1000);
	spend("mine", "msg_5", 1, 2);
	assert_int_equal(total("output"), 44);
	source = "adapter:tap";
	spend("mine", "msg_6", 1, 2); /* and from now on it is somebody's */
	source = "local/x";
	spend("mine", "msg_7", 1, 2);
	source = "adapter:tap";
	assert_int_equal(total("output"), 46);
}

static unsigned next_number(unsigned *seed)
{
	*seed = *seed * 1103515245u + 12345u;
	return *seed >> 16;
}

/* Lines of several responses, shuffled in many ways, and each perhaps twice. */
static void any_order_gives_the_same_counts(void **state)
{
	enum { RESPONSES = 5, LINES = 4 };
	unsigned seed = 1;

	for (unsigned round = 0; round < 200; round++) {
		unsigned order[RESPONSES * LINES];

		for (unsigned i = 0; i < RESPONSES * LINES; i++) {
			unsigned at = next_number(&seed) % (i + 1);

			order[i] = order[at];
			order[at] = i;
		}
		spending_destroy(all);
		all = spending_create();
		for (unsigned i = 0; i < RESPONSES * LINES; i++) {
			unsigned response = order[i] / LINES, line = order[i] % LINES;
			char id[16];

			snprintf(id, sizeof(id), "msg_%u", response);
			for (unsigned k = next_number(&seed) % 2; k < 2; k++)
				spend("s", id, 10 * response, 1 + line * response);
		}
		assert_int_equal(total("input"), 10 * (0 + 1 + 2 + 3 + 4));
		assert_int_equal(total("output"), RESPONSES + 3 * (0 + 1 + 2 + 3 + 4));
		assert_int_equal(total("calls"), RESPONSES);
	}
}

static void two_witnesses_of_one_session_are_not_added_up(void **state)
{
	spend("s", "msg_1", 100, 10);
	spend("s", "msg_2", 100, 10);
	spend("s", NULL, 200, 25); /* the turn's own sum: it saw more */
	assert_int_equal(total("input"), 200);
	assert_int_equal(total("output"), 25);
	spend("s", "msg_3", 0, 7);
	assert_int_equal(total("output"), 27);
	spend("other", NULL, 1, 1);
	spend("other", NULL, 1, 1);
	assert_int_equal(total("output"), 29);
}

static void sums_are_by_hour_project_and_program(void **state)
{
	yyjson_val *rows;

	hear_line("event", "s", NOON, "\"payload\":{},\"metadata\":{\"cwd\":\"/home/a/shop/\"}");
	hear_line("event", "s", NOON, "\"payload\":{},\"metadata\":{\"cwd\":\"/home/a/shop/sub\"}");
	spend("s", "msg_1", 1000000, 0);
	hear_line("session.facts", "t", NOON,
	          "\"payload\":{\"cwd\":\"/x/api\",\"harness\":\"codex\"}");
	hear_line("token_usage", "t", NOON + 13 * HOUR,
	          "\"payload\":{\"agentId\":\"a\",\"promptTokens\":9,\"completionTokens\":1,"
	          "\"inputTokens\":4,\"cacheReadTokens\":5,\"model\":\"home-made\"}");
	rows = yyjson_obj_get(ask(SPENDING_BY_PROJECT), "rows");
	assert_int_equal(yyjson_arr_size(rows), 2);
	assert_true(text_is(json_text_at(yyjson_arr_get(rows, 0), "key"), "shop"));
	assert_true(yyjson_get_num(yyjson_obj_get(yyjson_arr_get(rows, 0), "cost")) == 4);
	assert_true(yyjson_is_null(yyjson_obj_get(yyjson_arr_get(rows, 1), "cost")));
	assert_true(yyjson_get_bool(yyjson_obj_get(yyjson_arr_get(rows, 1), "unknown")));
	assert_int_equal(yyjson_get_uint(yyjson_obj_get(yyjson_arr_get(rows, 1), "input")), 4);
	rows = yyjson_obj_get(ask(SPENDING_BY_HARNESS), "rows");
	assert_true(text_is(json_text_at(yyjson_arr_get(rows, 0), "key"), "claude-code"));
	assert_true(text_is(json_text_at(yyjson_arr_get(rows, 1), "key"), "codex"));
	rows = yyjson_obj_get(ask(SPENDING_BY_DAY), "rows");
	assert_true(text_is(json_text_at(yyjson_arr_get(rows, 0), "key"), "2026-11-16"));
	assert_true(text_is(json_text_at(yyjson_arr_get(rows, 1), "key"), "2026-11-17"));
	assert_int_equal(yyjson_arr_size(yyjson_obj_get(ask(SPENDING_BY_HOUR), "rows")), 2);
	assert_int_equal(yyjson_arr_size(yyjson_obj_get(ask(SPENDING_BY_SESSION), "rows")), 2);
}

static void the_agents_own_figure_counts_where_it_is_larger(void **state)
{
	yyjson_val *row;

	spend("s", "msg_1", 1000000, 0); /* $4 */
	hear_line("session.facts", "s", NOON, "\"payload\":{\"cost\":3.5}");
	row = yyjson_arr_get_first(yyjson_obj_get(ask(SPENDING_BY_SESSION), "rows"));
	assert_true(yyjson_get_num(yyjson_obj_get(row, "cost")) == 4);
	hear_line("session.facts", "s", NOON, "\"payload\":{\"cost\":4.5,\"contextUsed\":7}");
	hear_line("session.facts", "s", NOON, "\"payload\":{\"cost\":0.1}");
	hear_box("session.gone", "s", "\"payload\":{}");
	row = yyjson_arr_get_first(yyjson_obj_get(ask(SPENDING_BY_SESSION), "rows"));
	assert_true(yyjson_get_num(yyjson_obj_get(row, "cost")) == 4.5);
	assert_true(yyjson_get_bool(yyjson_obj_get(row, "atLeast")));
	buf_clear(&answer);
	buf_add_char(&answer, '{');
	spending_usage_json(all, (const struct usage *[]){spending_of(all, TEXT("s")), NULL},
	                    prices, true, &answer);
	buf_add_char(&answer, '}');
	assert_non_null(strstr(answer.at, "\"context\":{\"used\":7,\"window\":1000000}"));
}

static yyjson_val *total_by(enum spending_by by, const char *name)
{
	return yyjson_obj_get(yyjson_obj_get(ask(by), "total"), name);
}

/* Whatever is asked by. */
static void assert_cost(double cost)
{
	for (enum spending_by by = 0; by < SPENDING_BYS; by++) {
		double told = yyjson_get_num(total_by(by, "cost"));

		assert_true(fabs(told - cost) < 1e-9);
	}
}

static double cost_of_row(enum spending_by by, size_t number)
{
	yyjson_val *rows = yyjson_obj_get(ask(by), "rows");

	return yyjson_get_num(yyjson_obj_get(yyjson_arr_get(rows, number), "cost"));
}

/* An agent takes its figure along when it forks. */
static void the_own_figure_of_a_fork_counts_nothing_twice(void **state)
{
	struct buf saved;

	spend("one", "msg_1", 1000000, 0); /* $4 */
	hear_line("session.facts", "one", NOON, "\"payload\":{\"cost\":5}");
	hear_line("session.facts", "fork", NOON, "\"payload\":{\"cost\":9}");
	buf_init(&saved, 1 * MIB);
	spending_save(all, &saved);
	assert_true(spending_load(all, buf_text(&saved)));
	buf_finish(&saved);
	spend("fork", "msg_1", 1000000, 0);
	spend("fork", "msg_2", 1000000, 0);
	assert_cost(9);
	hear_line("session.facts", "fork", NOON, "\"payload\":{\"cost\":99}");
	assert_cost(9);
	spend("one", "msg_1", 1000000, 0);
	hear_line("session.facts", "one", NOON, "\"payload\":{\"cost\":6}");
	assert_cost(10);
}

static void an_older_figure_says_nothing_of_a_model_without_a_price(void **state)
{
	static const char *const call =
		"\"payload\":{\"agentId\":\"a\",\"promptTokens\":9,"
		"\"completionTokens\":9,\"model\":\"home-made\",\"responseId\":\"m\"}";

	spend("s", "msg_1", 1000000, 0); /* $4 */
	hear_line("session.facts", "s", NOON, "\"payload\":{\"cost\":4}");
	assert_false(yyjson_get_bool(total_by(SPENDING_BY_SESSION, "unknown")));
	hear_line("token_usage", "s", NOON, call);
	for (enum spending_by by = 0; by < SPENDING_BYS; by++)
		assert_true(yyjson_get_bool(total_by(by, "unknown")));
	hear_line("session.facts", "s", NOON, "\"payload\":{\"cost\":7}");
	assert_false(yyjson_get_bool(total_by(SPENDING_BY_SESSION, "unknown")));
	assert_cost(7);
}

static void the_own_figure_is_in_every_sum_and_calls_shrink_it(void **state)
{
	struct buf saved, again;

	hear_line("session.facts", "s", NOON, "\"payload\":{\"cwd\":\"/x/shop\",\"cost\":5}");
	assert_cost(5);
	spend("s", "msg_1", 1000000, 0); /* $4 */
	assert_cost(5);
	assert_int_equal(yyjson_arr_size(yyjson_obj_get(ask(SPENDING_BY_MODEL), "rows")), 1);
	hear_line("session.facts", "s", NOON, "\"payload\":{\"cost\":25}");
	spend("other", "msg_2", 1000000, 0);
	assert_cost(29);
	spend("s", "msg_3", 4000000, 0); /* it was in the figure */
	assert_cost(29);
	buf_init(&saved, SPENDING_SAVED_MAX);
	buf_init(&again, SPENDING_SAVED_MAX);
	spending_save(all, &saved);
	assert_true(spending_load(all, buf_text(&saved)));
	spending_save(all, &again);
	assert_true(text_equal(buf_text(&saved), buf_text(&again)));
	assert_cost(29);
	spend("s", "msg_4", 4000000, 0); /* more than it says */
	assert_cost(4 + 16 + 16 + 4);
	buf_finish(&saved);
	buf_finish(&again);
}

static void the_own_figure_stays_in_the_day_in_which_it_grew(void **state)
{
	spend("s", "msg_1", 1000000, 0);
	hear_line("session.facts", "s", NOON, "\"payload\":{\"cost\":10}");
	hear_line("token_usage", "s", NOON + 24 * HOUR,
	          "\"payload\":{\"agentId\":\"a\",\"promptTokens\":1,\"completionTokens\":0,"
	          "\"model\":\"home-made\",\"responseId\":\"msg_2\"}");
	hear_line("session.facts", "s", NOON + 24 * HOUR, "\"payload\":{\"cost\":12.5}");
	assert_cost(12.5);
	assert_true(cost_of_row(SPENDING_BY_DAY, 0) == 10);
	assert_true(cost_of_row(SPENDING_BY_DAY, 1) == 2.5);
	hear_line("session.facts", "s", NOON + 48 * HOUR, "\"payload\":{}");
	assert_true(cost_of_row(SPENDING_BY_DAY, 0) == 10);
}

static void hidden_calls_show_in_every_sum(void **state)
{
	spend("s", "msg_1", 10, 10);
	hear_line("session.gone", "s", NOON, "\"payload\":{}"); /* anybody can say that */
	hear_box("session.gone", "s", "\"payload\":{\"left\":true}");
	for (enum spending_by by = 0; by < SPENDING_BYS; by++)
		assert_null(total_by(by, "atLeast"));
	hear_box("session.gone", "s", "\"payload\":{}");
	for (enum spending_by by = 0; by < SPENDING_BYS; by++) {
		struct buf saved;

		buf_init(&saved, SPENDING_SAVED_MAX);
		assert_non_null(total_by(by, "atLeast"));
		spending_save(all, &saved);
		assert_true(spending_load(all, buf_text(&saved)));
		buf_finish(&saved);
	}
	hear_line("event", "t", NOON,
	          "\"payload\":{},\"metadata\":{\"cwd\":\"/x/api\",\"hook\":\"PreCompact\"}");
	spend("t", "msg_2", 10, 10);
	assert_int_equal(yyjson_arr_size(yyjson_obj_get(ask(SPENDING_BY_PROJECT), "rows")), 2);
	for (size_t i = 0; i < 2; i++)
		assert_true(yyjson_get_bool(yyjson_obj_get(
			yyjson_arr_get(yyjson_obj_get(ask(SPENDING_BY_PROJECT), "rows"), i),
			"atLeast")));
}

static void nonsense_is_counted_as_nothing(void **state)
{
	hear_line("token_usage", "s", -5,
	          "\"payload\":{\"agentId\":\"a\",\"promptTokens\":-1,"
	          "\"completionTokens\":1e300,\"cost\":-1,\"model\":7}");
	hear_line("token_usage", "s", 1e300, "\"payload\":[]");
	hear_line("session.facts", "s", 0, "\"payload\":{\"cwd\":\"\",\"cost\":1e300}");
	hear_line("session.facts", "s", 0, "\"payload\":{\"cwd\":\"/\"}");
	assert_int_equal(total("input"), 0);
	assert_int_equal(total("output"), USAGE_COUNT_MAX);
}

static void what_is_saved_is_as_it_was_and_counts_nothing_twice(void **state)
{
	struct buf saved, again;
	uint64_t heard;

	buf_init(&saved, SPENDING_SAVED_MAX);
	buf_init(&again, SPENDING_SAVED_MAX);
	hear_line("event", "s", NOON, "\"payload\":{},\"metadata\":{\"cwd\":\"/home/a/shop\"}");
	spend("s", "msg_1", 100, 10);
	spend("t", NULL, 1, 2);
	heard = seq;
	spending_save(all, &saved);
	spending_destroy(all);
	all = spending_create();
	spend("gone", "msg_9", 5, 5);
	assert_true(spending_load(all, buf_text(&saved)));
	spending_save(all, &again);
	assert_true(text_equal(buf_text(&saved), buf_text(&again)));
	seq = heard - 1;
	spend("t", NULL, 1, 2); /* the same seq again */
	spend("s", "msg_1", 100, 12);
	assert_int_equal(total("output"), 14);
	assert_int_equal(total("calls"), 2);
	for (size_t i = 0; i < saved.len; i += 7) { /* cut anywhere, or changed */
		assert_false(spending_load(all, (struct text){saved.at, i}));
		saved.at[i] ^= 1;
		assert_false(spending_load(all, buf_text(&saved)));
		saved.at[i] ^= 1;
	}
	assert_int_equal(total("output"), 14);
	spending_fit(all, 1);
	seq = 1;
	spend("u", NULL, 0, 1);
	assert_int_equal(total("output"), 15);
	buf_finish(&saved);
	buf_finish(&again);
}

static void old_responses_stay_counted(void **state)
{
	char id[32];
	struct buf saved;

	for (unsigned i = 0; i <= SPENDING_IDS; i++) {
		snprintf(id, sizeof(id), "msg_%u", i);
		spend("s", id, 0, 1);
	}
	assert_int_equal(total("calls"), SPENDING_IDS + 1);
	spend("s", "msg_1", 0, 1);
	assert_int_equal(total("calls"), SPENDING_IDS + 1);
	spend("s", "msg_0", 0, 1);
	assert_int_equal(total("calls"), SPENDING_IDS + 1);
	assert_true(spending_knows(all, TEXT("msg_0")));
	assert_false(spending_knows(all, TEXT("msg_new")));
	buf_init(&saved, SPENDING_SAVED_MAX);
	spending_save(all, &saved);
	assert_true(spending_load(all, buf_text(&saved)));
	assert_true(spending_knows(all, TEXT("msg_0")));
	buf_finish(&saved);
}

static void tell_past(const char *session, const char *id, double at_ms, unsigned out)
{
	char rest[400];

	snprintf(rest, sizeof(rest),
	         "\"payload\":{\"session\":\"%s\",\"cwd\":\"/home/a/shop\",\"harness\":\"h\","
	         "\"calls\":[{\"responseId\":\"%s\",\"at\":%.0f,\"model\":\"claude-opus-5-5\","
	         "\"promptTokens\":1,\"completionTokens\":%u},{\"at\":1},7]}",
	         session, id, at_ms, out);
	hear_line("usage.past", "", NOON, rest);
}

static void the_past_is_counted_once_in_its_own_hour(void **state)
{
	spend("live", "msg_1", 5, 50);
	tell_past("old", "msg_1", NOON - HOUR * 30, 50);
	tell_past("old", "msg_2", NOON - HOUR * 30, 7);
	tell_past("old", "msg_2", NOON - HOUR * 30, 9);
	tell_past("fork", "msg_2", NOON - HOUR * 30, 7);
	assert_int_equal(total("output"), 57);
	assert_int_equal(total("calls"), 2);
	assert_int_equal(yyjson_arr_size(yyjson_obj_get(ask(SPENDING_BY_DAY), "rows")), 2);
	/* What may be under way may still grow. */
	tell_past("old", "msg_3", NOON - 1000, 1);
	spend("old", "msg_3", 1, 4);
	assert_int_equal(total("output"), 61);
	spend("new", "msg_2", 1, 7);
	assert_int_equal(total("output"), 61);
}

static void a_compaction_hides_calls_of_the_past_and_of_the_present(void **state)
{
	hear_line("usage.past", "", NOON,
	          "\"payload\":{\"session\":\"old\",\"compacted\":true,\"calls\":[{\"responseId\":"
	          "\"msg_1\",\"at\":1000,\"promptTokens\":1,\"completionTokens\":2}]}");
	for (enum spending_by by = 0; by < SPENDING_BYS; by++)
		assert_non_null(total_by(by, "atLeast"));
	drop(state);
	make(state);
	spend("s", "msg_1", 10, 10);
	assert_null(total_by(SPENDING_BY_DAY, "atLeast"));
	hear_line("session.facts", "s", NOON, "\"payload\":{\"compacted\":true}");
	for (enum spending_by by = 0; by < SPENDING_BYS; by++)
		assert_non_null(total_by(by, "atLeast"));
}

static void the_past_does_not_push_out_sessions_of_today(void **state)
{
	char id[32];

	spend("today", "msg_today", 1, 1);
	for (unsigned i = 0; i < SPENDING_SESSIONS + 10; i++) {
		snprintf(id, sizeof(id), "s%u", i);
		tell_past(id, id, NOON - HOUR * 30, 1);
	}
	assert_non_null(spending_of(all, TEXT("today")));
	assert_int_equal(total("calls"), SPENDING_SESSIONS + 11);
	spend("tomorrow", "msg_tomorrow", 1, 1);
	assert_non_null(spending_of(all, TEXT("tomorrow")));
	assert_non_null(spending_of(all, TEXT("today")));
}

static void what_cannot_be_remembered_is_not_counted(void **state)
{
	struct seen_ids *seen = spending_seen(all);

	for (uint64_t i = 1; seen->count < SEEN_MAX; i++)
		seen_add(seen, i * 0x9e3779b97f4a7c15u);
	for (int i = 0; i < 3; i++)
		tell_past("old", "msg_1", NOON - HOUR * 30, 7);
	assert_int_equal(total("calls"), 0);
	spend("live", "msg_2", 1, 1);
	assert_int_equal(total("calls"), 1);
}

/* Numbers and texts, as the version before saved them. */
static void add_saved(struct buf *out, uint64_t n)
{
	for (int i = 0; i < 8; i++)
		buf_add_char(out, (char)(n >> (8 * i)));
}

static void a_save_without_own_figures_in_rows_loads(void **state)
{
	const double own = 9, last = NOON;
	struct buf old;
	uint64_t bits;

	buf_init(&old, 1 * MIB);
	buf_add(&old, TEXT("spending 2\n"));
	add_saved(&old, 7); /* seq, then one name and one row */
	add_saved(&old, 1);
	add_saved(&old, 0);
	add_saved(&old, 1);
	add_saved(&old, (uint64_t)(NOON / HOUR));
	for (int i = 0; i < 2 + SPENT_COUNTS; i++)
		add_saved(&old, i == 2 + SPENT_CALLS);
	add_saved(&old, 3); /* seed, no responses, one session */
	add_saved(&old, 0);
	add_saved(&old, 1);
	add_saved(&old, 1);
	buf_add_char(&old, 's');
	for (int i = 0; i < 1 + 2 * SPENT_COUNTS + 2; i++)
		add_saved(&old, 0);
	memcpy(&bits, &own, sizeof(bits));
	add_saved(&old, bits);
	memcpy(&bits, &last, sizeof(bits));
	add_saved(&old, bits);
	add_saved(&old, 0); /* no models, no old responses */
	add_saved(&old, 0);
	add_saved(&old, crc32c(0, old.at, old.len));
	assert_true(spending_load(all, buf_text(&old)));
	assert_cost(9);
	assert_int_equal(total("calls"), 1);
	buf_finish(&old);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_response_is_counted_once_whoever_tells_it, make,
	                                        drop),
		cmocka_unit_test_setup_teardown(strangers_spend_nothing_of_a_session, make, drop),
		cmocka_unit_test_setup_teardown(any_order_gives_the_same_counts, make, drop),
		cmocka_unit_test_setup_teardown(two_witnesses_of_one_session_are_not_added_up, make,
	                                        drop),
		cmocka_unit_test_setup_teardown(sums_are_by_hour_project_and_program, make, drop),
		cmocka_unit_test_setup_teardown(the_agents_own_figure_counts_where_it_is_larger,
	                                        make, drop),
		cmocka_unit_test_setup_teardown(the_own_figure_of_a_fork_counts_nothing_twice, make,
	                                        drop),
		cmocka_unit_test_setup_teardown(
			an_older_figure_says_nothing_of_a_model_without_a_price, make, drop),
		cmocka_unit_test_setup_teardown(the_own_figure_is_in_every_sum_and_calls_shrink_it,
	                                        make, drop),
		cmocka_unit_test_setup_teardown(the_own_figure_stays_in_the_day_in_which_it_grew,
	                                        make, drop),
		cmocka_unit_test_setup_teardown(hidden_calls_show_in_every_sum, make, drop),
		cmocka_unit_test_setup_teardown(nonsense_is_counted_as_nothing, make, drop),
		cmocka_unit_test_setup_teardown(what_is_saved_is_as_it_was_and_counts_nothing_twice,
	                                        make, drop),
		cmocka_unit_test_setup_teardown(old_responses_stay_counted, make, drop),
		cmocka_unit_test_setup_teardown(the_past_is_counted_once_in_its_own_hour, make,
	                                        drop),
		cmocka_unit_test_setup_teardown(
			a_compaction_hides_calls_of_the_past_and_of_the_present, make, drop),
		cmocka_unit_test_setup_teardown(the_past_does_not_push_out_sessions_of_today, make,
	                                        drop),
		cmocka_unit_test_setup_teardown(what_cannot_be_remembered_is_not_counted, make,
	                                        drop),
		cmocka_unit_test_setup_teardown(a_save_without_own_figures_in_rows_loads, make,
	                                        drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

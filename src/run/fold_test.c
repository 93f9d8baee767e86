/* fold_test.c - a run is what its frames say; the shared transcripts above all. */
#include "run/fold.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define ALL ((size_t)1000)
#define HAIKU "../shared/vectors/runs/haiku-sample.jsonl"
#define DEBUGGER "../shared/vectors/runs/debugger.jsonl"

static struct json_reader reader;

static void hear(struct fold *fold, struct text raw)
{
	struct run_event happened;
	struct frame frame;
	struct error why;

	assert_true(frame_read(&frame, &reader, raw, &why));
	event_of_frame(&happened, &frame);
	fold_event(fold, &happened);
}

static void hear_event(struct fold *fold, double ts, const char *event, const char *data)
{
	char raw[65536];

	snprintf(raw, sizeof(raw), "{\"kind\":\"event\",\"ts\":%.3f,\"event\":\"%s\",\"data\":%s}",
	         ts, event, data);
	hear(fold, text_of(raw));
}

/* At most so many lines of it from `first` on; where it stopped. */
static size_t hear_file(struct fold *fold, const char *path, size_t first, size_t count)
{
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t room = 0, at = 0;
	ssize_t len;

	if (!file) {
		print_message("# skipped: %s is not there\n", path);
		fold_finish(fold);
		skip();
		return 0;
	}
	for (; (len = getline(&line, &room, file)) > 0 && at < first + count; at++)
		if (at >= first)
			hear(fold, (struct text){line, (size_t)len});
	free(line);
	fclose(file);
	return at;
}

static const struct invocation *of(struct fold *fold, const char *invoke, const char *session)
{
	return fold_find(fold, text_of(invoke), text_of(session));
}

static void assert_states(const struct states *states, const char *joined)
{
	char all[512] = "";

	for (size_t i = 0; i < states->count; i++)
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", i ? " " : "",
		         states->at[i]);
	assert_string_equal(all, joined);
}

/* ---- the shared transcripts ---- */

static void the_tournament_ends_as_the_reference_shows_it(void **state)
{
	struct fold fold;
	const struct invocation *i;

	fold_init(&fold);
	assert_int_equal(hear_file(&fold, HAIKU, 0, ALL), 59);
	assert_string_equal(fold.session, ":session/889d14f8-d7ad-4db2-97a2-014342482237");
	assert_string_equal(fold.chart, ":escapement.runner/chart");
	assert_states(&fold.config, "run done");
	assert_states(&fold.siblings, "");
	assert_true(fold.finished);
	assert_string_equal(fold.final_config, "[\"run\" \"done\"]");
	assert_int_equal(fold.invocation_count, 4);
	assert_int_equal(fold.events, 56);
	assert_int_equal(fold.errors, 2);

	i = of(&fold, "planner", "session/889d14f8-d7ad-4db2-97a2-014342482237");
	assert_int_equal(i->status, INVOCATION_DONE);
	assert_int_equal(i->tokens, 29); /* as the response says, of 28 pieces */
	assert_true(fabs(invocation_tps(i) - 68.08) < 1e-9);
	assert_true(i->elapsed_ms == 426);
	assert_string_equal(i->model, "gemma3:1b");
	assert_int_equal(invocation_tail(i).len, 0);

	assert_int_equal(of(&fold, "poet2", "session/889d14f8-poet2")->status, INVOCATION_ERROR);
	/* An error without a session is one of its own. */
	assert_int_equal(of(&fold, "poet2", "")->status, INVOCATION_ERROR);
	fold_finish(&fold);
}

static void in_the_middle_two_poets_stream(void **state)
{
	struct fold fold;
	struct fold_totals totals;
	const struct invocation *one, *two;

	fold_init(&fold);
	hear_file(&fold, HAIKU, 0, 47); /* up to the thought of poet2 */
	assert_false(fold.finished);
	assert_states(&fold.config, "run route-planner");
	assert_states(&fold.siblings, "planning route-planner aborted");
	one = of(&fold, "poet1", "session/889d14f8-poet1");
	two = of(&fold, "poet2", "session/889d14f8-poet2");
	assert_int_equal(one->status, INVOCATION_STREAMING);
	assert_false(one->thinking);
	assert_int_equal(one->tokens, 2);
	assert_true(text_is(invocation_tail(one), "First falls"));
	assert_true(fabs(invocation_tps(one) - 2 / 0.030) < 1e-9);
	assert_true(two->thinking);
	assert_int_equal(two->tokens, 0); /* nobody said */
	totals = fold_totals(&fold);
	assert_int_equal(totals.live, 2);
	assert_int_equal(totals.invocations, 3);
	assert_true(fabs(totals.tps - 2 / 0.030) < 1e-9);
	fold_finish(&fold);
}

static void the_debugger_is_paused_at_a_turn(void **state)
{
	struct fold fold;

	fold_init(&fold);
	assert_int_equal(hear_file(&fold, DEBUGGER, 0, ALL), 6);
	assert_true(fold.debug.is_known && fold.debug.paused);
	assert_int_equal(fold.debug.step_budget, 0);
	assert_string_equal(fold.debug.mode, "paused-at-turn");
	assert_string_equal(of(&fold, "planner", "session/aaaa")->model, "gpt-4o");
	assert_int_equal(of(&fold, "planner", "session/aaaa")->tokens, 8);
	assert_int_equal(fold.input_tokens, 12);
	assert_int_equal(fold.output_tokens, 8);
	fold_finish(&fold);
}

/* ---- what frames do ---- */

static void a_joined_delta_counts_for_all_of_them(void **state)
{
	struct fold fold;

	fold_init(&fold);
	hear_event(&fold, 1, "llm/delta",
	           "{\"invokeid\":\"a\",\"text\":\"\\u00e4b\",\"coalesced\":7}");
	hear_event(&fold, 2, "llm/delta", "{\"invokeid\":\"a\",\"text\":\"c\"}");
	assert_int_equal(of(&fold, "a", "")->chunks, 8);
	assert_int_equal(of(&fold, "a", "a")->chars, 3);
	fold_finish(&fold);
}

static void a_moment_has_no_rate(void **state)
{
	struct fold fold;
	const struct invocation *i;

	fold_init(&fold);
	hear_event(&fold, 5, "llm/delta",
	           "{\"invokeid\":\"a\",\"text\":\"x\",\"usage\":{\"output-tokens\":9}}");
	i = of(&fold, "a", "");
	assert_int_equal(i->tokens, 9);
	assert_true(invocation_tps(i) == 0);
	assert_true(fold_totals(&fold).tps == 0);
	hear_event(&fold, 1005, "llm/delta",
	           "{\"invokeid\":\"a\",\"text\":\"y\",\"usage\":{\"output-tokens\":10}}");
	i = of(&fold, "a", "");
	assert_true(invocation_tps(i) == 10);
	fold_finish(&fold);
}

static void a_start_begins_anew(void **state)
{
	struct fold fold;
	const struct invocation *i;

	fold_init(&fold);
	hear_event(&fold, 1, "llm/delta",
	           "{\"invokeid\":\"a\",\"text\":\"x\",\"usage\":"
	           "{\"output-tokens\":9}}");
	hear_event(&fold, 2, "llm/response", "{\"invokeid\":\"a\",\"output-tps\":5}");
	hear_event(&fold, 50, "llm/start", "{\"invokeid\":\"a\"}");
	i = of(&fold, "a", "");
	assert_int_equal(i->status, INVOCATION_WAITING);
	assert_int_equal(i->tokens, 0);
	assert_true(invocation_tps(i) == 0);
	hear_event(&fold, 1000, "llm/delta", "{\"invokeid\":\"a\",\"text\":\"x\"}");
	hear_event(&fold, 2000, "llm/delta", "{\"invokeid\":\"a\",\"text\":\"y\"}");
	assert_true(invocation_tps(i) == 0); /* pieces are no tokens */
	hear_event(&fold, 2000, "llm/delta",
	           "{\"invokeid\":\"a\",\"text\":\"z\",\"usage\":{\"output-tokens\":2}}");
	assert_true(invocation_tps(i) == 2); /* the wait before the first is not counted */
	fold_finish(&fold);
}

static void an_exit_leaves_an_error_an_error(void **state)
{
	struct fold fold;

	fold_init(&fold);
	hear_event(&fold, 1, "llm/error", "{\"invokeid\":\"a\",\"session-id\":\"1\"}");
	hear_event(&fold, 2, "llm/worker-exit", "{\"invokeid\":\"a\",\"session-id\":\"1\"}");
	hear_event(&fold, 2, "llm/worker-exit", "{\"invokeid\":\"b\",\"session-id\":\"1\"}");
	assert_int_equal(of(&fold, "a", "1")->status, INVOCATION_ERROR);
	assert_null(of(&fold, "b", "1"));
	fold_finish(&fold);
}

static void what_surrounds_a_configuration_goes_with_it(void **state)
{
	struct fold fold;

	fold_init(&fold);
	hear(&fold, TEXT("{\"kind\":\"phase\",\"ts\":1,\"config\":[\"a\",\"b\"],"
	                 "\"breadcrumb\":[\"a\",\"b\"],\"siblings\":[\"b\",\"c\"]}"));
	hear_event(&fold, 2, "runner/event-processed", "{\"config-after\":[\"a\",\"b\"]}");
	assert_states(&fold.siblings, "b c");
	hear_event(&fold, 3, "runner/event-processed", "{\"config-after\":[\"a\",\"c\"]}");
	assert_states(&fold.config, "a c");
	assert_states(&fold.siblings, "");
	assert_states(&fold.breadcrumb, "");
	fold_finish(&fold);
}

static void a_finished_run_may_begin_again(void **state)
{
	struct fold fold;

	fold_init(&fold);
	hear(&fold,
	     TEXT("{\"kind\":\"control\",\"op\":\"run-finished\",\"final-config\":\"[:done]\"}"));
	assert_true(fold.finished);
	assert_string_equal(fold.final_config, "[:done]");
	hear_event(&fold, 2, "llm/start", "{\"invokeid\":\"a\"}");
	assert_false(fold.finished);
	hear_event(&fold, 3, "runner/aborted", "{\"reason\":\"no\"}");
	assert_true(fold.finished);
	fold_finish(&fold);
}

/* ---- ceilings ---- */

static void the_quietest_is_forgotten_first(void **state)
{
	struct fold fold;
	char data[64];

	fold_init(&fold);
	for (int i = 0; i < FOLD_INVOCATIONS_MAX; i++) {
		snprintf(data, sizeof(data), "{\"invokeid\":\"%d\"}", i);
		hear_event(&fold, 10 + i, "llm/start", data);
	}
	hear_event(&fold, 1000, "llm/delta", "{\"invokeid\":\"0\",\"text\":\"here\"}");
	hear_event(&fold, 1001, "llm/start", "{\"invokeid\":\"new\"}");
	assert_int_equal(fold.invocation_count, FOLD_INVOCATIONS_MAX);
	assert_non_null(of(&fold, "0", ""));
	assert_null(of(&fold, "1", ""));
	assert_non_null(of(&fold, "new", ""));
	fold_finish(&fold);
}

static void the_tail_is_bounded_and_whole_characters(void **state)
{
	struct fold fold;
	struct text tail;

	fold_init(&fold);
	for (int i = 0; i < 5000; i++)
		hear_event(&fold, i, "llm/delta", "{\"invokeid\":\"a\",\"text\":\"\\u20ac\"}");
	tail = invocation_tail(of(&fold, "a", ""));
	assert_true(tail.len <= FOLD_TAIL_MAX && tail.len > FOLD_TAIL_MAX - 3);
	assert_int_equal(tail.len % 3, 0);
	assert_memory_equal(tail.at, "\xe2\x82\xac", 3);
	fold_finish(&fold);
}

static void a_name_that_is_too_long_is_not_followed(void **state)
{
	struct fold fold;
	char data[FOLD_NAME_MAX + 64];

	fold_init(&fold);
	snprintf(data, sizeof(data), "{\"invokeid\":\"%0*d\"}", FOLD_NAME_MAX + 1, 0);
	hear_event(&fold, 1, "llm/delta", data);
	assert_int_equal(fold.invocation_count, 0);
	snprintf(data, sizeof(data), "{\"invokeid\":\"%0*d\"}", FOLD_NAME_MAX, 0);
	hear_event(&fold, 1, "llm/delta", data);
	assert_int_equal(fold.invocation_count, 1);
	fold_finish(&fold);
}

/* ---- kept ---- */

/* They would be two names here and one there. */
static void a_name_with_a_nul_is_not_followed(void **state)
{
	struct fold fold;

	fold_init(&fold);
	for (int i = 0; i <= FOLD_INVOCATIONS_MAX; i++) {
		char data[64];

		snprintf(data, sizeof(data), "{\"invokeid\":\"a\\u0000%d\"}", i);
		hear_event(&fold, 1, "llm/delta", data);
		snprintf(data, sizeof(data), "{\"invokeid\":\"b\",\"session-id\":\"c\\u0000%d\"}",
		         i);
		hear_event(&fold, 1, "llm/delta", data);
	}
	assert_int_equal(fold.invocation_count, 0);
	fold_finish(&fold);
}

static void assert_same(const struct fold *a, const struct fold *b)
{
	struct buf one, two;

	buf_init(&one, MIB);
	buf_init(&two, MIB);
	fold_save(a, &one);
	fold_save(b, &two);
	assert_int_equal(one.len, two.len);
	assert_memory_equal(one.at, two.at, one.len);
	buf_finish(&one);
	buf_finish(&two);
}

static void load_copy(struct fold *copy, const struct fold *fold)
{
	struct buf saved;
	yyjson_doc *doc;

	buf_init(&saved, MIB);
	fold_save(fold, &saved);
	doc = yyjson_read(saved.at, saved.len, 0);
	assert_non_null(doc);
	fold_init(copy);
	assert_true(fold_load(copy, yyjson_doc_get_root(doc)));
	yyjson_doc_free(doc);
	buf_finish(&saved);
}

static void a_fold_goes_on_where_it_was_saved(void **state)
{
	static const char *const paths[] = {HAIKU, DEBUGGER};
	struct fold whole, cut, copy;

	for (size_t p = 0; p < 2; p++) {
		fold_init(&whole);
		size_t lines = hear_file(&whole, paths[p], 0, ALL);

		for (size_t at = 0; at <= lines; at++) {
			fold_init(&cut);
			hear_file(&cut, paths[p], 0, at);
			load_copy(&copy, &cut);
			hear_file(&copy, paths[p], at, ALL);
			assert_same(&whole, &copy);
			fold_finish(&cut);
			fold_finish(&copy);
		}
		fold_finish(&whole);
	}
}

static void its_members_are_an_object(void **state)
{
	struct fold fold;
	struct buf out;
	yyjson_doc *doc;
	yyjson_val *root;

	fold_init(&fold);
	hear_file(&fold, HAIKU, 0, 47);
	buf_init(&out, MIB);
	buf_add_char(&out, '{');
	fold_json(&fold, &out);
	buf_add_char(&out, '}');
	doc = yyjson_read(out.at, out.len, 0);
	root = yyjson_doc_get_root(doc);
	assert_true(yyjson_is_null(yyjson_obj_get(root, "debug")));
	root = yyjson_arr_get(yyjson_obj_get(root, "invocations"), 1);
	assert_string_equal(yyjson_get_str(yyjson_obj_get(root, "invokeid")), "poet1");
	assert_string_equal(yyjson_get_str(yyjson_obj_get(root, "status")), "streaming");
	assert_string_equal(yyjson_get_str(yyjson_obj_get(root, "text")), "First falls");
	assert_int_equal(yyjson_get_uint(yyjson_obj_get(root, "tokens")), 2);
	yyjson_doc_free(doc);
	buf_finish(&out);
	fold_finish(&fold);
}

static void nonsense_is_not_loaded(void **state)
{
	static const char *const cases[] = {
		"{}", "{\"invocations\":[{}]}",
		"{\"invocations\":[{\"invokeid\":\"a\",\"status\":\"odd\"}]}"};
	struct fold fold;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		yyjson_doc *doc = yyjson_read(cases[i], strlen(cases[i]), 0);

		fold_init(&fold);
		assert_false(fold_load(&fold, yyjson_doc_get_root(doc)));
		fold_finish(&fold);
		yyjson_doc_free(doc);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_tournament_ends_as_the_reference_shows_it),
		cmocka_unit_test(in_the_middle_two_poets_stream),
		cmocka_unit_test(the_debugger_is_paused_at_a_turn),
		cmocka_unit_test(a_joined_delta_counts_for_all_of_them),
		cmocka_unit_test(a_moment_has_no_rate),
		cmocka_unit_test(a_start_begins_anew),
		cmocka_unit_test(an_exit_leaves_an_error_an_error),
		cmocka_unit_test(what_surrounds_a_configuration_goes_with_it),
		cmocka_unit_test(a_finished_run_may_begin_again),
		cmocka_unit_test(the_quietest_is_forgotten_first),
		cmocka_unit_test(the_tail_is_bounded_and_whole_characters),
		cmocka_unit_test(a_name_that_is_too_long_is_not_followed),
		cmocka_unit_test(a_name_with_a_nul_is_not_followed),
		cmocka_unit_test(a_fold_goes_on_where_it_was_saved),
		cmocka_unit_test(its_members_are_an_object),
		cmocka_unit_test(nonsense_is_not_loaded),
	};
	int failed;

	json_reader_init(&reader, FRAME_MAX);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	json_reader_finish(&reader);
	return failed;
}

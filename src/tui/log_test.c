/* log_test.c - every event has the lines that the reference gives it. */
#include "tui/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/must.h"
#include "tui/model.h"
#include "tui/style.h"

static struct model *model;

static int make(void **state)
{
	model = must_alloc(sizeof(*model));
	model_init(model);
	return 0;
}

static int drop(void **state)
{
	model_finish(model);
	free(model);
	return 0;
}

static void hear(const char *event, const char *data)
{
	char raw[16384];
	struct error why;

	snprintf(raw, sizeof(raw), "{\"kind\":\"event\",\"ts\":1,\"event\":\"%s\",\"data\":%s}",
	         event, data);
	assert_true(model_hear(model, text_of(raw), &why));
}

/* The last line: "tag glyph words". */
static void assert_last(const char *as)
{
	const struct line *line = model_line(model, model->line_count - 1);
	char words[4096];

	assert_true(model->line_count > 0);
	snprintf(words, sizeof(words), "%s %s %s", line->tag, line->glyph, line->words);
	assert_string_equal(words, as);
}

struct logged {
	const char *event, *data, *line;
};

static void assert_lines(const struct logged *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		hear(cases[i].event, cases[i].data);
		assert_last(cases[i].line);
	}
	assert_int_equal(model->line_count, count);
}

static void every_event_has_its_line(void **state)
{
	static const struct logged cases[] = {
		{"runner/started", "{\"session-id\":\":s/1\",\"chart-id\":\":c\"}",
	         "debug · runner started session=:s/1 chart=:c"},
		{"runner/start-config", "{\"config\":[\"run\",\"x\"]}",
	         "chart · start config=[\"run\" \"x\"]"},
		{"runner/event-processed",
	         "{\"event-name\":\"go\",\"config-before\":[\"a\"],\"config-after\":[\"b\"]}",
	         "chart · go  [\"a\"] → [\"b\"]"},
		{"runner/done", "{\"final-config\":[\":done\"]}", "debug · done final=[:done]"},
		{"runner/aborted", "{\"reason\":\"no\"}", "error ⚠ aborted reason=no"},
		{"runner/error", "{\"message\":\"bad\"}", "error ⚠ ERROR bad"},
		{"runner/error", "{\"reason\":\"frozen\"}", "error ⚠ ERROR frozen"},
		{"llm/start", "{\"invokeid\":\"a/b.c\",\"session-id\":\"s\"}",
	         "c · invocation start session=s"},
		{"llm/worker-exit", "{\"invokeid\":\"a\",\"reason\":\"done\"}",
	         "a · invocation exit reason=done"},
		{"llm/user-message", "{\"invokeid\":\"a\",\"text\":\"hello\"}", "a ▸ hello"},
		{"llm/request", "{\"invokeid\":\"a\",\"model\":\"m\",\"n-messages\":3}",
	         "a · req model=m n-messages=3"},
		{"llm/response", "{\"invokeid\":\"a\",\"stop-reason\":\"max\",\"model\":\"m\"}",
	         "a · resp stop=max model=m"},
		{"llm/response",
	         "{\"invokeid\":\"a\",\"stop-reason\":\"end_turn\",\"model\":\"m\",\"usage\":"
	         "{\"input-tokens\":1,\"output-tokens\":2},\"output-tps\":3.14,\"elapsed-ms\":5}",
	         "a ✓ resp stop=end_turn model=m tokens=in:1/out:2 3.1t/s 5ms"},
		{"llm/tool-result",
	         "{\"invokeid\":\"a\",\"tool\":\"read\",\"is-error\":true,"
	         "\"content-preview\":\"x\"}",
	         "a ↩ read (ERROR)  x"},
		{"llm/context-warning", "{\"invokeid\":\"a\",\"used-frac\":0.87}",
	         "a ⚠ context 87%"},
		{"llm/error", "{\"invokeid\":\"a\",\"message\":\"broken\"}", "error ⚠ broken"},
		{"llm/model-down", "{\"invokeid\":\"a\",\"model\":\"m\",\"message\":\"gone\"}",
	         "a ⚠ model-down m — gone"},
		{"llm/model-policy-empty", "{\"invokeid\":\"a\",\"policy\":\":p\"}",
	         "a ⚠ no model for policy=:p"},
		{"debug/awaiting-quit", "{\"msg\":\"bye\"}", "debug · awaiting quit bye"},
		{"debug/awaiting-step", "{\"event-name\":\"e\",\"external?\":true}",
	         "debug · PAUSED on event=e (external)"},
		{"cli/config-loaded", "{\"keys\":[\"a\"],\"n\":null,\"b\":{\"c\":1.5}}",
	         "debug · cli/config-loaded {:keys [\"a\"], :n nil, :b {:c 1.5}}"},
		{"odd/thing", "{\"invokeid\":\"a\"}", "a · odd/thing {:invokeid \"a\"}"},
		{"odd/thing", "7", "debug · odd/thing"},
	};

	assert_lines(cases, sizeof(cases) / sizeof(*cases));
}

static void what_people_are_asked_and_decide_has_lines(void **state)
{
	static const struct logged cases[] = {
		{"human-input/start", "{\"kind\":\"text\",\"prompt\":\"Who?\"}",
	         "human ? prompt kind=text : Who?"},
		{"human-input/start", "{\"kind\":\"text\"}", "human ? prompt kind=text"},
		{"human-input/answer", "{\"kind\":\"multi\",\"answer\":[\"a\",\"b\"]}",
	         "human ! answer kind=multi = [\"a\" \"b\"]"},
		{"human-input/answer", "{\"kind\":\"confirm\",\"answer\":true}",
	         "human ! answer kind=confirm = true"},
		{"human-input/cancelled", "{}", "human ⚠ cancelled"},
		{"human-input/settled", "{\"by\":\"agent\",\"decision\":\"allow\"}",
	         "human ⚠ it was decided there: allow"},
		{"human-input/settled", "{\"by\":\"agent\",\"decision\":\"gone\"}",
	         "human ⚠ its agent is gone"},
		{"human-input/settled",
	         "{\"by\":{\"user\":\"owner\",\"process\":\"top\",\"screen\":\"run\"},"
	         "\"decision\":\"deny\"}",
	         "human ✓ settled: deny by owner (top, run)"},
		{"human-input/error", "{\"message\":\"x\"}", "human ⚠ ERROR x"},
	};

	assert_lines(cases, sizeof(cases) / sizeof(*cases));
}

static void a_response_has_a_line_for_each_block(void **state)
{
	hear("llm/response",
	     "{\"invokeid\":\"a\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"hm\"},"
	     "{\"type\":\"text\",\"text\":\"yes\"},{\"type\":\"tool_use\",\"name\":\"read\","
	     "\"input\":{\"path\":\"/x\"}},{\"type\":\"odd\"}],\"stop-reason\":\"tool_use\"}");
	assert_int_equal(model->line_count, 4);
	assert_string_equal(model_line(model, 0)->words, "hm");
	assert_string_equal(model_line(model, 0)->glyph, "…");
	assert_string_equal(model_line(model, 1)->glyph, "◂");
	assert_string_equal(model_line(model, 2)->words, "read {:path \"/x\"}");
	assert_string_equal(model_line(model, 2)->glyph, "⚙");
	assert_string_equal(model_line(model, 3)->words, "resp stop=tool_use model=");
}

static void what_only_passes_by_has_no_line(void **state)
{
	hear("llm/delta", "{\"invokeid\":\"a\",\"text\":\"x\"}");
	hear("runner/tick", "{}");
	hear("checkpoint/written", "{}");
	assert_int_equal(model->line_count, 0);
}

static void long_words_are_cut_between_characters(void **state)
{
	char data[8192] = "{\"invokeid\":\"a\",\"text\":\"x";
	const struct line *line;

	for (int i = 0; i < 1000; i++)
		snprintf(data + strlen(data), 4, "ä");
	snprintf(data + strlen(data), 4, "\"}");
	hear("llm/user-message", data);
	line = model_line(model, 0);
	assert_int_equal(strlen(line->words), 239 + strlen("…"));
	assert_string_equal(line->words + 239, "…");
	hear("odd/thing", data);
	line = model_line(model, 1);
	assert_true(strlen(line->words) <= 10 + 200 + strlen("…"));
	assert_non_null(strstr(line->words, "…"));
}

static void a_name_without_an_end_is_cut(void **state)
{
	char data[FOLD_NAME_MAX + 600];
	const struct line *line;

	snprintf(data, sizeof(data), "{\"invokeid\":\"%0*d\",\"session-id\":\"%0*d\"}",
	         FOLD_NAME_MAX + 9, 0, 9, 0);
	hear("llm/start", data);
	line = model_line(model, 0);
	assert_int_equal(strlen(line->tag), FOLD_NAME_MAX);
	assert_int_equal(strlen(line->invoke), FOLD_NAME_MAX);
	assert_int_equal(strlen(line->session), 9);
}

static void each_name_has_its_colour(void **state)
{
	hear("llm/start", "{\"invokeid\":\"a\"}");
	hear("llm/start", "{\"invokeid\":\"b\"}");
	hear("llm/start", "{\"invokeid\":\"a\"}");
	hear("llm/error", "{\"invokeid\":\"a\",\"message\":\"x\"}");
	assert_int_equal(model_line(model, 0)->style, STYLE_HUE);
	assert_int_equal(model_line(model, 1)->style, STYLE_HUE + 1);
	assert_int_equal(model_line(model, 2)->style, STYLE_HUE);
	assert_int_equal(model_line(model, 3)->style, STYLE_ERROR);
	assert_true(model_line(model, 3)->is_error);
}

/* ---- what is kept ---- */

static void the_oldest_lines_and_events_go_first(void **state)
{
	char data[64];

	for (int i = 0; i < MODEL_EVENTS_MAX + 10; i++) {
		snprintf(data, sizeof(data), "{\"n\":%d}", i);
		hear("odd", data);
	}
	assert_int_equal(model->line_count, MODEL_LINES_MAX);
	assert_int_equal(model->event_count, MODEL_EVENTS_MAX);
	assert_int_equal(model->lines_ever, MODEL_EVENTS_MAX + 10);
	snprintf(data, sizeof(data), "odd {:n %d}", MODEL_EVENTS_MAX + 9);
	assert_string_equal(model_line(model, MODEL_LINES_MAX - 1)->words, data);
	assert_non_null(
		memmem(model_event(model, 0).at, model_event(model, 0).len, "\"n\":10}", 7));
}

static void prompts_are_open_until_they_are_closed(void **state)
{
	struct error why;

	assert_true(model_hear(model, TEXT("{\"kind\":\"prompt\",\"prompt-id\":\"a\"}"), &why));
	assert_true(model_hear(model, TEXT("{\"kind\":\"prompt\",\"prompt-id\":\"b\"}"), &why));
	assert_true(model_hear(model, TEXT("{\"kind\":\"prompt\",\"prompt-id\":\"a\"}"), &why));
	assert_true(model_hear(model, TEXT("{\"kind\":\"prompt\"}"), &why));
	assert_int_equal(model->prompt_count, 2);
	assert_non_null(model_asked(model, TEXT("a")));
	assert_true(model_hear(model, TEXT("{\"kind\":\"answer\",\"prompt-id\":\"a\"}"), &why));
	assert_null(model_asked(model, TEXT("a")));
	assert_true(
		model_hear(model, TEXT("{\"kind\":\"prompt-closed\",\"prompt-id\":\"b\"}"), &why));
	assert_int_equal(model->prompt_count, 0);
	for (int i = 0; i < 2 * MODEL_PROMPTS_MAX; i++) {
		char raw[64];

		snprintf(raw, sizeof(raw), "{\"kind\":\"prompt\",\"prompt-id\":\"%d\"}", i);
		assert_true(model_hear(model, text_of(raw), &why));
	}
	assert_int_equal(model->prompt_count, MODEL_PROMPTS_MAX);
	assert_null(model_asked(model, TEXT("0")));
}

static void what_is_no_frame_changes_nothing(void **state)
{
	struct error why;

	assert_false(model_hear(model, TEXT("[]"), &why));
	assert_false(model_hear(model, TEXT("{\"event\":1}"), &why));
	assert_int_equal(model->line_count, 0);
	assert_int_equal(model->event_count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_event_has_its_line, make, drop),
		cmocka_unit_test_setup_teardown(what_people_are_asked_and_decide_has_lines, make,
	                                        drop),
		cmocka_unit_test_setup_teardown(a_response_has_a_line_for_each_block, make, drop),
		cmocka_unit_test_setup_teardown(what_only_passes_by_has_no_line, make, drop),
		cmocka_unit_test_setup_teardown(long_words_are_cut_between_characters, make, drop),
		cmocka_unit_test_setup_teardown(a_name_without_an_end_is_cut, make, drop),
		cmocka_unit_test_setup_teardown(each_name_has_its_colour, make, drop),
		cmocka_unit_test_setup_teardown(the_oldest_lines_and_events_go_first, make, drop),
		cmocka_unit_test_setup_teardown(prompts_are_open_until_they_are_closed, make, drop),
		cmocka_unit_test_setup_teardown(what_is_no_frame_changes_nothing, make, drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

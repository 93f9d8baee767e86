/* pauses_test.c - a session that is paused holds its tools, and lets so many pass. */
#include "source/pauses.h"

#include "base/must.h"
#include "source/fixture.h"
#include "source/hook.h"

static struct pauses *pauses;
static struct hook *hook;
static unsigned decisions;

static void passed(void *of, struct text json)
{
	assert_int_equal(json.len, 0);
	decisions++;
	*(struct paused **)of = NULL;
}

static int begin(void **state)
{
	fixture_set_up(state);
	hook = hook_create(
		&(struct hook_options){.sources = fixture.sources, .payload_max = 64 * KIB});
	pauses = pauses_create(&(struct pauses_options){.loop = fixture.loop, .hook = hook});
	decisions = 0;
	return 0;
}

static int end(void **state)
{
	pauses_destroy(pauses);
	hook_destroy(hook);
	return fixture_tear_down(state);
}

#define TOOL_USE \
	"{\"session_id\":\"s\",\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\"," \
	"\"tool_input\":{\"command\":\"ls\"},\"tool_use_id\":\"t\"}"

static struct paused *held[3];

static bool holds(unsigned n, const char *payload)
{
	held[n] = pauses_hold(pauses, text_of(payload), passed, &held[n]);
	return held[n] != NULL;
}

static void control(const char *op, uint64_t n)
{
	struct source_control c = {.run = TEXT("s"), .op = text_of(op), .n = n};
	struct error why;

	assert_int_equal(pauses_control(pauses, &c, &why), SOURCE_DONE);
}

static void a_pause_holds_tools_and_nothing_else(void **state)
{
	assert_false(holds(0, TOOL_USE));
	control("pause", 0);
	assert_true(
		fixture_hears("\"frame\":{\"kind\":\"debug\",\"paused\":true,\"step-budget\":0}"));
	assert_true(holds(0, TOOL_USE));
	assert_true(fixture_hears("\"to\":\"waiting\""));
	assert_false(holds(1, "{\"session_id\":\"other\",\"hook_event_name\":\"PreToolUse\"}"));
	assert_false(holds(1, "{\"session_id\":\"s\",\"hook_event_name\":\"Stop\"}"));
	control("continue", 0);
	assert_int_equal(decisions, 1);
	assert_false(holds(0, TOOL_USE));
}

static bool was_paused(void *self, struct text run)
{
	return text_is(run, "s");
}

static void a_pause_goes_on_after_a_restart(void **state)
{
	pauses_destroy(pauses);
	pauses = pauses_create(&(struct pauses_options){
		.loop = fixture.loop, .hook = hook, .was_paused = was_paused});
	assert_false(holds(0, "{\"session_id\":\"other\",\"hook_event_name\":\"PreToolUse\"}"));
	assert_true(holds(0, TOOL_USE));
	control("continue", 0);
	assert_int_equal(decisions, 1);
	assert_false(holds(0, TOOL_USE));
}

static void steps_let_so_many_pass(void **state)
{
	assert_false(holds(0, TOOL_USE));
	control("pause", 0);
	assert_true(holds(0, TOOL_USE));
	assert_true(holds(1, TOOL_USE));
	assert_true(holds(2, TOOL_USE));
	control("step", 0);
	assert_int_equal(decisions, 1);
	assert_null(held[0]);
	control("step", 3);
	assert_int_equal(decisions, 3);
	assert_true(fixture_hears("\"paused\":false,\"step-budget\":1}"));
	assert_false(holds(0, TOOL_USE));
	assert_true(fixture_hears("\"paused\":true,\"step-budget\":0}"));
	assert_true(holds(0, TOOL_USE));
	control("pause", 0);
	pauses_stop(pauses);
	assert_int_equal(decisions, 4);
	assert_false(holds(0, TOOL_USE));
}

static void what_it_cannot_do_is_said(void **state)
{
	struct source_control c = {.run = TEXT("s"), .op = TEXT("ui-quit")};
	struct error why;

	assert_int_equal(pauses_control(pauses, &c, &why), SOURCE_UNKNOWN);
	pauses_note(pauses, TEXT("{\"session_id\":\"s\",\"hook_event_name\":\"SessionStart\"}"));
	assert_int_equal(pauses_control(pauses, &c, &why), SOURCE_NOT_SUPPORTED);
	c.op = TEXT("pause");
	assert_int_equal(pauses_control(pauses, &c, &why), SOURCE_NOT_SUPPORTED);
	assert_false(pauses_can(pauses, c.run, c.op));
	pauses_set_installed(pauses, true);
	assert_int_equal(pauses_control(pauses, &c, &why), SOURCE_DONE);
	assert_true(pauses_can(pauses, c.run, c.op));
	assert_false(pauses_can(pauses, c.run, TEXT("arm")));
	assert_false(pauses_can(pauses, TEXT("other"), c.op));
	pauses_note(pauses, TEXT("{\"session_id\":\"s\",\"hook_event_name\":\"SessionEnd\"}"));
	assert_int_equal(pauses_control(pauses, &c, &why), SOURCE_UNKNOWN);
	assert_false(holds(0, TOOL_USE));
}

static void a_session_too_many_takes_the_place_of_the_oldest(void **state)
{
	char run[16], payload[64];

	assert_false(holds(0, TOOL_USE));
	control("pause", 0);
	assert_true(holds(0, TOOL_USE));
	for (unsigned i = 0; i < 1000; i++) {
		struct source_control c = {.op = TEXT("pause")};
		struct error why;

		snprintf(payload, sizeof(payload), "{\"session_id\":\"s%u\"}", i);
		pauses_note(pauses, text_of(payload));
		snprintf(run, sizeof(run), "s%u", i);
		c.run = text_of(run);
		assert_int_equal(pauses_control(pauses, &c, &why), SOURCE_DONE);
	}
	assert_true(holds(1, TOOL_USE));
	assert_int_equal(decisions, 0);
}

static void who_does_not_wait_is_forgotten(void **state)
{
	assert_false(holds(0, TOOL_USE));
	control("pause", 0);
	assert_true(holds(0, TOOL_USE));
	assert_true(pauses_forget(pauses, held[0]));
	assert_true(fixture_hears("\"from\":\"waiting\""));
	assert_false(pauses_forget(pauses, held[0]));
	control("continue", 0);
	assert_int_equal(decisions, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_pause_holds_tools_and_nothing_else, begin, end),
		cmocka_unit_test_setup_teardown(a_pause_goes_on_after_a_restart, begin, end),
		cmocka_unit_test_setup_teardown(steps_let_so_many_pass, begin, end),
		cmocka_unit_test_setup_teardown(what_it_cannot_do_is_said, begin, end),
		cmocka_unit_test_setup_teardown(a_session_too_many_takes_the_place_of_the_oldest,
	                                        begin, end),
		cmocka_unit_test_setup_teardown(who_does_not_wait_is_forgotten, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

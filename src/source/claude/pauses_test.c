/* pauses_test.c - sessions are held by files, and how they are is told. */
#include "source/claude/pauses.h"

#include "base/brake.h"
#include "source/claude/hook.h"
#include "source/fixture.h"

static struct pauses *pauses;
static struct hook *hook;

static bool was_paused(void *self, struct text run)
{
	return text_is(run, "was");
}

static void make(void)
{
	pauses = pauses_create(&(struct pauses_options){
		.hook = hook, .data = fixture.dir, .was_paused = was_paused});
}

static int begin(void **state)
{
	fixture_set_up(state);
	hook = hook_create(
		&(struct hook_options){.sources = fixture.sources, .payload_max = 64 * KIB});
	make();
	return 0;
}

static int end(void **state)
{
	char path[128];

	pauses_destroy(pauses);
	hook_destroy(hook);
	brake_release(fixture.dir, TEXT("s"), NULL);
	snprintf(path, sizeof(path), "%s/held", fixture.dir);
	rmdir(path);
	return fixture_tear_down(state);
}

#define TOOL_USE \
	"{\"session_id\":\"s\",\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\"," \
	"\"tool_input\":{\"command\":\"ls\"},\"tool_use_id\":\"t\"}"
#define EVENT(name) "{\"session_id\":\"s\",\"hook_event_name\":\"" name "\"}"

static enum back_answer control(const char *op, uint64_t n)
{
	struct back_control c = {.run = TEXT("s"), .op = text_of(op), .n = n};
	struct error why;

	return pauses_control(pauses, &c, &why);
}

static enum brake_pass pass(void)
{
	return brake_pass(fixture.dir, TEXT("s"));
}

static void a_pause_is_a_file_before_it_is_done(void **state)
{
	pauses_note(pauses, TEXT(TOOL_USE), PAUSES_DECIDE);
	assert_int_equal(pass(), BRAKE_FREE);
	assert_int_equal(control("pause", 0), BACK_DONE);
	assert_int_equal(pass(), BRAKE_HELD);
	assert_true(
		fixture_hears("\"frame\":{\"kind\":\"debug\",\"paused\":true,\"step-budget\":0}"));
	assert_int_equal(control("step", 2), BACK_DONE);
	assert_true(fixture_hears("\"paused\":false,\"step-budget\":2}"));
	assert_int_equal(pass(), BRAKE_PASSED);
	pauses_note(pauses, TEXT(TOOL_USE), PAUSES_DECIDE); /* its hook tells that it took a step */
	assert_true(fixture_hears("\"paused\":false,\"step-budget\":1}"));
	assert_int_equal(control("pause", 0), BACK_DONE);
	assert_int_equal(pass(), BRAKE_HELD);
	assert_int_equal(control("continue", 0), BACK_DONE);
	assert_int_equal(pass(), BRAKE_FREE);
	assert_true(fixture_hears("\"paused\":false,\"step-budget\":0}"));
}

static void who_waits_is_told(void **state)
{
	struct paused *paused;

	pauses_note(pauses, TEXT(TOOL_USE), PAUSES_DECIDE);
	assert_int_equal(control("pause", 0), BACK_DONE);
	paused = pauses_wait(pauses, TEXT(TOOL_USE));
	assert_non_null(paused);
	assert_true(fixture_hears("\"to\":\"waiting\""));
	brake_release(fixture.dir, TEXT("s"), NULL); /* by whomever */
	pauses_went(paused);
	assert_true(fixture_hears("\"from\":\"waiting\",\"to\":\"acting\""));
	assert_true(fixture_hears("\"paused\":false,\"step-budget\":0}"));
	assert_null(pauses_wait(pauses, TEXT("nonsense")));
	assert_non_null(pauses_wait(pauses, TEXT(TOOL_USE))); /* and is freed with all */
	pauses_went(NULL);
}

static void a_pause_goes_on_after_a_restart(void **state)
{
	struct back_control c = {.run = TEXT("s"), .op = TEXT("continue")};
	struct error why;

	assert_true(brake_set(fixture.dir, TEXT("s"), 0, NULL));
	pauses_destroy(pauses);
	make();
	assert_true(fixture_hears("\"paused\":true"));
	assert_int_equal(pauses_control(pauses, &c, &why), BACK_DONE);
	assert_int_equal(pass(), BRAKE_FREE);
	/* One that was continued without us. */
	pauses_note(pauses, TEXT("{\"session_id\":\"was\",\"hook_event_name\":\"Stop\"}"),
	            PAUSES_UNSAID);
	assert_true(fixture_hears("\"correlationId\":\"was\",\"payload\":{\"paused\":false"));
}

static void what_it_cannot_do_is_said(void **state)
{
	assert_int_equal(control("ui-quit", 0), BACK_UNKNOWN);
	pauses_note(pauses, TEXT(EVENT("SessionStart")), PAUSES_DO_NOT);
	assert_int_equal(control("ui-quit", 0), BACK_NOT_SUPPORTED);
	assert_int_equal(control("pause", 0), BACK_NOT_SUPPORTED);
	assert_false(pauses_can(pauses, TEXT("s"), TEXT("pause")));
	pauses_set_installed(pauses, true);
	assert_int_equal(control("pause", 0), BACK_DONE);
	assert_true(pauses_can(pauses, TEXT("s"), TEXT("pause")));
	assert_false(pauses_can(pauses, TEXT("s"), TEXT("arm")));
	assert_false(pauses_can(pauses, TEXT("other"), TEXT("pause")));
	pauses_note(pauses, TEXT(EVENT("SessionEnd")), PAUSES_UNSAID);
	assert_int_equal(pass(), BRAKE_FREE);
	assert_int_equal(control("pause", 0), BACK_UNKNOWN);
}

static void who_does_not_decide_is_not_paused(void **state)
{
	pauses_set_installed(pauses, true);
	pauses_note(pauses, TEXT(TOOL_USE), PAUSES_DO_NOT);
	assert_false(pauses_can(pauses, TEXT("s"), TEXT("pause")));
	assert_int_equal(control("pause", 0), BACK_NOT_SUPPORTED);
	assert_int_equal(pass(), BRAKE_FREE);
	pauses_note(pauses, TEXT(TOOL_USE), PAUSES_DECIDE);
	assert_true(pauses_can(pauses, TEXT("s"), TEXT("pause")));
}

static void there_may_be_many_sessions(void **state)
{
	char payload[64];

	for (unsigned i = 0; i < 5000; i++) {
		snprintf(payload, sizeof(payload), "{\"session_id\":\"s%u\"}", i);
		pauses_note(pauses, text_of(payload), PAUSES_UNSAID);
	}
	pauses_set_installed(pauses, true);
	assert_true(pauses_can(pauses, TEXT("s4999"), TEXT("pause")));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(a_pause_is_a_file_before_it_is_done), TEST(who_waits_is_told),
		TEST(a_pause_goes_on_after_a_restart),     TEST(what_it_cannot_do_is_said),
		TEST(who_does_not_decide_is_not_paused),   TEST(there_may_be_many_sessions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

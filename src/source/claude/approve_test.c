/* approve_test.c - hooks that are held, and what they are let go with. */
#include "source/claude/approve.h"

#include "base/must.h"
#include "source/claude/hook.h"
#include "source/fixture.h"

static struct approve *approve;
static struct hook *hook;
static char *decision; /* NULL: none yet */
static unsigned decisions;
static char *withdrawn;

static void decided(void *of, struct text json)
{
	free(decision);
	decision = text_dup(json);
	decisions++;
	*(struct approve_held **)of = NULL;
}

static void withdrew(void *self, struct text source, struct text id, const char *why)
{
	assert_true(approve_is_ours(source));
	free(withdrawn);
	withdrawn = text_dup(id);
}

static int begin(void **state)
{
	fixture_set_up(state);
	hook = hook_create(
		&(struct hook_options){.sources = fixture.sources, .payload_max = 64 * KIB});
	approve = approve_create(&(struct approve_options){
		.loop = fixture.loop, .hook = hook, .withdrew = withdrew});
	decisions = 0;
	return 0;
}

static int end(void **state)
{
	approve_destroy(approve);
	hook_destroy(hook);
	free(decision);
	free(withdrawn);
	decision = withdrawn = NULL;
	return fixture_tear_down(state);
}

#define PERMISSION \
	"{\"session_id\":\"s\",\"hook_event_name\":\"PermissionRequest\",\"tool_name\":\"Bash\"," \
	"\"tool_input\":{\"command\":\"rm x\"}," \
	"\"permission_suggestions\":[{\"type\":\"addRules\"}]}"

static struct approve_held *held[3];

static bool holds(unsigned n, const char *payload)
{
	held[n] = approve_hold(approve, text_of(payload), decided, &held[n]);
	return held[n] != NULL;
}

/* The own id of the prompt that was asked last. */
static char *asked(void)
{
	assert_true(fixture_hears("\"payload\":{\"id\":\""));
	return text_dup((struct text){fixture.heard.at, 36});
}

static bool reply(const char *id, const char *value)
{
	return approve_reply(approve, &(struct back_outcome){.run = TEXT("s"),
	                                                     .id = text_of(id),
	                                                     .value = text_of(value)});
}

#define DECIDED(words) \
	"{\"hookSpecificOutput\":{\"hookEventName\":\"PermissionRequest\",\"decision\":{" words \
	"}}}"

static void a_permission_is_asked_for_and_given(void **state)
{
	static const char *const answers[][2] = {
		{"\"allow\"", DECIDED("\"behavior\":\"allow\"")},
		{"{\"value\":\"allow\",\"edit\":{\"command\":\"rm y\"}}",
	         DECIDED("\"behavior\":\"allow\",\"updatedInput\":{\"command\":\"rm y\"}")},
		{"\"always\"", DECIDED("\"behavior\":\"allow\",\"updatedPermissions\":"
	                               "[{\"type\":\"addRules\"}]")},
		{"\"deny\"",
	         DECIDED("\"behavior\":\"deny\",\"message\":\"A person said no to this.\"")},
		{"\"stop\"",
	         DECIDED("\"behavior\":\"deny\",\"message\":\"A person said no to this.\","
	                 "\"interrupt\":true")},
		{"", ""},
		{"\"nonsense\"", ""},
		{"nonsense", ""},
	};

	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		char *id;

		assert_true(holds(0, PERMISSION));
		id = asked();
		assert_true(fixture_hears("\"prompt\":\"Bash: rm x\""));
		assert_true(fixture_hears("\"edit\":{\"command\":\"rm x\"}"));
		assert_true(fixture_hears("\"value\":\"always\""));
		assert_false(reply("another", "\"allow\""));
		assert_int_equal(decisions, i);
		assert_true(reply(id, answers[i][0]));
		assert_string_equal(decision, answers[i][1]);
		assert_false(reply(id, answers[i][0]));
		free(id);
	}
	assert_null(withdrawn);
}

static void a_long_command_says_that_it_is_longer(void **state)
{
	char *spaces = must_zero(1, 20001);
	char *payload;

	memset(spaces, ' ', 20000);
	payload = must_print("{\"session_id\":\"s\",\"hook_event_name\":\"PermissionRequest\","
	                     "\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls%s;rm x\"}}",
	                     spaces);
	assert_true(holds(0, payload));
	assert_true(fixture_hears("\"Bash: ls  "));
	assert_true(fixture_hears("\\n... AND 3693 BYTES MORE THAT ARE NOT SHOWN\","));
	assert_true(fixture_hears("\"input\":{"));
	assert_true(fixture_hears(";rm x\"},\"inputBytes\":20021"));
	assert_true(fixture_hears(";rm x\"}")); /* in what may be changed */
	free(payload);
	free(spaces);
}

#define ASKED_WITH(more) \
	"{\"session_id\":\"s\",\"hook_event_name\":\"PermissionRequest\",\"tool_name\":\"Edit\"," \
	"\"tool_input\":{\"file_path\":\"/x\",\"new_string\":\"a\\u0000b\"}" more "}"

static void every_member_is_asked_about(void **state)
{
	struct text input;
	char *id;

	assert_true(holds(0, ASKED_WITH("")));
	id = asked();
	assert_true(fixture_hears("\"prompt\":\"Edit\\nfile_path: /x\\nnew_string: a\\\\u0000b\""));
	assert_true(
		fixture_hears("\"tool\":\"Edit\",\"input\":{\"file_path\":\"/x\",\"new_string\":"
	                      "\"a\\u0000b\"},\"inputBytes\":42,"));
	assert_true(fixture_hears("\"value\":\"deny\",\"safe\":true}"));
	input = approve_input(approve, text_of(id));
	assert_int_equal(input.len, 42);
	assert_int_equal(approve_input(approve, TEXT("another")).len, 0);
	assert_true(reply(id, "\"deny\""));
	assert_int_equal(approve_input(approve, text_of(id)).len, 0);
	free(id);
}

static void a_session_with_a_nul_is_none(void **state)
{
	assert_false(holds(0, "{\"session_id\":\"s\\u0000\",\"hook_event_name\":"
	                      "\"PermissionRequest\",\"tool_name\":\"Bash\"}"));
}

static void always_says_which_rule_it_writes(void **state)
{
	static const char *const rules[][2] = {
		{"[{\"type\":\"addRules\",\"rules\":[{\"toolName\":\"Bash\","
	         "\"ruleContent\":\"make:*\"},{\"toolName\":\"Read\"}],\"behavior\":\"allow\","
	         "\"destination\":\"localSettings\"}]",
	         "allow Bash(make:*), Read in .claude/settings.local.json"},
		{"[{\"type\":\"setMode\",\"mode\":\"acceptEdits\",\"destination\":\"session\"},"
	         "{\"type\":\"addDirectories\",\"directories\":[\"/a\",\"/b\"],"
	         "\"destination\":\"userSettings\"}]",
	         "permission mode acceptEdits for this session; "
	         "add the directory /a, /b in ~/.claude/settings.json"},
		{"[{\"type\":\"addRules\",\"rules\":[{\"toolName\":\"B\\u0000\"}],"
	         "\"behavior\":\"deny\",\"destination\":\"projectSettings\"}]",
	         "deny B\\\\u0000 in .claude/settings.json"},
		{"[{\"type\":\"setMode\",\"mode\":\"plan\",\"destination\":\"session\",\"x\":1}]",
	         "{\\\"type\\\":\\\"setMode\\\",\\\"mode\\\":\\\"plan\\\","
	         "\\\"destination\\\":\\\"session\\\",\\\"x\\\":1}"},
		{"[{\"type\":\"new\",\"x\":1}]", "{\\\"type\\\":\\\"new\\\",\\\"x\\\":1}"},
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		char *payload =
			must_print(ASKED_WITH(",\"permission_suggestions\":%s"), rules[i][0]);
		char *wanted = must_print("{\"label\":\"Allow always\",\"value\":\"always\","
		                          "\"rule\":\"%s\",\"needs\":\"control\"}",
		                          rules[i][1]);

		assert_true(holds(0, payload));
		assert_true(fixture_hears(wanted));
		free(payload);
		free(wanted);
	}
}

/* Neither without a suggestion, nor with one that is too long to be read. */
static void always_is_offered_where_it_can_be_shown(void **state)
{
	char *spaces = must_zero(1, 5001), *payload;

	assert_true(holds(0, ASKED_WITH("")));
	assert_true(fixture_hears("\"value\":\"allow\",\"edit\":{\"file_path\":\"/x\","
	                          "\"new_string\":\"a\\u0000b\"}},{\"label\":\"Deny\""));
	memset(spaces, 'x', 5000);
	payload = must_print(ASKED_WITH(",\"permission_suggestions\":[{\"type\":\"%s\"}]"), spaces);
	assert_true(holds(0, payload));
	assert_true(fixture_hears("\"new_string\":\"a\\u0000b\"}},{\"label\":\"Deny\""));
	free(payload);
	free(spaces);
}

#define ABOUT(event, more) \
	TEXT("{\"session_id\":\"s\",\"hook_event_name\":\"" event \
	     "\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"rm x\"}," more "}")

/* A rule of the person's own forbade the first, and nobody was asked about it. */
static void a_question_is_about_the_use_of_its_own_turn(void **state)
{
	approve_note(approve, ABOUT("PreToolUse", "\"tool_use_id\":\"1\",\"prompt_id\":\"p\""));
	approve_note(approve, ABOUT("PreToolUse", "\"tool_use_id\":\"2\",\"prompt_id\":\"q\""));
	held[0] = approve_hold(approve, ABOUT("PermissionRequest", "\"prompt_id\":\"q\""), decided,
	                       &held[0]);
	assert_non_null(held[0]);
	approve_note(approve, ABOUT("PostToolUse", "\"tool_use_id\":\"1\",\"prompt_id\":\"p\""));
	assert_null(withdrawn);
	approve_note(approve, ABOUT("PostToolUse", "\"tool_use_id\":\"2\",\"prompt_id\":\"q\""));
	assert_non_null(withdrawn);
	assert_string_equal(decision, "");
}

static void who_does_not_wait_withdraws_what_was_asked(void **state)
{
	char *id;

	assert_true(holds(0, PERMISSION));
	id = asked();
	approve_forget(held[0]);
	assert_string_equal(withdrawn, id);
	assert_false(reply(id, "\"allow\""));
	assert_int_equal(decisions, 0);
	approve_forget(NULL);
	free(id);
}

static void not_everything_is_held(void **state)
{
	assert_false(holds(0, "nonsense"));
	assert_false(holds(0, "{\"hook_event_name\":\"PermissionRequest\"}"));
	for (unsigned i = 0; i < 256; i++)
		assert_true(holds(0, PERMISSION));
	assert_false(holds(0, PERMISSION));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_permission_is_asked_for_and_given, begin, end),
		cmocka_unit_test_setup_teardown(a_long_command_says_that_it_is_longer, begin, end),
		cmocka_unit_test_setup_teardown(every_member_is_asked_about, begin, end),
		cmocka_unit_test_setup_teardown(a_session_with_a_nul_is_none, begin, end),
		cmocka_unit_test_setup_teardown(always_says_which_rule_it_writes, begin, end),
		cmocka_unit_test_setup_teardown(always_is_offered_where_it_can_be_shown, begin,
	                                        end),
		cmocka_unit_test_setup_teardown(a_question_is_about_the_use_of_its_own_turn, begin,
	                                        end),
		cmocka_unit_test_setup_teardown(who_does_not_wait_withdraws_what_was_asked, begin,
	                                        end),
		cmocka_unit_test_setup_teardown(not_everything_is_held, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

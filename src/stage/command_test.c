/* command_test.c - each kind of command as its screens read it. */
#include "stage/command.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct stage_command fly(enum command_kind kind)
{
	return (struct stage_command){
		.kind = kind,
		.at_ms = 1500.5,
		.performance = 7,
		.action = TEXT("fly"),
		.entity = TEXT("pi\"geon"),
		.params = TEXT("{\"to\":\"x\"}"),
		.duration = 1200,
		.easing = TEXT("arc"),
		.correlation = TEXT("c\n1"),
		.interrupted_by = TEXT("error"),
	};
}

static void assert_json(const struct stage_command *command, const char *wanted)
{
	struct buf out;

	buf_init(&out, KIB);
	command_json(command, &out);
	if (!text_is(buf_text(&out), wanted))
		fail_msg("got %.*s\nnot %s", TEXT_ARG(buf_text(&out)), wanted);
	buf_finish(&out);
}

#define HEAD(kind) "{\"kind\":\"" kind "\",\"at\":1500.5,\"performanceId\":\"perf-7\","
#define FLY "\"action\":\"fly\",\"entityRef\":\"pi\\\"geon\",\"params\":{\"to\":\"x\"}"

static void every_kind_has_just_its_own_members(void **state)
{
	struct stage_command start = fly(COMMAND_START), update = fly(COMMAND_UPDATE);
	struct stage_command complete = fly(COMMAND_COMPLETE), execute = fly(COMMAND_EXECUTE);
	struct stage_command interrupt = fly(COMMAND_INTERRUPT);

	assert_json(&start, HEAD("start") FLY ",\"duration\":1200,\"easing\":\"arc\"}");
	assert_json(&update, HEAD("update") FLY ",\"progress\":0,\"elapsed\":0}");
	assert_json(&complete, HEAD("complete") FLY "}");
	assert_json(&execute, HEAD("execute") FLY "}");
	assert_json(&interrupt,
	            HEAD("interrupt") "\"correlationId\":\"c\\n1\",\"interruptedBy\":\"error\"}");
}

static void a_start_under_way_says_how_far_it_is(void **state)
{
	struct stage_command start = fly(COMMAND_START);

	start.elapsed = 300;
	start.progress = 0.75;
	assert_json(&start, HEAD("start") FLY ",\"duration\":1200,\"easing\":\"arc\","
	                                      "\"progress\":0.75,\"elapsed\":300}");
}

static void every_kind_has_a_name(void **state)
{
	for (unsigned i = 0; i < COMMAND_KINDS; i++)
		assert_non_null(command_kind_name((enum command_kind)i));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_has_just_its_own_members),
		cmocka_unit_test(a_start_under_way_says_how_far_it_is),
		cmocka_unit_test(every_kind_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* figure_test.c - who is meant on the stage. */
#include "signal/figure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "signal/json.h"

static yyjson_doc *doc;
static struct cue cue;

static int start(void **state)
{
	static const char payload[] = "{\"agentId\":\"ada\",\"from\":\"bob\",\"to\":\"cy\","
				      "\"figure\":\"mine\",\"figures\":{\"x\":7}}";

	doc = yyjson_read(payload, sizeof(payload) - 1, 0);
	assert_non_null(doc);
	cue = (struct cue){.type = TEXT("tool_call"),
	                   .source = TEXT("claw"),
	                   .correlation = TEXT("run"),
	                   .session = TEXT("S"),
	                   .payload = yyjson_doc_get_root(doc)};
	return 0;
}

static int finish(void **state)
{
	yyjson_doc_free(doc);
	return 0;
}

static void leads_to(const char *path, const char *words)
{
	yyjson_val *found = cue_at(&cue, text_of(path));

	if (!words)
		assert_null(found);
	else if (!text_is(json_text(found), words))
		fail_msg("%s is %.*s and not %s", path, TEXT_ARG(json_text(found)), words);
}

static void a_session_is_one_figure(void **state)
{
	leads_to("figure", "@S");
	leads_to("figureTo", "@S");
	leads_to("figureFrom", "bob");
	leads_to("figurePart", NULL);
}

static void each_subagent_is_a_figure_of_its_session(void **state)
{
	cue.part = TEXT("p1");
	leads_to("figure", "ada#p1@S");
	leads_to("figureTo", "cy#p1@S");
	leads_to("figureFrom", "@S");
	leads_to("figurePart", "p1");
}

static void who_is_of_no_session_is_the_agent(void **state)
{
	cue.part = TEXT("p1");
	cue.session = TEXT("");
	leads_to("figure", "ada");
	leads_to("figureTo", "cy");
	leads_to("figureFrom", "bob");
	leads_to("figurePart", NULL);
}

static void a_name_that_is_too_long_is_the_agents(void **state)
{
	static char long_name[2000];

	memset(long_name, 's', sizeof(long_name));
	cue.session = (struct text){long_name, sizeof(long_name)};
	leads_to("figure", "ada");
	cue.session = (struct text){long_name, 1023};
	assert_int_equal(yyjson_get_len(cue_at(&cue, TEXT("figure"))), 1024);
	cue.part = TEXT("p1");
	leads_to("figure", "ada");
}

static void other_paths_are_of_the_payload(void **state)
{
	assert_int_equal(yyjson_get_int(cue_at(&cue, TEXT("figures.x"))), 7);
	leads_to("figure.x", NULL);
	leads_to("figureless", NULL);
}

static void nobody_is_meant_by_a_signal_that_names_nobody(void **state)
{
	yyjson_doc *empty = yyjson_read("{}", 2, 0);

	cue.payload = yyjson_doc_get_root(empty);
	leads_to("figure", "@S");
	cue.session = TEXT("");
	leads_to("figure", NULL);
	leads_to("figureFrom", NULL);
	yyjson_doc_free(empty);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_session_is_one_figure, start, finish),
		cmocka_unit_test_setup_teardown(each_subagent_is_a_figure_of_its_session, start,
	                                        finish),
		cmocka_unit_test_setup_teardown(who_is_of_no_session_is_the_agent, start, finish),
		cmocka_unit_test_setup_teardown(a_name_that_is_too_long_is_the_agents, start,
	                                        finish),
		cmocka_unit_test_setup_teardown(other_paths_are_of_the_payload, start, finish),
		cmocka_unit_test_setup_teardown(nobody_is_meant_by_a_signal_that_names_nobody,
	                                        start, finish),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

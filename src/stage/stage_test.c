/* stage_test.c - commands become the state of entities, at any time. */
#include "stage/stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const char document[] =
	"{\"version\":1,\"entities\":{\"e\":{\"displayWidth\":8,\"displayHeight\":8,"
	"\"fallbackColor\":\"#fff\"}},\"scene\":{\"dimensions\":{\"width\":100,\"height\":100},"
	"\"layers\":[{\"id\":\"l\"}],\"entities\":[{\"id\":\"1\",\"entityId\":\"e\",\"semanticId\":"
	"\"ada\",\"x\":0,\"y\":10,\"layerId\":\"l\",\"opacity\":0.5},{\"id\":\"2\",\"entityId\":"
	"\"e\",\"semanticId\":\"ada\",\"x\":50,\"y\":50,\"layerId\":\"l\",\"visible\":false}],"
	"\"positions\":[{\"id\":\"p\",\"name\":\"desk\",\"x\":100,\"y\":10},{\"id\":\"q\","
	"\"name\":\"home\",\"x\":0,\"y\":10}],\"routes\":[{\"id\":\"r\",\"name\":\"path\","
	"\"points\":[{\"x\":100,\"y\":0},{\"x\":50,\"y\":0,\"name\":\"mid\"},"
	"{\"x\":0,\"y\":0}]}]}}";

static struct show *show;
static struct stage *stage;
static struct buf json;

static double straight(struct text easing, double t)
{
	return t;
}

static double square(struct text easing, double t)
{
	return t * t;
}

static int start(void **state)
{
	const struct stage_curves curves = {straight, square};
	struct error why = {""};

	show = show_read((struct text){document, sizeof(document) - 1}, &why);
	if (!show)
		fail_msg("%s", why.words);
	stage = stage_create(show, &curves);
	buf_init(&json, MIB);
	return 0;
}

static int stop(void **state)
{
	stage_destroy(stage);
	show_destroy(show);
	buf_finish(&json);
	return 0;
}

static void command(enum command_kind kind, double at, const char *action, const char *params)
{
	const struct stage_command c = {
		.kind = kind,
		.at_ms = at,
		.performance = strcmp(action, "set") == 0 ? COMMAND_OF_BINDING : 1,
		.action = text_of(action),
		.entity = TEXT("ada"),
		.params = text_of(params),
		.duration = 100,
		.easing = TEXT("linear"),
	};

	stage_command(stage, &c);
}

static void assert_has(double at, const char *part)
{
	buf_clear(&json);
	stage_look(stage, at, &json);
	if (!memmem(json.at, json.len, part, strlen(part)))
		fail_msg("at %g no %s in %.*s", at, part, TEXT_ARG(buf_text(&json)));
}

static void assert_has_not(double at, const char *part)
{
	buf_clear(&json);
	stage_look(stage, at, &json);
	if (memmem(json.at, json.len, part, strlen(part)))
		fail_msg("at %g there is %s in %.*s", at, part, TEXT_ARG(buf_text(&json)));
}

static void all_entities_of_a_name_begin_as_the_document_says(void **state)
{
	assert_has(0, "\"version\":0,\"at\":0,\"entities\":[{\"id\":\"1\",\"semanticId\":\"ada\","
	              "\"x\":0,\"y\":10,\"scaleX\":1,\"scaleY\":1,\"rotation\":0,\"opacity\":0.5,"
	              "\"zIndex\":0,\"animationSpeed\":1,\"visible\":true,\"flipH\":false,"
	              "\"activeState\":\"idle\"},{\"id\":\"2\",");
}

static void a_move_is_where_its_time_says(void **state)
{
	command(COMMAND_START, 1000, "move",
	        "{\"to\":\"desk\",\"animationDuring\":\"walk\",\"animationOnArrival\":\"work\"}");
	assert_has(1000, "\"x\":0,\"y\":10,");
	assert_has(1025, "\"x\":25,\"y\":10,");
	assert_has(1025, "\"x\":62.5,\"y\":40,");
	assert_has(1025, "\"activeState\":\"walk\"");
	assert_has(9000, "\"x\":100,\"y\":10,");
	command(COMMAND_COMPLETE, 1100, "move", "{\"to\":\"desk\"}");
	assert_has(1100, "\"version\":2,\"at\":1100,\"entities\":[{\"id\":\"1\",\"semanticId\":"
	                 "\"ada\",\"x\":100,\"y\":10,");
	assert_has(1100, "\"activeState\":\"work\"");
}

static void an_interrupted_move_stays_where_it_came(void **state)
{
	command(COMMAND_START, 0, "move", "{\"to\":\"desk\"}");
	command(COMMAND_INTERRUPT, 50, "", "");
	assert_has(99, "\"x\":50,\"y\":10,");
}

static void what_is_one_too_many_is_at_its_end_at_once(void **state)
{
	command(COMMAND_START, 0, "set", "{\"property\":\"opacity\",\"value\":1}");
	for (int i = 1; i < 64; i++)
		command(COMMAND_START, 0, "pulse", "{}");
	command(COMMAND_START, 0, "move", "{\"to\":\"desk\"}");
	assert_has(0, "\"x\":100,\"y\":10,");
	command(COMMAND_START, 50, "set", "{\"property\":\"rotation\",\"value\":9}");
	assert_has(50, "\"rotation\":9,");
	assert_has(50, "\"opacity\":0.625,");
	command(COMMAND_START, 50, "set", "{\"property\":\"opacity\",\"value\":0}");
	assert_has(50, "\"opacity\":0.625,"); /* it goes on from where the other was */
	assert_has(100, "\"opacity\":0.46875,");
}

static void a_flight_is_an_arc(void **state)
{
	command(COMMAND_START, 0, "fly", "{\"to\":\"desk\"}");
	assert_has(50, "\"x\":50,\"y\":-20,");
	command(COMMAND_COMPLETE, 100, "fly", "{\"to\":\"desk\"}");
	assert_has(100, "\"x\":100,\"y\":10,");
}

static void a_route_is_followed_and_the_face_turned_back(void **state)
{
	command(COMMAND_START, 0, "followRoute", "{\"route\":\"path\",\"from\":\"mid\"}");
	assert_has(50, "\"x\":25,\"y\":0,");
	assert_has(50, "\"flipH\":true");
	command(COMMAND_COMPLETE, 100, "followRoute", "{}");
	assert_has(100, "\"x\":0,\"y\":0,");
	assert_has_not(100, "\"flipH\":true");
	command(COMMAND_START, 200, "followRoute", "{\"route\":\"nowhere\"}");
	assert_has(250, "\"x\":0,\"y\":0,");
}

static void what_is_on_top_leaves_no_trace(void **state)
{
	command(COMMAND_START, 0, "flash", "{\"color\":\"#C44040\"}");
	command(COMMAND_START, 0, "pulse", "{\"size\":2}");
	command(COMMAND_START, 0, "drawBeam", "{\"to\":\"desk\"}");
	assert_has(25, "\"flash\":{\"color\":\"#C44040\",\"intensity\":0.5}");
	assert_has(50, "\"pulse\":2,");
	assert_has(50, "\"beam\":{\"to\":\"desk\",\"color\":\"#E8A851\"}");
	command(COMMAND_COMPLETE, 100, "flash", "{}");
	command(COMMAND_COMPLETE, 100, "pulse", "{}");
	command(COMMAND_INTERRUPT, 100, "drawBeam", "");
	assert_has_not(100, "flash");
	assert_has_not(100, "pulse");
	assert_has_not(100, "beam");
}

static void entities_come_and_go(void **state)
{
	command(COMMAND_EXECUTE, 0, "destroy", "{}");
	assert_has_not(0, "\"visible\":true");
	command(COMMAND_EXECUTE, 0, "spawn", "{\"at\":\"desk\"}");
	assert_has_not(0, "\"visible\":false");
	assert_has(0, "\"x\":100,\"y\":10,");
	command(COMMAND_EXECUTE, 0, "setAnimation", "{\"state\":\"dance\"}");
	assert_has(0, "\"activeState\":\"dance\"");
}

static void a_binding_sets_what_it_likes(void **state)
{
	command(COMMAND_EXECUTE, 0, "set", "{\"property\":\"scale\",\"value\":3}");
	assert_has(0, "\"scaleX\":3,\"scaleY\":3,");
	command(COMMAND_EXECUTE, 0, "set", "{\"property\":\"scale.y\",\"original\":true}");
	assert_has(0, "\"scaleX\":3,\"scaleY\":1,");
	command(COMMAND_EXECUTE, 0, "set", "{\"property\":\"visible\",\"toggle\":true}");
	assert_has(0, "\"visible\":false");
	command(COMMAND_EXECUTE, 0, "set", "{\"property\":\"tint\",\"value\":\"#abc\"}");
	assert_has(0, "\"tint\":\"#abc\"");
	command(COMMAND_EXECUTE, 0, "set",
	        "{\"property\":\"position\",\"value\":{\"x\":7,\"y\":8}}");
	assert_has(0, "\"x\":7,\"y\":8,");
}

static void a_new_transition_begins_where_the_old_one_was(void **state)
{
	command(COMMAND_START, 0, "set", "{\"property\":\"rotation\",\"value\":100}");
	assert_has(50, "\"rotation\":25,");
	command(COMMAND_START, 50, "set", "{\"property\":\"rotation\",\"original\":true}");
	assert_has(50, "\"rotation\":25,");
	assert_has(100, "\"rotation\":18.75,");
	command(COMMAND_COMPLETE, 150, "set", "{\"property\":\"rotation\"}");
	assert_has(150, "\"rotation\":0,");
}

static void speech_is_typed_kept_and_faded(void **state)
{
	command(COMMAND_EXECUTE, 0, "set",
	        "{\"property\":\"speech\",\"value\":\"Hello \",\"append\":true}");
	assert_has(100, "\"speech\":{\"text\":\"Hel\",\"full\":\"Hello \",\"phase\":\"typing\","
	                "\"opacity\":1,\"typed\":0,\"since\":0,\"rate\":0.03,\"last\":0}");
	command(COMMAND_EXECUTE, 1000, "set",
	        "{\"property\":\"speech\",\"value\":\"world\",\"append\":true}");
	assert_has(1000, "\"text\":\"Hello \",");
	assert_has(2499, "\"text\":\"Hello world\",\"full\":\"Hello world\",\"phase\":\"typing\"");
	assert_has(2500, "\"phase\":\"visible\"");
	assert_has(7500, "\"phase\":\"fading\",\"opacity\":1,");
	assert_has(7700, "\"phase\":\"fading\",\"opacity\":0.5,\"typed\":6,\"since\":1000,"
	                 "\"rate\":0.03,\"last\":1000}");
	assert_has_not(7900, "speech");
	command(COMMAND_EXECUTE, 9000, "set",
	        "{\"property\":\"speech\",\"value\":\"again\",\"append\":true}");
	assert_has(9000, "\"full\":\"again\"");
	command(COMMAND_START, 9500, "typeText", "{\"text\":\"0123456789\"}");
	assert_has(9550, "\"text\":\"01234\",");
	assert_has(9550, "\"typed\":0,\"since\":9500,\"rate\":0.1,\"last\":9500}");
}

static void thoughts_give_way_to_the_answer(void **state)
{
	const char *thinks = "{\"property\":\"speech\",\"value\":\"hm\",\"append\":true,"
			     "\"thought\":true}";
	const char *says = "{\"property\":\"speech\",\"value\":\"yes\",\"append\":true}";

	command(COMMAND_EXECUTE, 0, "set", says);
	assert_has_not(0, "thought");
	command(COMMAND_EXECUTE, 100, "set", thinks);
	command(COMMAND_EXECUTE, 200, "set", thinks);
	assert_has(200, "\"full\":\"hmhm\"");
	assert_has(200, "\"last\":200,\"thought\":true}");
	command(COMMAND_EXECUTE, 300, "set", says);
	command(COMMAND_EXECUTE, 400, "set", says);
	assert_has(400, "\"full\":\"yesyes\"");
	assert_has_not(400, "thought");
}

static void speech_has_an_end(void **state)
{
	struct buf params;

	buf_init(&params, MIB);
	buf_add(&params, TEXT("{\"property\":\"speech\",\"value\":\""));
	for (int i = 0; i < 300; i++)
		buf_add(&params, TEXT("\u00e4"));
	buf_add(&params, (struct text){"\"}", 3});
	command(COMMAND_EXECUTE, 0, "set", params.at);
	assert_has(7000, "\u00e4\",\"full\"");
	assert_in_range(json.len, 200 * 2 * 2, 200 * 2 * 2 * 2 + 800); /* in two entities */
	assert_has_not(100000, "\u00e4");
	buf_finish(&params);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(all_entities_of_a_name_begin_as_the_document_says),
		TEST(a_move_is_where_its_time_says),
		TEST(an_interrupted_move_stays_where_it_came),
		TEST(what_is_one_too_many_is_at_its_end_at_once),
		TEST(a_flight_is_an_arc),
		TEST(a_route_is_followed_and_the_face_turned_back),
		TEST(what_is_on_top_leaves_no_trace),
		TEST(entities_come_and_go),
		TEST(a_binding_sets_what_it_likes),
		TEST(a_new_transition_begins_where_the_old_one_was),
		TEST(speech_is_typed_kept_and_faded),
		TEST(thoughts_give_way_to_the_answer),
		TEST(speech_has_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

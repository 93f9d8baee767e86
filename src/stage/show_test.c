/* show_test.c - what is wrong with a show is told with its place.
 *
 * The words of the schema are judged beside another validator's by
 * tests/node/72-show-schema.mjs; here are those that no schema has. */
#include "stage/show.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct buf small;
static struct error why;

static int load(void **state)
{
	FILE *file = fopen("tests/fixtures/show/small.json", "r");

	if (!file)
		return -1;
	buf_init(&small, SHOW_MAX);
	for (int c; (c = getc(file)) != EOF;)
		buf_add_char(&small, (char)c);
	fclose(file);
	return 0;
}

static int unload(void **state)
{
	buf_finish(&small);
	return 0;
}

/* What is said of the small show with `old`, which is in it, written anew. */
static const char *words_with(const char *old, const char *new)
{
	const char *at = memmem(small.at, small.len, old, strlen(old));
	struct show *show;
	struct buf text;

	if (!at)
		fail_msg("%s: not in the show", old);
	buf_init(&text, SHOW_MAX);
	buf_add(&text, (struct text){small.at, (size_t)(at - small.at)});
	buf_add(&text, text_of(new));
	at += strlen(old);
	buf_add(&text, (struct text){at, small.len - (size_t)(at - small.at)});
	error_set(&why, "ok");
	show = show_read(buf_text(&text), &why);
	assert_int_equal(show != NULL, strcmp(why.words, "ok") == 0);
	show_destroy(show);
	buf_finish(&text);
	return why.words;
}

struct slip {
	const char *old, *new, *words;
};

static void check_slips(const struct slip *slips)
{
	for (; slips->old; slips++)
		assert_string_equal(words_with(slips->old, slips->new), slips->words);
}

static void a_show_with_one_of_everything_is_read(void **state)
{
	struct show *show = show_read(buf_text(&small), &why);

	assert_non_null(show);
	assert_int_equal(show->positions.count, 2);
	assert_int_equal(show->routes.count, 1);
	assert_int_equal(show->actors.count, 2);
	assert_int_equal(yyjson_arr_size(show->choreographies), 3);
	assert_true(show_number(map_get(&show->positions, TEXT("desk")), "x", 0) == 300);
	show_destroy(show);
}

static void the_show_in_the_binary_is_good(void **state)
{
	struct show *show = show_read(show_default(), &why);

	if (!show)
		fail_msg("%s", why.words);
	assert_non_null(map_get(&show->actors, TEXT("claude")));
	show_destroy(show);
}

static void slips_of_the_pen_are_told_with_their_place(void **state)
{
	static const struct slip slips[] = {
		{"\"version\": 1", "\"version\": 2", "/version: at most 1 is possible"},
		{"\"opacity\": 1,", "\"opactiy\": 1,",
	         "/scene/entities/0/opactiy: no such member; opacity?"},
		{"\"to\": \"desk\", \"duration\": 200", "\"to\": \"desk\", \"duration\": \"2\"",
	         "/choreographies/0/steps/0/duration: a number is needed"},
		{"\"to\": \"desk\", \"duration\": 200", "\"to\": \"desk\", \"duration\": 4e6",
	         "/choreographies/0/steps/0/duration: at most 3600000 is possible"},
		{"\"type\": \"throttle\"", "\"type\": \"throtle\"",
	         "/wires/1/filters/0/type: there is none of this type; throttle?"},
		{"\"property\": \"opacity\"", "\"property\": \"opacty\"",
	         "/bindings/0/property: not one of the words that are allowed; opacity?"},
		{"\"every\": 1", "\"every\": 0", "/wires/1/filters/1/every: at least 1 is needed"},
		{"\"exists\": true", "\"exist\": true",
	         "/choreographies/0/when/signal.toolName/exist: no such member; exists?"},
		{"\"flat\": false,", "\"flat\": false, \"flat\": true,",
	         "/entities/person/flat: given twice"},
		{0},
	};

	check_slips(slips);
}

static void ids_are_unique(void **state)
{
	static const struct slip slips[] = {
		{"\"id\": \"front\"", "\"id\": \"background\"",
	         "/scene/layers/1/id: background: this is taken"},
		{"\"id\": \"e2\"", "\"id\": \"e1\"", "/scene/entities/1/id: e1: this is taken"},
		{"\"id\": \"p2\"", "\"id\": \"p1\"", "/scene/positions/1/id: p1: this is taken"},
		{"\"name\": \"desk\"", "\"name\": \"home\"",
	         "/scene/positions/1/name: home: this is taken"},
		{"\"id\": \"send\"", "\"id\": \"work\"",
	         "/choreographies/1/id: work: this is taken"},
		{"\"id\": \"w3\"", "\"id\": \"w1\"", "/wires/2/id: w1: this is taken"},
		{"\"id\": \"b2\"", "\"id\": \"b1\"", "/bindings/1/id: b1: this is taken"},
		{0},
	};

	check_slips(slips);
}

static void sixty_four_entities_may_act_as_one(void **state)
{
	for (int count = 64; count <= 65; count++) {
		struct show *show;
		struct buf json;

		buf_init(&json, 64 * KIB);
		buf_add(&json, TEXT("{\"version\":1,\"entities\":{\"e\":{\"displayWidth\":9,"
		                    "\"displayHeight\":9,\"fallbackColor\":\"#ffffff\"}},"
		                    "\"scene\":{\"dimensions\":{\"width\":9,\"height\":9},"
		                    "\"layers\":[{\"id\":\"l\"}],\"entities\":["));
		for (int i = 0; i < count; i++)
			buf_print(&json,
			          "%s{\"id\":\"%d\",\"entityId\":\"e\",\"semanticId\":\"star\","
			          "\"x\":0,\"y\":0,\"layerId\":\"l\"}",
			          i ? "," : "", i);
		buf_add(&json, TEXT("]},\"choreographies\":[]}"));
		why.words[0] = '\0';
		show = show_read(buf_text(&json), &why);
		assert_string_equal(why.words, count == 64 ? ""
		                                           : "/scene/entities/64/semanticId: star: "
		                                             "too many entities have this");
		assert_true((count == 64) == (show != NULL));
		show_destroy(show);
		buf_finish(&json);
	}
}

static void what_the_scene_refers_to_is_there(void **state)
{
	static const struct slip slips[] = {
		{"\"layerId\": \"front\"", "\"layerId\": \"x\"",
	         "/scene/entities/0/layerId: x: no layer has this id"},
		{"\"entityId\": \"letter\"", "\"entityId\": \"x\"",
	         "/scene/entities/1/entityId: x: not in /entities"},
		{"\"activeState\": \"idle\"", "\"activeState\": \"x\"",
	         "/scene/entities/0/activeState: x: no state of this entity"},
		{"\"home\": \"p1\"", "\"home\": \"x\"",
	         "/scene/entities/0/topology/home: x: no position has this id"},
		{"[\"p1\", \"p2\"]", "[\"p1\", \"x\"]",
	         "/scene/entities/0/topology/waypoints/1: no position has this id"},
		{"\"semanticId\": \"mail\"", "\"semanticId\": \"signal.mail\"",
	         "/scene/entities/1/semanticId: signal.mail: no name may begin with \"signal.\""},
		{"\"semanticId\": \"mail\"", "\"standIn\": true, \"semanticId\": \"mail\"",
	         "/scene/entities/1/semanticId: mail: a stand-in has none"},
		{"\"entityBinding\": \"ada\"", "\"entityBinding\": \"x\"",
	         "/scene/positions/0/entityBinding: x: no entity has this semanticId"},
		{"\"toPositionId\": \"p2\"", "\"toPositionId\": \"x\"",
	         "/scene/routes/0/toPositionId: x: no position has this id"},
		{"\"at\": \"desk\", \"pose\"", "\"at\": \"x\", \"pose\"",
	         "/scene/crew/0/at: x: no position has this name"},
		{"[null, \"command\"]", "[null, \"x\"]",
	         "/scene/zoneGrid/cells/1: no zone type has this id"},
		{"[null, \"command\"]", "[null]",
	         "/scene/zoneGrid/cells: there should be 2, as many as cols times rows"},
		{0},
	};

	check_slips(slips);
}

static void what_steps_refer_to_is_there(void **state)
{
	static const struct slip slips[] = {
		{"\"to\": \"desk\"", "\"to\": \"x\"",
	         "/choreographies/0/steps/0/to: x: no position and no entity has this name"},
		{"\"to\": \"home\"", "\"params\": {\"to\": \"x\"}",
	         "/choreographies/0/steps/2/steps/0/params/to: x: "
	         "no position and no entity has this name"},
		{"\"at\": \"home\"", "\"at\": \"x\"",
	         "/choreographies/1/steps/0/at: x: no position and no entity has this name"},
		{"\"route\": \"path\", \"from\"", "\"route\": \"x\", \"from\"",
	         "/choreographies/0/steps/3/children/0/params/route: x: no route has this name"},
		{"\"from\": \"bend\"", "\"from\": \"x\"",
	         "/choreographies/0/steps/3/children/0/params/from: x: no point of the "
	         "route has this name"},
		{"\"target\": \"ada\"", "\"target\": \"x\"",
	         "/choreographies/0/steps/1/steps/0/target: x: no entity has this semanticId"},
		{"\"defaultTargetEntityId\": \"ada\"", "\"defaultTargetEntityId\": \"x\"",
	         "/choreographies/0/defaultTargetEntityId: x: no entity has this semanticId"},
		{"\"defaultTargetEntityId\": \"ada\",", "",
	         "/choreographies/0/steps/0/entity: required: whom does the step concern?"},
		{"\"to\": \"desk\"", "\"to\": \"signal.x\"", "ok"},
		{"\"entity\": \"mail\"", "\"entity\": \"signal.x\"", "ok"},
		{0},
	};

	check_slips(slips);
}

static void wires_go_one_way(void **state)
{
	static const struct slip slips[] = {
		{"\"toZone\": \"theme\"", "\"toZone\": \"signal-type\"",
	         "/wires/2/toZone: no wire goes from choreographer to signal-type"},
		{"\"toId\": \"work\"", "\"toId\": \"x\"",
	         "/wires/1/toId: x: no choreography has this id"},
		{"\"fromId\": \"work\"", "\"fromId\": \"x\"",
	         "/wires/2/fromId: x: no choreography has this id"},
		{"\"wires\": [",
	         "\"wires\": [{\"id\": \"w0\", \"fromZone\": \"signal\", \"fromId\": \"demo\","
	         "\"toZone\": \"signal-type\", \"toId\": \"tool_call\"},",
	         "/wires/1: there is a wire like this already"},
		{0},
	};

	check_slips(slips);
}

static void what_bindings_refer_to_is_there(void **state)
{
	static const struct slip slips[] = {
		{"\"targetEntityId\": \"ada\"", "\"targetEntityId\": \"x\"",
	         "/bindings/0/targetEntityId: x: no entity has this semanticId"},
		{"\"sourceChoreographyId\": \"state\"", "\"sourceChoreographyId\": \"x\"",
	         "/bindings/1/sourceChoreographyId: x: no choreography has this id"},
		{"\"waypoint\": \"desk\"", "\"waypoint\": \"x\"",
	         "/bindings/2/action/waypoint: x: no position has this name"},
		{"\"waypoint\": \"bend\"", "\"waypoint\": \"x\"",
	         "/bindings/3/action/waypoint: x: no point of the route has this name"},
		{"\"route\": \"path\", \"waypoint\"", "\"route\": \"x\", \"waypoint\"",
	         "/bindings/3/action/route: x: no route has this name"},
		{0},
	};

	check_slips(slips);
}

static void steps_within_steps_have_an_end(void **state)
{
	struct buf steps;

	buf_init(&steps, MIB);
	buf_add(&steps, TEXT("\"steps\": ["));
	for (int i = 0; i < SHOW_STEPS_DEEP + 1; i++)
		buf_add(&steps, TEXT("{\"action\":\"parallel\",\"steps\":["));
	for (int i = 0; i < SHOW_STEPS_DEEP + 1; i++)
		buf_add(&steps, TEXT("]}"));
	buf_print(&steps, "]}, {\"id\":\"more\",\"on\":\"x\",\"steps\":[%c", '\0');
	assert_non_null(strstr(words_with("\"steps\": [\n", steps.at), "steps: nested too deep"));
	buf_finish(&steps);
}

static void what_is_no_json_is_no_show(void **state)
{
	assert_null(show_read(TEXT(""), &why));
	assert_null(show_read(TEXT("{"), &why));
	assert_null(show_read(TEXT("[]"), &why));
	assert_string_equal(why.words, ": an object is needed");
	assert_null(show_read(TEXT("{\"version\":1}"), &why));
	assert_string_equal(why.words, "/scene: required");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_show_with_one_of_everything_is_read),
		cmocka_unit_test(the_show_in_the_binary_is_good),
		cmocka_unit_test(slips_of_the_pen_are_told_with_their_place),
		cmocka_unit_test(ids_are_unique),
		cmocka_unit_test(sixty_four_entities_may_act_as_one),
		cmocka_unit_test(what_the_scene_refers_to_is_there),
		cmocka_unit_test(what_steps_refer_to_is_there),
		cmocka_unit_test(wires_go_one_way),
		cmocka_unit_test(what_bindings_refer_to_is_there),
		cmocka_unit_test(steps_within_steps_have_an_end),
		cmocka_unit_test(what_is_no_json_is_no_show),
	};

	return cmocka_run_group_tests(tests, load, unload);
}

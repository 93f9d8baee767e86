/* binding_test.c - fields of signals become properties, at once or in their time. */
#include "choreo/binding.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "choreo/value.h"

static const char head[] =
	"{\"version\":1,\"entities\":{\"e\":{\"displayWidth\":8,\"displayHeight\":8,"
	"\"fallbackColor\":\"#fff\"}},\"scene\":{\"dimensions\":{\"width\":100,\"height\":100},"
	"\"layers\":[{\"id\":\"l\"}],\"entities\":[{\"id\":\"1\",\"entityId\":\"e\",\"semanticId\":"
	"\"ada\",\"x\":0,\"y\":0,\"layerId\":\"l\"}],\"positions\":["
	"{\"id\":\"p\",\"name\":\"desk\","
	"\"x\":240,\"y\":0}],\"routes\":[{\"id\":\"r\",\"name\":\"path\","
	"\"points\":[{\"x\":0,\"y\":0},"
	"{\"x\":480,\"y\":0}]}]},\"choreographies\":[{\"id\":\"c\",\"on\":\"x\",\"steps\":[],"
	"\"when\":{\"go\":{\"not\":{\"equals\":false}}}}],\"bindings\":[{\"id\":\"b\","
	"\"targetEntityId\":\"signal.who\",\"sourceChoreographyId\":\"c\",\"property\":";

static struct show *show;
static struct stage *stage;
static struct bindings *bindings;
static struct buf told; /* a line for each command */

static double straight(struct text easing, double t)
{
	return t;
}

static void take(void *self, const struct stage_command *command)
{
	stage_command(stage, command);
	buf_print(&told, "%g %s %.*s %.*s", command->at_ms, command_kind_name(command->kind),
	          TEXT_ARG(command->action), TEXT_ARG(command->params));
	if (command->kind == COMMAND_START)
		buf_print(&told, " %g %.*s", command->duration, TEXT_ARG(command->easing));
	buf_add_char(&told, '\n');
	assert_int_equal(command->performance, COMMAND_OF_BINDING);
	assert_true(text_is(command->entity, "ada"));
}

/* property: the rest of the binding, from the value of its property on. */
static void begin(const char *property)
{
	const struct stage_curves curves = {straight, straight};
	struct bindings_options options = {.command = take};
	struct error why = {""};
	struct buf text;

	buf_init(&text, MIB);
	buf_init(&told, MIB);
	buf_print(&text, "%s%s}]}", head, property);
	show = show_read(buf_text(&text), &why);
	if (!show)
		fail_msg("%s", why.words);
	options.stage = stage = stage_create(show, &curves);
	bindings = bindings_create(show, &options, &why);
	assert_non_null(bindings);
	buf_finish(&text);
}

static void end(void)
{
	bindings_destroy(bindings);
	stage_destroy(stage);
	show_destroy(show);
	buf_finish(&told);
}

static void hear(const char *type, const char *payload, double now_ms)
{
	yyjson_doc *doc = yyjson_read(payload, strlen(payload), 0);
	const struct cue cue = {.type = text_of(type), .payload = yyjson_doc_get_root(doc)};

	bindings_hear(bindings, 0, &cue, cue.type, now_ms);
	yyjson_doc_free(doc);
}

static void assert_told(const char *lines)
{
	if (!text_is(buf_text(&told), lines))
		fail_msg("told\n%.*sinstead of\n%s", TEXT_ARG(buf_text(&told)), lines);
}

/* What comes of one signal to {"who":"ada", ...}. */
static void assert_bound(const char *property, const char *rest, const char *lines)
{
	char payload[512];

	begin(property);
	snprintf(payload, sizeof(payload), "{\"who\":\"ada\"%s}", rest);
	hear("x", payload, 5);
	assert_told(lines);
	end();
}

static void a_number_follows_its_field(void **state)
{
	assert_bound("\"opacity\",\"sourceField\":\"n\"", ",\"value\":1,\"n\":0.25",
	             "5 execute set {\"property\":\"opacity\",\"value\":0.25}\n");
	assert_bound("\"scale.x\"", ",\"a\":9,\"x\":2",
	             "5 execute set {\"property\":\"scale.x\",\"value\":2}\n");
	assert_bound("\"zIndex\"", ",\"a\":9,\"value\":3",
	             "5 execute set {\"property\":\"zIndex\",\"value\":3}\n");
	assert_bound("\"animation.speed\"", ",\"s\":\"\",\"a\":9",
	             "5 execute set {\"property\":\"animation.speed\",\"value\":9}\n");
	assert_bound("\"rotation\"", "", "");
}

static void a_number_is_mapped(void **state)
{
	static const struct {
		const char *fn;
		double raw, value;
	} cases[] = {
		{"lerp", 2.5, 125},     {"linear", 2.5, 125},
		{"lerp", 99, 200},      {"lerp", -1, 100},
		{"clamp", 150, 150},    {"clamp", 5, 100},
		{"step", 4.9, 100},     {"step", 5, 200},
		{"smoothstep", 5, 150}, {"smoothstep", 2.5, 115.625},
	};
	char text[128];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		yyjson_doc *doc;

		snprintf(text, sizeof(text),
		         "{\"fn\":\"%s\",\"inputRange\":[0,10],\"outputRange\":[100,200]}",
		         cases[i].fn);
		doc = yyjson_read(text, strlen(text), 0);
		assert_true(value_mapped(yyjson_doc_get_root(doc), cases[i].raw) == cases[i].value);
		yyjson_doc_free(doc);
	}
	assert_true(value_mapped(NULL, 7) == 7);
}

static void what_happens_at_once(void **state)
{
	assert_bound("\"visible\"", "",
	             "5 execute set {\"property\":\"visible\",\"toggle\":true}\n");
	assert_bound("\"visible\",\"sourceField\":\"v\"", ",\"v\":false",
	             "5 execute set {\"property\":\"visible\",\"value\":false}\n");
	assert_bound("\"animation.state\",\"action\":{\"animationDuring\":\"run\"}", "",
	             "5 execute set {\"property\":\"animation.state\",\"value\":\"run\"}\n");
	assert_bound("\"animation.state\",\"sourceField\":\"to\"", ",\"to\":\"idle\"",
	             "5 execute set {\"property\":\"animation.state\",\"value\":\"idle\"}\n");
	assert_bound("\"tint\"", ",\"color\":\"#abc\"",
	             "5 execute set {\"property\":\"tint\",\"value\":\"#abc\"}\n");
	assert_bound("\"tint\"", ",\"color\":\"gold\"", "");
	assert_bound("\"position\"", ",\"x\":1,\"y\":2",
	             "5 execute set {\"property\":\"position\",\"value\":{\"x\":1,\"y\":2}}\n");
	assert_bound("\"teleportTo\",\"action\":{\"waypoint\":\"desk\"}", "",
	             "5 execute set {\"property\":\"position\",\"value\":{\"x\":240,\"y\":0}}\n");
}

static void text_is_said_or_gone_on_with(void **state)
{
	begin("\"speech\"");
	hear("error", "{\"who\":\"ada\",\"message\":\"no\"}", 1);
	hear("text_delta", "{\"who\":\"ada\",\"content\":\"yes\"}", 2);
	hear("thinking", "{\"who\":\"ada\",\"text\":\"hm\"}", 3);
	hear("x", "{\"who\":\"ada\"}", 4);
	assert_told("1 execute set {\"property\":\"speech\",\"value\":\"no\"}\n"
	            "2 execute set {\"property\":\"speech\",\"value\":\"yes\",\"append\":true}\n"
	            "3 execute set {\"property\":\"speech\",\"value\":\"hm\",\"append\":true,"
	            "\"thought\":true}\n"
	            "4 execute set {\"property\":\"speech\",\"value\":\"ada\"}\n");
	end();
}

static void a_transition_goes_rests_and_returns(void **state)
{
	begin("\"scale\",\"transition\":{\"targetValue\":2,\"durationMs\":100,\"easing\":\"arc\","
	      "\"revert\":true,\"revertDelayMs\":50}");
	assert_true(isinf(bindings_next(bindings)));
	hear("x", "{\"who\":\"ada\",\"n\":7}", 0);
	assert_true(bindings_next(bindings) == 100);
	bindings_tick(bindings, 99);
	bindings_tick(bindings, 100);
	assert_true(bindings_next(bindings) == 150);
	bindings_tick(bindings, 150);
	bindings_tick(bindings, 250);
	assert_true(isinf(bindings_next(bindings)));
	assert_told("0 start set {\"property\":\"scale\",\"value\":2} 100 arc\n"
	            "100 complete set {\"property\":\"scale\"}\n"
	            "150 start set {\"property\":\"scale\",\"original\":true} 100 arc\n"
	            "250 complete set {\"property\":\"scale\"}\n");
	end();
}

static void a_new_transition_takes_the_place_of_the_old(void **state)
{
	begin("\"opacity\",\"transition\":{\"targetValue\":0,\"durationMs\":100}");
	hear("x", "{\"who\":\"ada\"}", 0);
	hear("x", "{\"who\":\"ada\"}", 60);
	bindings_tick(bindings, 1000);
	assert_told("0 start set {\"property\":\"opacity\",\"value\":0} 100 linear\n"
	            "60 start set {\"property\":\"opacity\",\"value\":0} 100 linear\n"
	            "1000 complete set {\"property\":\"opacity\"}\n");
	end();
}

static void walks_take_as_long_as_they_are(void **state)
{
	assert_bound("\"moveTo:waypoint\",\"action\":{\"waypoint\":\"desk\",\"duration\":\"auto\","
	             "\"animationDuring\":\"walk\"}",
	             "",
	             "5 start move {\"to\":\"desk\",\"animationDuring\":\"walk\"} 1000 linear\n");
	assert_bound("\"followRoute\",\"action\":{\"route\":\"path\"}", "",
	             "5 start followRoute {\"route\":\"path\"} 2000 linear\n");
	begin("\"moveTo:waypoint\",\"action\":{\"waypoint\":\"desk\",\"duration\":30}");
	hear("x", "{\"who\":\"ada\"}", 0);
	bindings_tick(bindings, 30);
	assert_told("0 start move {\"to\":\"desk\"} 30 linear\n30 complete move {}\n");
	end();
}

static void conditions_and_strangers_are_minded(void **state)
{
	assert_bound("\"opacity\"", ",\"n\":1,\"go\":false", "");
	begin("\"opacity\"");
	hear("x", "{\"who\":\"bela\",\"n\":1}", 0);
	hear("x", "{\"who\":7,\"n\":1}", 0);
	hear("x", "{\"n\":1}", 0);
	assert_told("");
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_number_follows_its_field),
		cmocka_unit_test(a_number_is_mapped),
		cmocka_unit_test(what_happens_at_once),
		cmocka_unit_test(text_is_said_or_gone_on_with),
		cmocka_unit_test(a_transition_goes_rests_and_returns),
		cmocka_unit_test(a_new_transition_takes_the_place_of_the_old),
		cmocka_unit_test(walks_take_as_long_as_they_are),
		cmocka_unit_test(conditions_and_strangers_are_minded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

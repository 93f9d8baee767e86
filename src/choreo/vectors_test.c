/* vectors_test.c - the scenarios of the reference, command for command. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "choreo/fixture.h"
#include "signal/json.h"

struct scene {
	const char *name;
	yyjson_val *commands;
	size_t said;
};

static bool same(yyjson_val *a, yyjson_val *b)
{
	yyjson_obj_iter at = yyjson_obj_iter_with(a);
	double x, y;
	yyjson_val *key;

	if (json_number(a, &x) && json_number(b, &y))
		return x == y;
	if (!yyjson_is_obj(a) || !yyjson_is_obj(b))
		return yyjson_equals(a, b);
	if (yyjson_obj_size(a) != yyjson_obj_size(b))
		return false;
	while ((key = yyjson_obj_iter_next(&at)))
		if (!same(yyjson_obj_iter_get_val(key), yyjson_obj_get(b, yyjson_get_str(key))))
			return false;
	return true;
}

/* The vector has the time and the kind beside the command; we have them in it. */
static bool is_the_same(yyjson_val *said, yyjson_val *wanted)
{
	yyjson_val *command = yyjson_obj_get(wanted, "command");
	yyjson_obj_iter at = yyjson_obj_iter_with(command);
	yyjson_val *key;

	if (!same(yyjson_obj_get(said, "at"), yyjson_obj_get(wanted, "t")) ||
	    !same(yyjson_obj_get(said, "kind"), yyjson_obj_get(wanted, "kind")) ||
	    yyjson_obj_size(said) != yyjson_obj_size(command) + 2)
		return false;
	while ((key = yyjson_obj_iter_next(&at)))
		if (!same(yyjson_obj_iter_get_val(key), yyjson_obj_get(said, yyjson_get_str(key))))
			return false;
	return true;
}

static void compare(void *self, const struct stage_command *command)
{
	struct scene *scene = self;
	yyjson_val *wanted = yyjson_arr_get(scene->commands, scene->said++);
	struct buf json;
	yyjson_doc *doc;

	buf_init(&json, MIB);
	command_json(command, &json);
	doc = yyjson_read(json.at, json.len, 0);
	assert_non_null(doc);
	if (!is_the_same(yyjson_doc_get_root(doc), wanted))
		fail_msg("%s, command %zu: %.*s, not %s", scene->name, scene->said,
		         TEXT_ARG(buf_text(&json)), yyjson_val_write(wanted, 0, NULL));
	yyjson_doc_free(doc);
	buf_finish(&json);
}

static void hear_at(struct troupe *t, yyjson_val *events, double now)
{
	yyjson_arr_iter at = yyjson_arr_iter_with(events);
	yyjson_val *event;

	while ((event = yyjson_arr_iter_next(&at))) {
		yyjson_val *signal = yyjson_obj_get(event, "signal");
		const struct cue cue = {
			.type = json_text_at(signal, "type"),
			.correlation = json_text_at(event, "correlationId"),
			.payload = yyjson_obj_get(signal, "payload"),
		};

		if (yyjson_get_num(yyjson_obj_get(event, "at")) == now)
			troupe_hear_cue(t, &cue, now);
	}
}

static void play(yyjson_val *vector)
{
	yyjson_val *events = yyjson_obj_get(vector, "events");
	yyjson_arr_iter ticks = yyjson_arr_iter_with(yyjson_obj_get(vector, "ticks"));
	char *document = yyjson_val_write(yyjson_obj_get(vector, "definitions"), 0, NULL);
	struct scene scene = {
		.name = yyjson_get_str(yyjson_obj_get(vector, "name")),
		.commands = yyjson_obj_get(vector, "commands"),
	};
	struct troupe t;
	yyjson_val *tick;

	troupe_init(&t, document, true);
	t.also = compare;
	t.self = &scene;
	hear_at(&t, events, 0);
	while ((tick = yyjson_arr_iter_next(&ticks))) {
		choreo_tick(t.choreo, yyjson_get_num(tick));
		hear_at(&t, events, yyjson_get_num(tick));
	}
	if (scene.said != yyjson_arr_size(scene.commands))
		fail_msg("%s: %zu commands are missing", scene.name,
		         yyjson_arr_size(scene.commands) - scene.said);
	assert_int_equal(choreo_active(t.choreo),
	                 yyjson_get_uint(yyjson_obj_get(vector, "active")));
	troupe_finish(&t);
	free(document);
}

static void every_scenario_says_the_same_commands(void **state)
{
	yyjson_doc *doc = vectors_read("choreographer.json");
	yyjson_arr_iter at = yyjson_arr_iter_with(yyjson_doc_get_root(doc));
	yyjson_val *vector;

	while ((vector = yyjson_arr_iter_next(&at)))
		play(vector);
	assert_true(yyjson_arr_size(yyjson_doc_get_root(doc)) >= 10);
	yyjson_doc_free(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_scenario_says_the_same_commands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

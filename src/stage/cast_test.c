/* cast_test.c - whoever a signal names gets somebody to play them. */
#include "stage/cast.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Ada has her own, and there are three stand-ins; the second is out of sight. */
static const char document[] =
	"{\"version\":1,\"entities\":{\"e\":{\"displayWidth\":8,\"displayHeight\":8,"
	"\"fallbackColor\":\"#fff\"}},\"scene\":{\"dimensions\":{\"width\":100,\"height\":100},"
	"\"layers\":[{\"id\":\"l\"}],\"entities\":["
	"{\"id\":\"a\",\"entityId\":\"e\",\"semanticId\":\"ada\",\"x\":0,\"y\":10,"
	"\"layerId\":\"l\"},"
	"{\"id\":\"s1\",\"entityId\":\"e\",\"standIn\":true,\"x\":11,\"y\":1,\"layerId\":\"l\"},"
	"{\"id\":\"s2\",\"entityId\":\"e\",\"standIn\":true,\"x\":22,\"y\":2,\"layerId\":\"l\","
	"\"visible\":false},"
	"{\"id\":\"s3\",\"entityId\":\"e\",\"standIn\":true,\"x\":33,\"y\":3,\"layerId\":\"l\"}],"
	"\"positions\":[{\"id\":\"p\",\"name\":\"desk\",\"x\":100,\"y\":50}]}}";

static struct show *show;
static struct stage *stage;
static struct buf json;

static double straight(struct text easing, double t)
{
	return t;
}

static int start(void **state)
{
	const struct stage_curves curves = {straight, straight};
	struct error why = {""};

	show = show_read(text_of(document), &why);
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

static struct stage_command command(const char *action, const char *actor, double at)
{
	return (struct stage_command){
		.kind = COMMAND_EXECUTE,
		.at_ms = at,
		.performance = 7,
		.action = text_of(action),
		.entity = text_of(actor),
		.by_signal = true,
		.params = TEXT("{}"),
		.duration = 1000,
		.easing = TEXT("linear"),
	};
}

/* As a play does it; the id of who got a part, or "". */
static const char *give(const struct stage_command *c)
{
	static char id[] = "s0";
	struct stage_command cast;
	bool casts = stage_casts(stage, c, TEXT(""), &cast) == STAGE_CASTS;

	if (casts) {
		assert_true(text_is(cast.action, "cast") && text_equal(cast.entity, c->entity));
		assert_true(text_starts(cast.params, TEXT("{\"id\":\"s")));
		id[1] = cast.params.at[8];
		stage_command(stage, &cast);
	}
	stage_command(stage, c);
	return casts ? id : "";
}

static const char *act(const char *action, const char *actor, double at)
{
	struct stage_command c = command(action, actor, at);

	return give(&c);
}

static const char *begin(const char *actor, double at)
{
	struct stage_command c = command("move", actor, at);

	c.kind = COMMAND_START;
	c.params = TEXT("{\"to\":\"desk\"}");
	return give(&c);
}

static void assert_has(double at, const char *part)
{
	buf_clear(&json);
	stage_look(stage, at, &json);
	if (!memmem(json.at, json.len, part, strlen(part)))
		fail_msg("at %g no %s in %.*s", at, part, TEXT_ARG(buf_text(&json)));
}

static void who_is_unknown_is_played_by_the_first_that_is_free(void **state)
{
	assert_string_equal(act("spawn", "bela", 0), "s1");
	assert_string_equal(act("spawn", "cleo", 0), "s2");
	assert_string_equal(act("spawn", "bela", 1), "");
	assert_has(1, "{\"id\":\"s1\",\"semanticId\":\"bela\",\"label\":\"bela\",\"x\":11,");
	assert_has(1, "{\"id\":\"s2\",\"semanticId\":\"cleo\",\"label\":\"cleo\",\"x\":22,");
	assert_has(1, "{\"id\":\"s3\",\"semanticId\":\"\",\"x\":33,");
}

static void who_is_in_the_scene_plays_themselves(void **state)
{
	assert_string_equal(act("spawn", "ada", 0), "");
	assert_has(0, "{\"id\":\"s1\",\"semanticId\":\"\",");
}

static void only_names_that_a_signal_said_are_cast(void **state)
{
	static const char *const bad[] = {"", "two\nlines", "esc\x1b[2J", NULL};
	char name[CAST_PART_MAX + 2] = "";
	struct stage_command c = command("spawn", "bela", 0);

	c.by_signal = false;
	assert_string_equal(give(&c), "");
	for (const char *const *b = bad; *b; b++)
		assert_string_equal(act("spawn", *b, 0), "");
	memset(name, 'n', CAST_PART_MAX + 1);
	assert_string_equal(act("spawn", name, 0), "");
	name[CAST_PART_MAX] = '\0';
	assert_string_equal(act("spawn", name, 0), "s1");
	c = command("spawn", "x", 0);
	c.entity = (struct text){"nul\0", 4};
	assert_string_equal(give(&c), "");
}

static void of_a_long_name_whole_characters_are_shown(void **state)
{
	char one[361], other[361], shown[100];

	memset(one, 'n', 360);
	one[360] = '\0';
	memcpy(one + 60, "\xc3\xa9", 2); /* half of it would fit */
	memcpy(other, one, sizeof(one));
	other[359] = 'o';
	assert_string_equal(act("spawn", one, 0), "s1");
	assert_string_equal(act("spawn", other, 0), "s2");
	assert_string_equal(act("spawn", one, 1), "");
	snprintf(shown, sizeof(shown), "\"label\":\"%.60s\xe2\x80\xa6\",\"x\":11,", one);
	assert_has(1, shown);
	snprintf(shown, sizeof(shown), "\"label\":\"%.60s\xe2\x80\xa6\",\"x\":22,", one);
	assert_has(1, shown);
}

static void nobody_comes_only_to_go(void **state)
{
	struct stage_command c = command("move", "bela", 0);

	c.kind = COMMAND_COMPLETE;
	assert_string_equal(give(&c), "");
	c.kind = COMMAND_INTERRUPT;
	assert_string_equal(give(&c), "");
	assert_string_equal(act("destroy", "bela", 0), "");
}

static void a_part_is_kept_by_who_is_out_of_sight(void **state)
{
	act("spawn", "bela", 0);
	act("destroy", "bela", 1);
	assert_string_equal(act("spawn", "cleo", 2), "s2");
	assert_string_equal(act("spawn", "bela", 3), "");
	assert_has(3, "{\"id\":\"s1\",\"semanticId\":\"bela\"");
}

static void when_all_are_taken_who_is_out_of_sight_goes_first(void **state)
{
	act("spawn", "bela", 0);
	act("spawn", "cleo", 0);
	act("spawn", "dora", 0);
	act("destroy", "dora", 1);
	assert_string_equal(act("spawn", "eve", 2), "s3");
	assert_string_equal(act("spawn", "fay", 2), "s1");
	assert_string_equal(act("spawn", "dora", 2), "s2");
}

static void who_has_something_to_do_keeps_the_part(void **state)
{
	struct stage_command say = command("set", "cleo", 0), over;

	begin("bela", 0);
	say.params = TEXT("{\"property\":\"speech\",\"value\":\"hello\"}");
	give(&say);
	begin("dora", 0);
	assert_string_equal(act("spawn", "eve", 500), "");
	over = command("move", "bela", 1000);
	over.kind = COMMAND_COMPLETE;
	give(&over);
	assert_string_equal(act("spawn", "eve", 1000), "s1");
	assert_string_equal(act("spawn", "fay", 1000), "s1"); /* it takes no time, so eve is free */
	assert_string_equal(act("spawn", "gil", 60000), "s2"); /* all was said long ago */
}

static void become(const char *actor, const char *state, double at)
{
	struct stage_command c = command("setAnimation", actor, at);
	char params[64];

	snprintf(params, sizeof(params), "{\"state\":\"%s\"}", state);
	c.params = text_of(params);
	give(&c);
}

/* All three are at work, and nothing moves. */
static void fill(double at)
{
	for (const char *const *name = (const char *const[]){"bela", "cleo", "dora", NULL}; *name;
	     name++) {
		act("spawn", *name, at);
		become(*name, "thinking", at);
	}
}

static void who_is_at_work_keeps_the_part(void **state)
{
	struct stage_command c = command("spawn", "eve", 60000), cast;

	fill(0);
	assert_int_equal(stage_casts(stage, &c, TEXT(""), &cast), STAGE_MISSES);
	assert_string_equal(give(&c), "");
	become("cleo", "idle", 60000);
	assert_string_equal(act("spawn", "eve", 60001), "s2");
	c.entity = TEXT("bela");
	assert_int_equal(stage_casts(stage, &c, TEXT(""), &cast), STAGE_KNOWS);
}

static void who_was_not_heard_of_for_long_is_away(void **state)
{
	struct stage_command halt = command("", "", STAGE_AWAY_MS - 1);

	fill(0);
	become("bela", "work", 1000);
	halt.kind = COMMAND_INTERRUPT; /* names nobody */
	halt.performance = 99;
	stage_command(stage, &halt);
	assert_string_equal(act("spawn", "eve", STAGE_AWAY_MS - 1), "");
	assert_string_equal(act("spawn", "eve", STAGE_AWAY_MS), "s2");
	become("eve", "work", STAGE_AWAY_MS);
	assert_string_equal(act("spawn", "fay", STAGE_AWAY_MS), "s3");
	become("fay", "work", STAGE_AWAY_MS);
	assert_string_equal(act("spawn", "gil", STAGE_AWAY_MS), "");
}

static void who_had_nobody_comes_as_they_are(void **state)
{
	struct stage_command c = command("flash", "eve", 1), cast;

	c.kind = COMMAND_START;
	fill(0);
	become("cleo", "done", 1);
	assert_int_equal(stage_casts(stage, &c, TEXT("work"), &cast), STAGE_CASTS);
	stage_command(stage, &cast);
	assert_has(1, "\"label\":\"eve\",\"x\":22,");
	assert_has(1, "\"visible\":true,\"flipH\":false,\"activeState\":\"work\"");
}

static void a_new_part_begins_as_the_document_says(void **state)
{
	struct stage_command c = command("setAnimation", "bela", 0);

	c.params = TEXT("{\"state\":\"error\"}");
	give(&c);
	c = command("move", "bela", 0);
	c.params = TEXT("{\"to\":\"desk\"}");
	give(&c);
	assert_has(0, "\"label\":\"bela\",\"x\":100,\"y\":50,");
	act("spawn", "cleo", 1);
	act("spawn", "dora", 1);
	assert_string_equal(act("spawn", "eve", 2), "s1");
	assert_has(2, "\"label\":\"eve\",\"x\":11,\"y\":1,");
	buf_clear(&json);
	stage_look(stage, 2, &json);
	assert_null(memmem(json.at, json.len, "error", 5));
}

static void home_is_where_the_stand_in_was_placed(void **state)
{
	struct stage_command c = command("move", "bela", 0);

	c.params = TEXT("{\"to\":\"desk\"}");
	give(&c);
	assert_has(0, "\"label\":\"bela\",\"x\":100,\"y\":50,");
	c.params = TEXT("{\"to\":\"bela\"}");
	give(&c);
	assert_has(0, "\"label\":\"bela\",\"x\":11,\"y\":1,");
}

static void who_goes_to_somebody_goes_where_they_are(void **state)
{
	struct stage_command c = command("move", "ada", 500);

	begin("bela", 0);
	c.params = TEXT("{\"to\":\"bela\"}");
	give(&c);
	assert_has(500, "{\"id\":\"a\",\"semanticId\":\"ada\",\"x\":55.5,\"y\":25.5,");
	c = command("spawn", "cleo", 500);
	c.params = TEXT("{\"at\":\"ada\"}");
	give(&c);
	assert_has(500, "\"label\":\"cleo\",\"x\":55.5,\"y\":25.5,");
	c.params = TEXT("{\"at\":\"nobody\"}");
	give(&c);
	assert_has(500, "\"label\":\"cleo\",\"x\":55.5,\"y\":25.5,");
}

static void what_is_known_can_be_asked(void **state)
{
	double x = 0, y = 0;

	assert_true(stage_place(stage, TEXT("bela"), 0, &x, &y) && x == 11 && y == 1);
	assert_false(stage_place(stage, TEXT(""), 0, &x, &y));
	assert_true(stage_knows(stage, TEXT("ada")));
	assert_false(stage_knows(stage, TEXT("bela")));
	assert_true(stage_may_know(stage, TEXT("bela"), 0));
	assert_false(stage_may_know(stage, TEXT(""), 0));
	begin("bela", 0);
	begin("cleo", 0);
	begin("dora", 0);
	assert_true(stage_knows(stage, TEXT("bela")));
	assert_true(stage_may_know(stage, TEXT("bela"), 0));
	assert_false(stage_may_know(stage, TEXT("eve"), 0));
}

static yyjson_doc *saved(const struct actor *actor)
{
	buf_clear(&json);
	buf_add_char(&json, '{');
	cast_save(actor, &json);
	buf_add(&json, TEXT("\"end\":0}"));
	return yyjson_read(json.at, json.len, 0);
}

static void a_part_is_saved_and_loaded(void **state)
{
	yyjson_val *placed = yyjson_arr_get(yyjson_obj_get(show->scene, "entities"), 1);
	struct actor one, other;
	yyjson_doc *doc;

	actor_init(&one, placed);
	actor_init(&other, placed);
	doc = saved(&one);
	assert_int_equal(yyjson_obj_size(yyjson_doc_get_root(doc)), 1);
	yyjson_doc_free(doc);
	cast_give(&one, TEXT("b\"ela"), TEXT(""));
	one.used = 12345678901234567u;
	one.heard_ms = 1780798849355.5;
	doc = saved(&one);
	cast_load(&other, show, yyjson_doc_get_root(doc));
	yyjson_doc_free(doc);
	assert_string_equal(other.part, "b\"ela");
	assert_true(text_is(other.semantic, "b\"ela") && other.used == one.used);
	assert_true(other.heard_ms == one.heard_ms);
	actor_finish(&one);
	actor_finish(&other);
}

static void a_part_that_the_show_has_an_entity_for_is_not_loaded(void **state)
{
	yyjson_val *entities = yyjson_obj_get(show->scene, "entities");
	static const char part[] = "{\"part\":\"ada\",\"used\":1}";
	static const char good[] = "{\"part\":\"bela\",\"used\":1}";
	yyjson_doc *doc = yyjson_read(part, sizeof(part) - 1, 0);
	struct actor stand_in, ada;

	actor_init(&ada, yyjson_arr_get(entities, 0));
	actor_init(&stand_in, yyjson_arr_get(entities, 1));
	cast_load(&stand_in, show, yyjson_doc_get_root(doc));
	assert_null(stand_in.part);
	yyjson_doc_free(doc);
	doc = yyjson_read(good, sizeof(good) - 1, 0);
	cast_load(&ada, show, yyjson_doc_get_root(doc));
	assert_null(ada.part);
	yyjson_doc_free(doc);
	actor_finish(&stand_in);
	actor_finish(&ada);
}

#define each(test) cmocka_unit_test_setup_teardown(test, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		each(who_is_unknown_is_played_by_the_first_that_is_free),
		each(who_is_in_the_scene_plays_themselves),
		each(only_names_that_a_signal_said_are_cast),
		each(of_a_long_name_whole_characters_are_shown),
		each(nobody_comes_only_to_go),
		each(a_part_is_kept_by_who_is_out_of_sight),
		each(when_all_are_taken_who_is_out_of_sight_goes_first),
		each(who_has_something_to_do_keeps_the_part),
		each(who_is_at_work_keeps_the_part),
		each(who_was_not_heard_of_for_long_is_away),
		each(who_had_nobody_comes_as_they_are),
		each(a_new_part_begins_as_the_document_says),
		each(home_is_where_the_stand_in_was_placed),
		each(who_goes_to_somebody_goes_where_they_are),
		each(what_is_known_can_be_asked),
		each(a_part_is_saved_and_loaded),
		each(a_part_that_the_show_has_an_entity_for_is_not_loaded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

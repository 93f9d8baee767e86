/* offstage_test.c - more agents are at work than the scene can show, and it says so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/must.h"
#include "play/offstage.h"
#include "play/play.h"

/* Two stand-ins out of sight, and signals that say how somebody is. */
static const char document[] =
	"{\"version\":1,\"entities\":{\"e\":{\"displayWidth\":8,\"displayHeight\":8,"
	"\"fallbackColor\":\"#fff\"}},\"scene\":{\"dimensions\":{\"width\":100,\"height\":100},"
	"\"layers\":[{\"id\":\"l\"}],\"entities\":["
	"{\"id\":\"s1\",\"entityId\":\"e\",\"standIn\":true,\"x\":1,\"y\":1,\"layerId\":\"l\","
	"\"visible\":false},"
	"{\"id\":\"s2\",\"entityId\":\"e\",\"standIn\":true,\"x\":2,\"y\":2,\"layerId\":\"l\","
	"\"visible\":false}]},\"choreographies\":["
	"{\"id\":\"c\",\"on\":\"is\",\"steps\":["
	"{\"action\":\"spawn\",\"entity\":\"signal.who\"},"
	"{\"action\":\"setAnimation\",\"entity\":\"signal.who\",\"state\":\"signal.what\"}]},"
	"{\"id\":\"d\",\"on\":\"says\",\"steps\":["
	"{\"action\":\"spawn\",\"entity\":\"signal.who\"}]},"
	"{\"id\":\"e\",\"on\":\"ends\",\"steps\":["
	"{\"action\":\"move\",\"entity\":\"signal.who\",\"to\":\"signal.who\",\"duration\":500,"
	"\"easing\":\"linear\",\"animationDuring\":\"walk\",\"animationOnArrival\":\"idle\"}]},"
	"{\"id\":\"f\",\"on\":\"goes\",\"steps\":["
	"{\"action\":\"destroy\",\"entity\":\"signal.who\"}]},"
	"{\"id\":\"g\",\"on\":\"shines\",\"steps\":["
	"{\"action\":\"flash\",\"entity\":\"signal.who\",\"color\":\"#fff\",\"duration\":100,"
	"\"easing\":\"linear\"}]}]}";

static struct show *show;
static struct play *play;
static char told[64], given[256]; /* the params of the last such command */

static void hear(void *self, const struct stage_command *command, uint64_t version)
{
	if (text_is(command->action, "offstage"))
		snprintf(told, sizeof(told), "%.*s", TEXT_ARG(command->params));
	else if (text_is(command->action, "cast"))
		snprintf(given, sizeof(given), "%.*s", TEXT_ARG(command->params));
}

static struct play *make(void)
{
	const struct play_options options = {.command = hear};
	struct error why = {""};
	struct play *made = play_create(show, &options, &why);

	if (!made)
		fail_msg("%s", why.words);
	return made;
}

static int start(void **state)
{
	struct error why = {""};

	show = show_read(text_of(document), &why);
	if (!show)
		fail_msg("%s", why.words);
	play = make();
	told[0] = given[0] = '\0';
	return 0;
}

static int stop(void **state)
{
	play_destroy(play);
	show_destroy(show);
	return 0;
}

static void signal_is(const char *type, const char *who, const char *what, double now_ms)
{
	char *payload = must_print("{\"who\":\"%s\",\"what\":\"%s\"}", who, what);
	yyjson_doc *doc = yyjson_read(payload, strlen(payload), 0);
	const struct cue cue = {text_of(type), TEXT("demo"), TEXT("run"), yyjson_doc_get_root(doc)};

	play_signal(play, &cue, now_ms);
	yyjson_doc_free(doc);
	free(payload);
}

static void assert_told(const char *params, size_t count, double now_ms)
{
	play_tick(play, now_ms);
	assert_string_equal(told, params);
	assert_int_equal(play_offstage(play, now_ms), count);
}

static void fill(void)
{
	signal_is("is", "ada", "thinking", 0);
	signal_is("is", "bela", "work", 0);
	assert_told("", 0, 0);
}

static void those_for_whom_nobody_is_free_are_counted(void **state)
{
	fill();
	signal_is("is", "cleo", "thinking", 10);
	assert_told("{\"count\":1}", 1, 10);
	signal_is("is", "dora", "waiting", 20);
	signal_is("is", "dora", "work", 30);
	assert_told("{\"count\":2}", 2, 30);
}

static void who_is_done_is_not_counted(void **state)
{
	fill();
	signal_is("is", "cleo", "thinking", 10);
	signal_is("is", "dora", "thinking", 10);
	signal_is("is", "eve", "thinking", 10);
	signal_is("is", "cleo", "idle", 20);
	assert_told("{\"count\":2}", 2, 20);
	signal_is("ends", "cleo", "", 20); /* walks home, and is not at work for that */
	assert_told("{\"count\":2}", 2, 20);
	signal_is("ends", "dora", "", 30);
	assert_told("{\"count\":2}", 2, 529);
	assert_told("{\"count\":1}", 1, 530);
	signal_is("goes", "eve", "", 540);
	assert_told("{\"count\":0}", 0, 540);
}

static void who_begins_anew_on_the_way_home_is_at_work(void **state)
{
	fill();
	signal_is("is", "cleo", "done", 10);
	signal_is("ends", "cleo", "", 10);
	signal_is("is", "cleo", "thinking", 20);
	assert_told("{\"count\":1}", 1, 600);
}

static void a_place_that_became_free_is_for_the_next_signal(void **state)
{
	fill();
	signal_is("is", "cleo", "work", 10);
	signal_is("is", "bela", "done", 20);
	assert_told("{\"count\":1}", 1, 20);
	signal_is("shines", "cleo", "", 30);
	assert_told("{\"count\":0}", 0, 30);
	assert_string_equal(given, "{\"id\":\"s2\",\"label\":\"cleo\",\"state\":\"work\"}");
	signal_is("is", "bela", "thinking", 40); /* and now it is the other way round */
	assert_told("{\"count\":1}", 1, 40);
}

static void who_only_speaks_counts_for_a_moment(void **state)
{
	fill();
	signal_is("says", "cleo", "", 10);
	assert_told("{\"count\":1}", 1, 9 + OFFSTAGE_MOMENT_MS);
	assert_told("{\"count\":0}", 0, 10 + OFFSTAGE_MOMENT_MS);
	signal_is("shines", "dora", "", 30000); /* was never brought in */
	assert_told("{\"count\":0}", 0, 30000);
}

static void who_is_not_heard_of_for_long_is_away(void **state)
{
	fill();
	signal_is("is", "cleo", "thinking", 10);
	assert_told("{\"count\":1}", 1, 9 + STAGE_AWAY_MS);
	assert_told("{\"count\":0}", 0, 10 + STAGE_AWAY_MS);
	assert_true(play_end(play) == 10 + STAGE_AWAY_MS);
}

static void so_many_are_remembered(void **state)
{
	char name[32];

	fill();
	for (int i = 0; i < OFFSTAGE_MAX + 9; i++) {
		snprintf(name, sizeof(name), "guest-%d", i);
		signal_is("is", name, "thinking", 10);
	}
	assert_int_equal(play_offstage(play, 10), OFFSTAGE_MAX);
	play_reset(play, 20);
	assert_int_equal(play_offstage(play, 20), 0);
}

static void it_is_saved_and_loaded(void **state)
{
	struct buf saved;
	yyjson_doc *doc;

	fill();
	signal_is("is", "cl\xc3\xa9o", "work", 10);
	signal_is("says", "dora", "", 20);
	buf_init(&saved, MIB);
	play_save(play, &saved);
	play_destroy(play);
	play = make();
	doc = yyjson_read(saved.at, saved.len, 0);
	assert_true(play_load(play, yyjson_doc_get_root(doc)));
	yyjson_doc_free(doc);
	buf_finish(&saved);
	assert_int_equal(play_offstage(play, 20), 2);
	assert_told("{\"count\":1}", 1, 20 + OFFSTAGE_MOMENT_MS);
	signal_is("is", "ada", "idle", 9000);
	signal_is("shines", "cl\xc3\xa9o", "", 9000);
	assert_string_equal(given, "{\"id\":\"s1\",\"label\":\"cl\xc3\xa9o\",\"state\":\"work\"}");
	assert_told("{\"count\":0}", 0, 9000);
}

#define each(test) cmocka_unit_test_setup_teardown(test, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		each(those_for_whom_nobody_is_free_are_counted),
		each(who_is_done_is_not_counted),
		each(who_begins_anew_on_the_way_home_is_at_work),
		each(a_place_that_became_free_is_for_the_next_signal),
		each(who_only_speaks_counts_for_a_moment),
		each(who_is_not_heard_of_for_long_is_away),
		each(so_many_are_remembered),
		each(it_is_saved_and_loaded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

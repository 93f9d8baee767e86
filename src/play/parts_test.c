/* parts_test.c - parts change hands while bindings are still under way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/must.h"
#include "play/play.h"

/* Two stand-ins; who is named grows at once, and goes back after an hour. */
static const char document[] =
	"{\"version\":1,\"entities\":{\"e\":{\"displayWidth\":8,\"displayHeight\":8,"
	"\"fallbackColor\":\"#fff\"}},\"scene\":{\"dimensions\":{\"width\":100,\"height\":100},"
	"\"layers\":[{\"id\":\"l\"}],\"entities\":["
	"{\"id\":\"s1\",\"entityId\":\"e\",\"standIn\":true,\"x\":1,\"y\":1,\"layerId\":\"l\"},"
	"{\"id\":\"s2\",\"entityId\":\"e\",\"standIn\":true,\"x\":2,\"y\":2,\"layerId\":\"l\"}]},"
	"\"choreographies\":[{\"id\":\"c\",\"on\":\"x\",\"steps\":[]}],"
	"\"bindings\":[{\"id\":\"b\",\"targetEntityId\":\"signal.who\",\"property\":\"scale\","
	"\"sourceChoreographyId\":\"c\",\"transition\":{\"targetValue\":2,\"durationMs\":10,"
	"\"easing\":\"linear\",\"revert\":true,\"revertDelayMs\":3600000}}]}";

struct audience {
	unsigned casts, starts, returns;
};

static void count(void *self, const struct stage_command *command, uint64_t version)
{
	struct audience *a = self;
	struct text params = command->params;

	if (text_is(command->action, "cast"))
		a->casts++;
	else if (command->kind == COMMAND_START && memmem(params.at, params.len, "original", 8))
		a->returns++;
	else if (command->kind == COMMAND_START)
		a->starts++;
}

static void name(struct play *play, unsigned n, double now_ms)
{
	char *payload = must_print("{\"who\":\"guest-%u\"}", n);
	yyjson_doc *doc = yyjson_read(payload, strlen(payload), 0);
	const struct cue cue = {TEXT("x"), TEXT("demo"), TEXT("run"), yyjson_doc_get_root(doc)};

	play_signal(play, &cue, now_ms);
	yyjson_doc_free(doc);
	free(payload);
}

static void what_a_stand_in_had_begun_in_another_part_is_forgotten(void **state)
{
	struct audience audience = {0};
	const struct play_options options = {.self = &audience, .command = count};
	struct error why = {""};
	struct show *show = show_read(text_of(document), &why);
	struct play *play = show ? play_create(show, &options, &why) : NULL;

	if (!play)
		fail_msg("%s", why.words);
	for (unsigned i = 0; i < 1000; i++)
		name(play, i, 100.0 * i);
	assert_int_equal(audience.casts, 1000);
	assert_int_equal(audience.starts, 1000);
	play_end(play);
	assert_in_range(audience.returns, 2, 3); /* whose part went last may still be known */
	play_destroy(play);
	show_destroy(show);
}

/* Both are busy for ten milliseconds, so a third and all after it are nobody. */
static void nothing_is_begun_for_whom_nobody_can_play(void **state)
{
	struct audience audience = {0};
	const struct play_options options = {.self = &audience, .command = count};
	struct error why = {""};
	struct show *show = show_read(text_of(document), &why);
	struct play *play = show ? play_create(show, &options, &why) : NULL;

	if (!play)
		fail_msg("%s", why.words);
	for (unsigned i = 0; i < 1000; i++)
		name(play, i, 5);
	assert_int_equal(audience.casts, 2);
	assert_int_equal(audience.starts, 2);
	play_destroy(play);
	show_destroy(show);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_stand_in_had_begun_in_another_part_is_forgotten),
		cmocka_unit_test(nothing_is_begun_for_whom_nobody_can_play),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

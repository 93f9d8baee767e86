/* theatre_test.c - a document is played, changed, stopped, saved and followed. */
#include "play/theatre.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/must.h"
#include "play/inside.h"

#define NOON 1.7e12

/* Who hears tool_call walks to the desk, in 100 ms; %s is something to change. */
static const char document[] =
	"{\"version\":1,\"name\":\"%s\",\"entities\":{\"e\":{\"displayWidth\":8,"
	"\"displayHeight\":8,\"fallbackColor\":\"#fff\"}},"
	"\"scene\":{\"dimensions\":{\"width\":100,\"height\":100},"
	"\"layers\":[{\"id\":\"l\"}],\"entities\":[{\"id\":\"1\",\"entityId\":\"e\","
	"\"semanticId\":\"ada\",\"x\":0,\"y\":0,\"layerId\":\"l\"}],"
	"\"positions\":[{\"id\":\"p\",\"name\":\"desk\",\"x\":200,\"y\":0}]},"
	"\"choreographies\":[{\"id\":\"c\",\"on\":\"tool_call\","
	"\"steps\":[{\"action\":\"move\",\"entity\":\"ada\",\"to\":\"desk\","
	"\"duration\":100}]},{\"id\":\"d\",\"on\":\"error\",\"steps\":[{\"action\":\"say\","
	"\"entity\":\"signal.who\",\"text\":\"signal.words\",\"duration\":50}]}]}";

struct house {
	struct theatre *theatre;
	struct buf told; /* `VERSION JSON` a line */
	uint64_t version;
	unsigned changes;
};

static void take(void *self, uint64_t version, double at_ms, struct text json)
{
	struct house *house = self;

	if (house->version)
		assert_true(version == house->version + 1);
	house->version = version;
	buf_add(&house->told, json);
	buf_add_char(&house->told, '\n');
}

static void changed(void *self)
{
	struct house *house = self;

	house->changes++;
	house->version = 0;
}

static void open_house(struct house *house)
{
	const struct theatre_options options = {house, take, changed};
	char *json = must_print(document, "one");

	*house = (struct house){.theatre = theatre_create(&options, NOON)};
	buf_init(&house->told, 64 * MIB);
	assert_true(theatre_use(house->theatre, text_of(json), NOON, NULL));
	house->changes = 0;
	free(json);
}

static void close_house(struct house *house)
{
	theatre_destroy(house->theatre);
	buf_finish(&house->told);
}

static void use(struct house *house, const char *name, double now_ms)
{
	char *json = must_print(document, name);

	assert_true(theatre_use(house->theatre, text_of(json), now_ms, NULL));
	free(json);
}

struct said {
	const char *type, *source, *correlation, *payload;
	const char *via;
};

static void hear(struct house *house, struct said said, double now_ms)
{
	char *line = must_print("{\"seq\":1,\"payload\":%s}", said.payload ? said.payload : "{}");
	const struct signal s = {
		.seq = 1,
		.line = text_of(line),
		.type = text_of(said.type),
		.source = text_of(said.source ? said.source : "demo"),
		.correlation = text_of(said.correlation),
		.via = text_of(said.via),
	};

	theatre_hear(house->theatre, &s, now_ms);
	free(line);
}

static void call_tool(struct house *house, double now_ms)
{
	hear(house, (struct said){.type = "tool_call", .correlation = "run"}, now_ms);
}

static void assert_told(struct house *house, const char *part)
{
	if (!memmem(house->told.at, house->told.len, part, strlen(part)))
		fail_msg("no %s in %.*s", part, TEXT_ARG(buf_text(&house->told)));
	buf_clear(&house->told);
}

static void assert_silent(struct house *house)
{
	if (house->told.len)
		fail_msg("told: %.*s", TEXT_ARG(buf_text(&house->told)));
}

static void assert_looks(const struct house *house, double now_ms, const char *part)
{
	struct buf seen;

	buf_init(&seen, MIB);
	theatre_look(house->theatre, now_ms, &seen);
	if (!memmem(seen.at, seen.len, part, strlen(part)))
		fail_msg("no %s in %.*s", part, TEXT_ARG(buf_text(&seen)));
	buf_finish(&seen);
}

/* ---- documents ---- */

static void the_show_of_the_program_is_played_at_first(void **state)
{
	const struct theatre_options options = {NULL, take, changed};
	struct theatre *theatre = theatre_create(&options, NOON);

	assert_true(theatre_show(theatre).len > 1000);
	assert_int_equal(theatre_tag(theatre).len, THEATRE_TAG_LEN);
	assert_true(theatre_is_running(theatre));
	assert_true(isinf(theatre_next(theatre)));
	theatre_destroy(theatre);
}

static void the_tag_is_that_of_the_document(void **state)
{
	struct house house;
	char first[THEATRE_TAG_LEN];

	open_house(&house);
	memcpy(first, theatre_tag(house.theatre).at, sizeof(first));
	use(&house, "two", NOON);
	assert_memory_not_equal(theatre_tag(house.theatre).at, first, sizeof(first));
	use(&house, "one", NOON);
	assert_memory_equal(theatre_tag(house.theatre).at, first, sizeof(first));
	assert_int_equal(house.changes, 2);
	close_house(&house);
}

static void a_bad_document_changes_nothing(void **state)
{
	struct house house;
	struct error why = {""};
	uint64_t version;

	open_house(&house);
	call_tool(&house, NOON);
	version = theatre_version(house.theatre);
	assert_false(theatre_use(house.theatre, TEXT("{\"version\":2}"), NOON + 1, &why));
	assert_int_equal(why.words[0], '/');
	assert_true(theatre_version(house.theatre) == version);
	assert_int_equal(house.changes, 0);
	theatre_tick(house.theatre, NOON + 100);
	assert_told(&house, "\"kind\":\"complete\"");
	close_house(&house);
}

static void what_is_under_way_goes_on_in_another_document(void **state)
{
	struct house house;
	uint64_t version;

	open_house(&house);
	call_tool(&house, NOON);
	assert_told(&house, "\"kind\":\"start\"");
	version = theatre_version(house.theatre);
	use(&house, "two", NOON + 50);
	assert_true(theatre_version(house.theatre) == version + 1);
	assert_looks(&house, NOON + 50, "\"x\":100,\"y\":0,");
	assert_looks(&house, NOON + 50,
	             "\"progress\":0.5,\"elapsed\":50,\"from\":{\"x\":0,\"y\":0}");
	theatre_tick(house.theatre, NOON + 100);
	assert_told(&house, "\"kind\":\"complete\"");
	assert_looks(&house, NOON + 100, "\"x\":200,\"y\":0,");
	close_house(&house);
}

/* ---- signals ---- */

static void only_what_is_taken_up_is_counted(void **state)
{
	struct house house;

	open_house(&house);
	call_tool(&house, NOON);
	hear(&house, (struct said){.type = "token_usage"}, NOON);
	hear(&house, (struct said){.type = "tool_call", .payload = "[]"}, NOON);
	assert_int_equal(theatre_stats(house.theatre).processed, 1);
	assert_int_equal(theatre_stats(house.theatre).active, 1);
	assert_looks(&house, NOON, "\"running\":true,\"signalsProcessed\":1,");
	close_house(&house);
}

static void signals_quicker_than_eyes_are_skipped(void **state)
{
	struct house house;

	open_house(&house);
	for (unsigned i = 0; i < THEATRE_BURST + 100; i++)
		call_tool(&house, NOON);
	assert_int_equal(theatre_stats(house.theatre).processed, THEATRE_BURST);
	assert_int_equal(theatre_stats(house.theatre).skipped, 100);
	for (unsigned i = 0; i < 100; i++)
		call_tool(&house, NOON + 2);
	assert_int_equal(theatre_stats(house.theatre).processed,
	                 THEATRE_BURST + 2 * THEATRE_PACE / 1000);
	close_house(&house);
}

static void a_burst_hides_nobody(void **state)
{
	struct house house;
	const struct said dispatch = {.type = "task_dispatch",
	                              .source = "adapter:hooks",
	                              .correlation = "S-9",
	                              .payload = "{\"taskId\":\"t\",\"to\":\"bo\"}"};

	open_house(&house);
	for (unsigned i = 0; i < THEATRE_BURST; i++)
		call_tool(&house, NOON);
	hear(&house, dispatch, NOON);
	assert_int_equal(theatre_stats(house.theatre).skipped, 1);
	assert_int_equal(theatre_stats(house.theatre).processed, THEATRE_BURST);
	assert_non_null(episodes_find(&house.theatre->whose.runs, TEXT("S-9")));
	close_house(&house);
}

static void time_does_not_go_back(void **state)
{
	struct house house;

	open_house(&house);
	call_tool(&house, NOON + 500);
	call_tool(&house, NOON);
	assert_told(&house, "\"at\":1700000000500,\"performanceId\":\"perf-2\"");
	close_house(&house);
}

/* ---- start and stop ---- */

static void a_stop_puts_everybody_back(void **state)
{
	struct house house;

	open_house(&house);
	call_tool(&house, NOON);
	assert_true(theatre_stop(house.theatre, NOON + 50));
	assert_false(theatre_stop(house.theatre, NOON + 50));
	assert_int_equal(house.changes, 1);
	assert_looks(&house, NOON + 50, "\"running\":false,");
	assert_looks(&house, NOON + 50, "\"x\":0,\"y\":0,");
	assert_looks(&house, NOON + 50, "\"tweens\":[]");
	assert_true(isinf(theatre_next(house.theatre)));
	buf_clear(&house.told);
	call_tool(&house, NOON + 60);
	theatre_tick(house.theatre, NOON + 500);
	assert_silent(&house);
	assert_int_equal(theatre_stats(house.theatre).processed, 1);
	assert_true(theatre_start(house.theatre, NOON + 600));
	assert_false(theatre_start(house.theatre, NOON + 600));
	call_tool(&house, NOON + 700);
	assert_told(&house, "\"kind\":\"start\"");
	close_house(&house);
}

/* ---- who follows ---- */

static void count(void *self, uint64_t version, double at_ms, struct text json)
{
	uint64_t *last = self;

	assert_true(version == *last + 1);
	*last = version;
}

static void commands_after_a_version_are_remembered(void **state)
{
	struct house house;
	uint64_t version, last;

	open_house(&house);
	version = last = theatre_version(house.theatre);
	for (unsigned i = 0; i < 10; i++)
		call_tool(&house, NOON + i);
	assert_true(theatre_since(house.theatre, version, count, &last));
	assert_true(last == theatre_version(house.theatre) && last == version + 10);
	assert_true(theatre_since(house.theatre, last, count, &last));
	assert_false(theatre_since(house.theatre, version - 1, count, &last));
	assert_false(theatre_since(house.theatre, last + 1, count, &last));
	close_house(&house);
}

static void only_so_many_commands_are_remembered(void **state)
{
	struct house house;
	uint64_t version, last;

	open_house(&house);
	version = theatre_version(house.theatre);
	for (unsigned i = 0; i <= THEATRE_COMMANDS; i++)
		call_tool(&house, NOON + i);
	last = theatre_version(house.theatre) - THEATRE_COMMANDS - 1;
	assert_true(last > version);
	assert_false(theatre_since(house.theatre, last, count, &last));
	last++;
	assert_true(theatre_since(house.theatre, last, count, &last));
	close_house(&house);
}

static void nobody_follows_across_a_change(void **state)
{
	struct house house;
	uint64_t version, last;

	open_house(&house);
	call_tool(&house, NOON);
	version = last = theatre_version(house.theatre);
	use(&house, "two", NOON + 1);
	assert_false(theatre_since(house.theatre, version, count, &last));
	close_house(&house);
}

/* One whose words are more than a command may have. */
static void what_cannot_be_told_must_be_looked_at(void **state)
{
	const size_t words = 700000; /* "\u0001" a byte: six times as much */
	struct house house;
	struct buf payload;

	open_house(&house);
	buf_init(&payload, 16 * MIB);
	buf_add(&payload, TEXT("{\"who\":\""));
	for (size_t i = 0; i < words; i++)
		buf_add(&payload, TEXT("\\u0001"));
	buf_add(&payload, TEXT("\"}\0"));
	hear(&house, (struct said){.type = "error", .payload = payload.at}, NOON);
	assert_silent(&house);
	assert_int_equal(house.changes, 1);
	assert_int_equal(theatre_stats(house.theatre).processed, 1);
	buf_finish(&payload);
	close_house(&house);
}

/* ---- episodes ---- */

static void our_source_that_spoke_last_owns_an_episode(void **state)
{
	struct house house;

	open_house(&house);
	hear(&house, (struct said){"tool_call", "other", "run", NULL}, NOON);
	assert_true(text_is(theatre_source(house.theatre, TEXT("run")), "other"));
	hear(&house, (struct said){"tool_call", "adapter:x", "run", NULL, "left"}, NOON);
	hear(&house, (struct said){"whatever", "adapter:x", "run", NULL, "right"}, NOON);
	hear(&house, (struct said){"whatever", "signalbox", "run", NULL}, NOON);
	hear(&house, (struct said){"user.click", "stage", "run", NULL}, NOON);
	assert_true(text_is(theatre_source(house.theatre, TEXT("run")), "right"));
	assert_int_equal(theatre_source(house.theatre, TEXT("other")).len, 0);
	close_house(&house);
}

static void an_entity_is_in_the_episode_of_its_last_performance(void **state)
{
	struct text correlation, source;
	struct house house;

	open_house(&house);
	assert_false(theatre_episode(house.theatre, TEXT("ada"), &correlation, &source));
	hear(&house, (struct said){"tool_call", "left", "run-1", NULL}, NOON);
	hear(&house, (struct said){"tool_call", "right", "run-2", NULL}, NOON + 10);
	theatre_tick(house.theatre, NOON + 300); /* the first ends; nothing begins */
	assert_true(theatre_episode(house.theatre, TEXT("ada"), &correlation, &source));
	assert_true(text_is(correlation, "run-2") && text_is(source, "right"));
	close_house(&house);
}

static void only_so_many_episodes_are_known(void **state)
{
	struct house house;

	open_house(&house);
	for (unsigned i = 0; i <= THEATRE_EPISODES; i++) {
		char *run = must_print("run-%u", i);

		hear(&house, (struct said){"whatever", "demo", run, NULL}, NOON);
		if (i == 0)
			hear(&house, (struct said){"whatever", "demo", "kept", NULL}, NOON);
		if (i == 100)
			hear(&house, (struct said){"whatever", "x", "kept", NULL, "other"}, NOON);
		free(run);
	}
	assert_int_equal(theatre_source(house.theatre, TEXT("run-0")).len, 0);
	assert_true(text_is(theatre_source(house.theatre, TEXT("kept")), "other"));
	close_house(&house);
}

/* ---- across a restart ---- */

static void reopen(struct house *house, double now_ms, bool is_good)
{
	struct house before = *house;
	struct buf saved;

	buf_init(&saved, 16 * MIB);
	theatre_save(before.theatre, &saved);
	assert_false(saved.full);
	open_house(house);
	assert_int_equal(theatre_load(house->theatre, buf_text(&saved), now_ms), is_good);
	buf_finish(&saved);
	close_house(&before);
}

static void all_of_it_is_there_after_a_restart(void **state)
{
	struct text correlation, source;
	struct house house;
	uint64_t version;

	open_house(&house);
	call_tool(&house, NOON);
	version = theatre_version(house.theatre);
	reopen(&house, NOON + 40, true);
	assert_true(theatre_version(house.theatre) > version);
	assert_int_equal(theatre_stats(house.theatre).processed, 1);
	assert_int_equal(theatre_stats(house.theatre).active, 1);
	assert_true(text_is(theatre_source(house.theatre, TEXT("run")), "demo"));
	assert_true(theatre_episode(house.theatre, TEXT("ada"), &correlation, &source));
	assert_looks(&house, NOON + 50, "\"x\":100,\"y\":0,");
	assert_true(theatre_next(house.theatre) == NOON + 100);
	theatre_tick(house.theatre, NOON + 5000);
	assert_told(&house, "\"kind\":\"complete\",\"at\":1700000000100,");
	close_house(&house);
}

#define PIECE_MAX (17 * KIB) /* a piece and one performance more */

static void note(struct house *house, unsigned run, const char *via)
{
	char *name = must_print("run-%u", run);
	const struct signal s = {.correlation = text_of(name), .via = text_of(via)};

	theatre_note(house->theatre, &s);
	free(name);
}

/* The next one to be saved among them: first it moves to the end, then it is replaced. */
static void notes_between_the_pieces_lose_no_episode(void **state)
{
	struct house house, again;
	struct buf saved;
	unsigned count = 0;

	open_house(&house);
	open_house(&again);
	buf_init(&saved, 16 * MIB);
	for (unsigned i = 0; i < 3000; i++)
		note(&house, i, "left");
	theatre_save_begin(house.theatre);
	while (theatre_save_more(house.theatre, &saved)) {
		for (unsigned i = 0; i < 10; i++)
			note(&house, (count * 500 + i) % 3000, i % 2 ? "right" : "left");
		for (unsigned i = 0; i < 3000; i += 250)
			note(&house, i + count % 7, "right");
		count++;
	}
	assert_true(theatre_load(again.theatre, buf_text(&saved), NOON));
	for (unsigned i = 0; i < 3000; i++) {
		char *name = must_print("run-%u", i);

		assert_true(theatre_source(again.theatre, text_of(name)).len > 0);
		free(name);
	}
	buf_finish(&saved);
	close_house(&again);
	close_house(&house);
}

/* All together are what one go would have written. */
static void it_is_saved_in_pieces(void **state)
{
	struct house house;
	struct buf whole, pieces;
	unsigned count = 0;
	bool more = true;

	open_house(&house);
	for (unsigned i = 0; i < 3000; i++) {
		char *run = must_print("run-%u", i);

		hear(&house, (struct said){"tool_call", "demo", run}, NOON + i / 100);
		free(run);
	}
	buf_init(&whole, 16 * MIB);
	buf_init(&pieces, 16 * MIB);
	theatre_save(house.theatre, &whole);
	theatre_save_begin(house.theatre);
	while (more) {
		size_t before = pieces.len;

		more = theatre_save_more(house.theatre, &pieces);
		assert_in_range(pieces.len - before, 0, PIECE_MAX);
		count++;
	}
	assert_true(count > pieces.len / PIECE_MAX && whole.len > 20 * PIECE_MAX);
	assert_true(text_equal(buf_text(&pieces), buf_text(&whole)));
	reopen(&house, NOON + 40, true);
	assert_int_equal(theatre_stats(house.theatre).active, 3000);
	buf_finish(&whole);
	buf_finish(&pieces);
	close_house(&house);
}

static void a_stopped_show_is_stopped_after_a_restart(void **state)
{
	struct house house;

	open_house(&house);
	theatre_stop(house.theatre, NOON);
	reopen(&house, NOON + 10, true);
	assert_false(theatre_is_running(house.theatre));
	close_house(&house);
}

static void a_clock_that_was_wrong_stops_nothing(void **state)
{
	struct house house;

	open_house(&house);
	call_tool(&house, NOON + 1e9);
	reopen(&house, NOON, true);
	assert_int_equal(theatre_stats(house.theatre).processed, 1);
	assert_int_equal(theatre_stats(house.theatre).active, 0);
	call_tool(&house, NOON + 10);
	assert_told(&house, "\"at\":1700000000010,");
	close_house(&house);
}

static void what_was_not_saved_here_is_refused(void **state)
{
	static const char *const wrong[] = {
		"",
		"x",
		"[]",
		"{}",
		"{\"running\":1}",
		"{\"running\":true,\"now\":1,\"play\":{}}",
		"{\"running\":true,\"now\":1,\"play\":{\"now\":1,\"stage\":[],\"choreo\":[]}}",
	};
	struct house house;

	open_house(&house);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(theatre_load(house.theatre, text_of(wrong[i]), NOON));
	call_tool(&house, NOON + 10);
	assert_told(&house, "\"kind\":\"start\"");
	close_house(&house);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_show_of_the_program_is_played_at_first),
		cmocka_unit_test(the_tag_is_that_of_the_document),
		cmocka_unit_test(a_bad_document_changes_nothing),
		cmocka_unit_test(what_is_under_way_goes_on_in_another_document),
		cmocka_unit_test(only_what_is_taken_up_is_counted),
		cmocka_unit_test(signals_quicker_than_eyes_are_skipped),
		cmocka_unit_test(a_burst_hides_nobody),
		cmocka_unit_test(time_does_not_go_back),
		cmocka_unit_test(a_stop_puts_everybody_back),
		cmocka_unit_test(commands_after_a_version_are_remembered),
		cmocka_unit_test(only_so_many_commands_are_remembered),
		cmocka_unit_test(nobody_follows_across_a_change),
		cmocka_unit_test(what_cannot_be_told_must_be_looked_at),
		cmocka_unit_test(our_source_that_spoke_last_owns_an_episode),
		cmocka_unit_test(an_entity_is_in_the_episode_of_its_last_performance),
		cmocka_unit_test(only_so_many_episodes_are_known),
		cmocka_unit_test(all_of_it_is_there_after_a_restart),
		cmocka_unit_test(it_is_saved_in_pieces),
		cmocka_unit_test(notes_between_the_pieces_lose_no_episode),
		cmocka_unit_test(a_stopped_show_is_stopped_after_a_restart),
		cmocka_unit_test(a_clock_that_was_wrong_stops_nothing),
		cmocka_unit_test(what_was_not_saved_here_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

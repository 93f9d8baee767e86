/* day_test.c - a day of the demo on the show of the program, in virtual time.
 *
 * The recording of the demo is played over and over, each time as a run of its own and
 * with a guest whom nobody knows, so that stand-ins change their parts all day.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>
#include <yyjson.h>

#include "base/must.h"
#include "play/theatre.h"
#include "signal/json.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifdef SANITIZED
#include <sanitizer/allocator_interface.h>
#define HOURS 3 /* each costs ten times as much */
#else
#include <malloc.h>
#define HOURS 24
#endif

#define RECORDING "tests/fixtures/show/demo.ndjson"
#define HOUR_MS 3600e3
#define PAUSE_MS 2000
#define LOOK_MAX (4 * MIB)

/* The newest commands are remembered, and they differ in length. */
#define SWAY (256 * KIB)

struct day {
	struct theatre *theatre;
	yyjson_doc *lines[256];
	size_t count;
	double now_ms;
	uint64_t seq, commands;
	unsigned rounds;
	uint64_t version;
};

static size_t bytes_in_use(void)
{
#ifdef SANITIZED
	return __sanitizer_get_current_allocated_bytes();
#else
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
#endif
}

static void take(void *self, uint64_t version, double at_ms, struct text json)
{
	struct day *day = self;

	assert_true(version > day->version && at_ms <= day->now_ms);
	day->version = version;
	day->commands++;
}

static void ignore(void *self)
{
}

static void read_recording(struct day *day)
{
	FILE *file = fopen(RECORDING, "re");
	char *line = NULL;
	size_t room = 0;
	ssize_t len;

	if (!file)
		fail_msg("no " RECORDING);
	while ((len = getline(&line, &room, file)) > 0) {
		assert_in_range(day->count, 0, 255);
		day->lines[day->count] = yyjson_read(line, (size_t)len, 0);
		assert_non_null(day->lines[day->count++]);
	}
	assert_in_range(day->count, 50, 255);
	free(line);
	fclose(file);
}

static void start(struct day *day)
{
	const struct theatre_options options = {day, take, ignore};

	*day = (struct day){.now_ms = 1.7e12};
	read_recording(day);
	day->theatre = theatre_create(&options, day->now_ms);
}

static void stop(struct day *day)
{
	theatre_destroy(day->theatre);
	for (size_t i = 0; i < day->count; i++)
		yyjson_doc_free(day->lines[i]);
}

/* What is due before is done at its own time. */
static void pass_time(struct day *day, double until_ms)
{
	double due;

	while ((due = theatre_next(day->theatre)) <= until_ms) {
		assert_true(due >= day->now_ms);
		day->now_ms = due;
		theatre_tick(day->theatre, due);
	}
	day->now_ms = until_ms;
}

static void hear(struct day *day, const char *type, const char *run, const char *payload)
{
	char *line = must_print("{\"seq\":%llu,\"payload\":%s}", (unsigned long long)++day->seq,
	                        payload);
	const struct signal s = {
		.seq = day->seq,
		.line = text_of(line),
		.type = text_of(type),
		.source = TEXT("demo"),
		.correlation = text_of(run),
		.at_ms = day->now_ms,
	};

	theatre_hear(day->theatre, &s, day->now_ms);
	free(line);
}

static void become(struct day *day, const char *who, const char *state, const char *run)
{
	char *payload = must_print("{\"agentId\":\"%s\",\"from\":\"x\",\"to\":\"%s\"}", who, state);

	hear(day, "agent_state_change", run, payload);
	free(payload);
}

static void play_round(struct day *day)
{
	char *run = must_print("demo-%u", day->rounds);
	char *guest = must_print("guest-%u", day->rounds++);
	double begun = day->now_ms, first = NAN;

	become(day, guest, "thinking", run);
	for (size_t i = 0; i < day->count; i++) {
		yyjson_val *root = yyjson_doc_get_root(day->lines[i]);
		double at = yyjson_get_num(yyjson_obj_get(root, "timestamp"));
		char *payload = yyjson_val_write(yyjson_obj_get(root, "payload"), 0, NULL);

		first = isnan(first) ? at : first;
		pass_time(day, begun + at - first);
		hear(day, yyjson_get_str(yyjson_obj_get(root, "type")), run, payload);
		free(payload);
	}
	become(day, guest, "done", run);
	pass_time(day, day->now_ms + PAUSE_MS);
	free(guest);
	free(run);
}

static void play_until(struct day *day, double until_ms)
{
	while (day->now_ms < until_ms)
		play_round(day);
}

/* As many runs and names as are remembered, so that there is nothing left to fill. */
static void fill_memory(struct day *day)
{
	for (unsigned i = 0; i < THEATRE_EPISODES; i++) {
		char *run = must_print("earlier-%u", i);

		pass_time(day, day->now_ms + 10);
		become(day, run, "thinking", run);
		free(run);
	}
}

static void a_day_of_the_demo_leaves_nothing_behind(void **state)
{
	struct day day;
	size_t before, after;
	double begun;

	start(&day);
	fill_memory(&day);
	begun = day.now_ms;
	play_until(&day, begun + HOUR_MS);
	before = bytes_in_use();
	play_until(&day, begun + HOURS * HOUR_MS);
	after = bytes_in_use();
	if (after > before + SWAY)
		fail_msg("%zu bytes after an hour, %zu after a day", before, after);
	assert_true(theatre_stats(day.theatre).skipped == 0);
	assert_true(theatre_stats(day.theatre).refused == 0);
	assert_true(theatre_stats(day.theatre).processed > day.rounds * 50);
	pass_time(&day, day.now_ms + 60e3);
	assert_int_equal(theatre_stats(day.theatre).active, 0);
	assert_true(isinf(theatre_next(day.theatre)));
	stop(&day);
}

static size_t count_of(struct text all, const char *part)
{
	size_t count = 0, len = strlen(part);
	const char *at = all.at, *end = all.at + all.len;

	while ((at = memmem(at, (size_t)(end - at), part, len))) {
		at += len;
		count++;
	}
	return count;
}

/* Ada and Bela come back in each round; guests come once, and go when others need
 * their place. */
static void who_comes_back_is_the_same_character(void **state)
{
	struct day day;
	struct buf look;

	start(&day);
	buf_init(&look, LOOK_MAX);
	for (unsigned i = 0; i < 40; i++) {
		play_round(&day);
		buf_clear(&look);
		theatre_look(day.theatre, day.now_ms, &look);
		assert_int_equal(count_of(buf_text(&look), "\"label\":\"ada\""), 1);
		assert_int_equal(count_of(buf_text(&look), "\"label\":\"bela\""), 1);
		assert_int_equal(
			count_of(buf_text(&look), "\"id\":\"stand-in-2\",\"semanticId\":\"ada\""),
			1);
	}
	assert_int_equal(count_of(buf_text(&look), "\"label\":\"guest-39\""), 1);
	assert_int_equal(count_of(buf_text(&look), "\"label\":\"guest-0\""), 0);
	buf_finish(&look);
	stop(&day);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_day_of_the_demo_leaves_nothing_behind),
		cmocka_unit_test(who_comes_back_is_the_same_character),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

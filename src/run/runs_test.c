/* runs_test.c - frames and their numbers, followed, saved, forgotten and made again. */
#include "run/runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/must.h"
#include "journal/reader.h"
#include "run/fixture.h"
#include "run/replay.h"

static struct runs *runs;
static unsigned news;

static void has_news(void *self)
{
	news++;
}

static struct runs *fresh(void)
{
	static const struct runs_options o = {.news = has_news};

	return runs_create(&o);
}

static void begin(void)
{
	runs = fresh();
	runs_join(runs, bus_folds(fixture_bus));
}

/* They go on from the checkpoint. */
static void restart(void)
{
	fixture_restart();
	runs_destroy(runs);
	begin();
}

static int set_up(void **state)
{
	fixture_open(64 * MIB, 0);
	begin();
	news = 0;
	return 0;
}

/* A journal that forgets. */
static int set_up_short(void **state)
{
	fixture_open(64 * KIB, 256 * KIB);
	begin();
	return 0;
}

static int tear_down(void **state)
{
	fixture_close();
	runs_destroy(runs);
	return 0;
}

static void say(const char *run, const char *type, const char *payload)
{
	char *raw = must_print("{\"type\":\"%s\",\"source\":\"me\",\"correlationId\":\"%s\","
	                       "\"timestamp\":7,\"payload\":%s}",
	                       type, run, payload);

	fixture_emit(raw);
	free(raw);
}

static void say_frame(const char *run, const char *frame)
{
	char *raw = must_print("{\"type\":\"x\",\"source\":\"me\",\"correlationId\":\"%s\","
	                       "\"timestamp\":7,\"payload\":{},\"metadata\":{\"origin\":"
	                       "{\"dialect\":\"run\",\"frame\":%s}}}",
	                       run, frame);

	fixture_emit_as(raw, false, true);
	free(raw);
}

static void words(const char *run, unsigned n)
{
	char payload[64];

	snprintf(payload, sizeof(payload), "{\"agentId\":\"a\",\"content\":\"%u\"}", n);
	say(run, "text_delta", payload);
}

static void wait_for_disk(void)
{
	journal_wait(fixture_journal, 10);
	journal_poll(fixture_journal);
}

/* All there is, cold files too. */
static void follow(void)
{
	fixture_settle();
	for (unsigned i = 0; !runs_reach(runs); i++) {
		assert_true(i < 10000);
		wait_for_disk();
	}
	assert_int_equal(runs_seq(runs), journal_last_seq(fixture_journal));
}

static void hear_lines(struct runs *all, struct journal_reader *from, struct text lines)
{
	struct signal_reader *reader = signal_reader_create();
	struct signal s;

	while (lines.len) {
		struct text line = text_cut(lines, '\n', &lines);

		assert_true(signal_read(reader, line, &s, NULL));
		runs_hear(all, &s);
		journal_reader_take(from, line.len + 1, s.seq + 1);
	}
	signal_reader_destroy(reader);
}

/* The same from the first signal on, without a checkpoint. */
static void hear_all(struct runs *all)
{
	struct journal_reader *from = journal_reader_create(fixture_journal, 0);
	enum journal_news told;
	struct text lines;
	struct gap gap;

	while ((told = journal_read(from, MIB, &lines, &gap)) != JOURNAL_END) {
		if (told == JOURNAL_LINES)
			hear_lines(all, from, lines);
		else
			wait_for_disk();
	}
	journal_reader_destroy(from);
}

/* Every frame that is kept, as screens of all runs get it, or of one. */
static char *shown(const struct runs *all, uint64_t at, const struct run *run)
{
	struct run_frame f;
	struct buf out;
	char *copy;

	buf_init(&out, 64 * MIB);
	for (; runs_frame(all, at, &f); at = f.at + 1) {
		if (run && f.run != run)
			continue;
		run_frame_add(&f, !run, &out);
		buf_add_char(&out, '\n');
	}
	copy = text_dup(buf_text(&out));
	buf_finish(&out);
	return copy;
}

static char *replayed(const char *run, bool has_after, uint64_t after)
{
	struct run_replay_options o = {
		.journal = fixture_journal,
		.run = text_of(run),
		.first_seq = 1,
		.has_after = has_after,
		.after = after,
	};
	struct run_replay *r = run_replay_create(&o);
	enum run_replay_news told;
	struct run_frame f;
	struct buf out;
	char *copy;
	size_t budget;

	buf_init(&out, 64 * MIB);
	do {
		budget = 1000;
		told = run_replay_next(r, journal_last_seq(fixture_journal), &budget, &f);
		if (told == REPLAY_FRAME) {
			run_frame_add(&f, false, &out);
			buf_add_char(&out, '\n');
		} else if (told == REPLAY_COLD) {
			wait_for_disk();
		}
	} while (told != REPLAY_END);
	run_replay_destroy(r);
	copy = text_dup(buf_text(&out));
	buf_finish(&out);
	return copy;
}

/* --- tests ----------------------------------------------------------------- */

static void frames_are_numbered_twice_without_holes(void **state)
{
	uint64_t merged = 0, own[2] = {0};
	struct run_frame f;

	for (unsigned i = 0; i < 50; i++)
		words(i % 3 ? "one" : "two", i);
	runs_reach(runs);
	assert_true(runs_seq(runs) <= journal_durable_seq(fixture_journal));
	follow();
	assert_true(news > 0);
	for (uint64_t at = 0; runs_frame(runs, at, &f); at = f.at + 1) {
		assert_true(f.pieces.is_numbered);
		assert_int_equal(f.at, at);
		assert_int_equal(f.number, ++merged);
		assert_int_equal(f.own, ++own[f.run->id[0] == 't']);
	}
	assert_int_equal(merged, 52); /* and a start each */
	assert_int_equal(runs_head(runs), 52);
	assert_int_equal(runs_find(runs, TEXT("one"))->frames, own[0]);
	assert_null(runs_find(runs, TEXT("three")));
}

static void an_agents_own_numbers_are_its_own(void **state)
{
	const struct run *run;
	struct run_frame f;
	uint64_t at;
	char *text;

	words("other", 1);
	say_frame("r", "{\"kind\":\"event\",\"seq\":0,\"event\":\"llm/start\"}");
	say_frame("r", "{\"kind\":\"phase\",\"config\":[\"x\"]}");
	say_frame("r", "{\"kind\":\"event\",\"seq\":1,\"event\":\"e\"}");
	say_frame("r", "{\"kind\":\"debug\",\"paused\":true,\"extra\":1}");
	say_frame("r", "{\"kind\":\"control\",\"op\":\"run-finished\",\"final-config\":\"[]\"}");
	follow();
	run = runs_find(runs, TEXT("r"));
	assert_int_equal(run->frames, 1);
	text = shown(runs, 0, run);
	assert_string_equal(
		text, "{\"kind\":\"event\",\"seq\":0,\"event\":\"llm/start\"}\n"
		      "{\"kind\":\"phase\",\"config\":[\"x\"]}\n"
		      "{\"kind\":\"event\",\"seq\":1,\"event\":\"e\"}\n"
		      "{\"kind\":\"debug\",\"paused\":true,\"extra\":1}\n"
		      "{\"kind\":\"control\",\"op\":\"run-finished\",\"final-config\":\"[]\"}\n");
	free(text);
	assert_true(runs_place(runs, NULL, 4, &at));
	assert_true(runs_frame(runs, at - 1, &f));
	text = shown(runs, f.at, NULL);
	assert_true(
		text_starts(text_of(text), TEXT("{\"run\":\"r\",\"kind\":\"event\",\"seq\":4,")));
	free(text);
	assert_string_equal(run->phase, "{\"kind\":\"phase\",\"config\":[\"x\"]}");
	assert_string_equal(run->debug, "{\"kind\":\"debug\",\"paused\":true,\"extra\":1}");
	assert_non_null(run->finished);
	assert_true(run->fold.debug.paused && run->fold.finished);
	say_frame("r", "{\"kind\":\"event\",\"seq\":2,\"event\":\"runner/started\"}");
	follow();
	assert_true(!run->finished || !*run->finished);
}

static void a_place_is_found_by_its_number(void **state)
{
	const struct run *one;
	struct run_frame f;
	uint64_t at;

	for (unsigned i = 0; i < 20; i++)
		words(i % 2 ? "one" : "two", i);
	follow();
	one = runs_find(runs, TEXT("one"));
	assert_true(runs_place(runs, NULL, 5, &at));
	assert_true(runs_frame(runs, at, &f));
	assert_int_equal(f.number, 6);
	assert_true(runs_place(runs, one, 5, &at));
	while (runs_frame(runs, at, &f) && f.run != one)
		at = f.at + 1;
	assert_int_equal(f.own, 6);
	assert_true(runs_place(runs, NULL, 22, &at));
	assert_int_equal(at, runs_head(runs));
	assert_false(runs_place(runs, NULL, 23, &at));
	assert_false(runs_place(runs, one, 99, &at));
	assert_int_equal(runs_back(runs, NULL, 3), runs_head(runs) - 3);
	assert_true(runs_frame(runs, runs_back(runs, one, 3), &f));
	assert_true(f.run == one && f.own == 9);
	assert_int_equal(runs_back(runs, NULL, 1000), 0);
}

static void tell_story(unsigned part)
{
	static const char *const types[] = {"task_dispatch", "text_delta", "thinking",
	                                    "token_usage",   "tool_call",  "agent_state_change",
	                                    "error",         "completion", "whatever"};
	char run[8], payload[160];

	for (unsigned i = part * 40; i < part * 40 + 40; i++) {
		snprintf(run, sizeof(run), "r%u", i % 3);
		snprintf(payload, sizeof(payload),
		         "{\"agentId\":\"a%u\",\"content\":\"w%u\",\"from\":\"idle\",\"to\":\"%s\","
		         "\"taskId\":\"t\",\"success\":%s,\"toolName\":\"x\",\"message\":\"m\"}",
		         i % 2, i, i % 5 ? "acting" : "waiting", i % 4 ? "true" : "false");
		say(run, types[(i * 7 + i / 5) % 9], payload);
	}
	say_frame("d",
	          "{\"kind\":\"event\",\"event\":\"llm/start\",\"data\":{\"invokeid\":\"i\"}}");
}

static void numbers_are_the_same_after_a_restart_and_from_zero(void **state)
{
	for (unsigned part = 0; part < 4; part++) {
		tell_story(part);
		if (part != 2) /* then it is not at the end when it is saved */
			follow();
		restart();
	}
	follow();
	{
		struct runs *zero = fresh();
		struct run_frame one, two;
		uint64_t at = runs_back(runs, NULL, 100);
		struct buf a, b;

		hear_all(zero);
		assert_int_equal(runs_head(zero), runs_head(runs));
		for (; runs_frame(runs, at, &one); at++) {
			assert_true(runs_frame(zero, at, &two));
			assert_int_equal(one.number, two.number);
			assert_int_equal(one.own, two.own);
			buf_init(&a, MIB);
			buf_init(&b, MIB);
			run_frame_add(&one, true, &a);
			run_frame_add(&two, true, &b);
			assert_true(text_equal(buf_text(&a), buf_text(&b)));
			buf_finish(&a);
			buf_finish(&b);
		}
		for (const char *id = "r0\0r1\0r2\0d\0"; *id; id += strlen(id) + 1) {
			const struct run *x = runs_find(runs, text_of(id));
			const struct run *y = runs_find(zero, text_of(id));

			buf_init(&a, MIB);
			buf_init(&b, MIB);
			run_json(x, &a);
			run_json(y, &b);
			buf_add_char(&a, '\0');
			buf_add_char(&b, '\0');
			assert_string_equal(a.at, b.at);
			buf_finish(&a);
			buf_finish(&b);
		}
		runs_destroy(zero);
	}
}

static void a_replay_tells_what_was_told_live(void **state)
{
	const struct run *run;
	char *live, *again;
	uint64_t at;

	for (unsigned part = 0; part < 3; part++)
		tell_story(part);
	follow();
	run = runs_find(runs, TEXT("r1"));
	live = shown(runs, 0, run);
	again = replayed("r1", false, 0);
	assert_string_equal(again, live);
	free(live);
	free(again);
	assert_true(runs_place(runs, run, 10, &at));
	live = shown(runs, at, run);
	again = replayed("r1", true, 10);
	/* What has no number and stands between 10 and 11 is told by one of them only. */
	assert_non_null(strstr(live, again));
	assert_true(strlen(again) + 400 > strlen(live));
	free(live);
	free(again);
	again = replayed("nobody", false, 0);
	assert_string_equal(again, "");
	free(again);
}

static void what_is_kept_has_a_ceiling(void **state)
{
	struct run_frame f;
	char run[32], *payload = must_alloc(40000);
	struct buf saved;

	for (unsigned i = 0; i < RUNS_MAX + 100; i++) {
		snprintf(run, sizeof(run), "many-%u", i);
		words(run, i);
	}
	follow();
	assert_null(runs_find(runs, TEXT("many-0")));
	assert_non_null(runs_find(runs, TEXT("many-100")));
	assert_true(runs_frame(runs, 0, &f));
	assert_string_equal(f.run->id, "many-0"); /* forgotten, and its frames are here */
	snprintf(payload, 40000, "{\"agentId\":\"a\",\"content\":\"%0*d\"}", 30000, 1);
	for (unsigned i = 0; i < 400; i++)
		say("big", "text_delta", payload);
	follow();
	assert_true(runs_frame(runs, 0, &f));
	assert_true(f.at > RUNS_MAX);
	assert_int_equal(f.run->id[0], 'b');
	buf_init(&saved, 64 * MIB);
	for (runs_save_begin(runs); runs_save_more(runs, &saved);)
		;
	assert_true(saved.len < RUNS_SAVED_MAX + 4 * MIB);
	buf_finish(&saved);
	free(payload);
}

/* One of so many numbers, from 0 on; the same ones each time. */
static unsigned draw(unsigned count)
{
	static uint32_t drawn = 7;

	drawn = drawn * 1664525 + 1013904223;
	return (drawn >> 16) % count;
}

/* Something is heard of one of so many runs: words, long ones too, thoughts or the end. */
static void hear_something(struct signal_reader *lines, unsigned runs_count)
{
	static const char *const types[] = {"text_delta", "text_delta", "thinking", "completion"};
	static uint64_t seq;
	struct signal s;
	char *line = must_print("{\"seq\":%llu,\"id\":\"i\",\"type\":\"%s\",\"timestamp\":7,"
	                        "\"source\":\"me\",\"correlationId\":\"some-%u\",\"payload\":"
	                        "{\"agentId\":\"a%u\",\"content\":\"%0*d \\\"\",\"sessionKey\":"
	                        "\"k%u\"}}",
	                        (unsigned long long)++seq, types[draw(4)], draw(runs_count),
	                        draw(3), draw(8) ? 5 : 3000, 1, draw(5));

	assert_true(signal_read(lines, text_of(line), &s, NULL));
	runs_hear(runs, &s);
	free(line);
}

static void save_in_one(struct buf *out)
{
	buf_clear(out);
	for (runs_save_begin(runs); runs_save_more(runs, out);)
		;
}

/* In pieces, while they go on speaking: as it was when that began. */
static void save_among_signals(struct signal_reader *lines, struct buf *out, unsigned signals,
                               unsigned runs_count)
{
	bool more = true;

	buf_clear(out);
	runs_save_begin(runs);
	while (more) {
		size_t was = out->len;

		for (unsigned n = draw(signals + 1); n > 0; n--)
			hear_something(lines, runs_count);
		more = runs_save_more(runs, out);
		assert_true(!more || out->len - was <= 64 * KIB);
	}
}

static void what_is_saved_is_of_the_moment_when_that_began(void **state)
{
	static const struct {
		unsigned runs, signals;
	} floods[] = {{3, 20}, {300, 3}, {RUNS_MAX + 300, 60}, {7, 2000}};
	struct signal_reader *lines = signal_reader_create();
	struct buf whole, pieces;

	buf_init(&whole, 64 * MIB);
	buf_init(&pieces, 64 * MIB);
	for (size_t i = 0; i < sizeof(floods) / sizeof(*floods); i++) {
		for (unsigned n = 0; n < 4 * floods[i].runs; n++)
			hear_something(lines, floods[i].runs);
		save_in_one(&whole);
		save_among_signals(lines, &pieces, floods[i].signals, floods[i].runs);
		assert_int_equal(pieces.len, whole.len);
		assert_memory_equal(pieces.at, whole.at, whole.len);
	}
	runs_save_begin(runs); /* and is not gone on with */
	hear_something(lines, 3);
	buf_finish(&whole);
	buf_finish(&pieces);
	signal_reader_destroy(lines);
}

static void what_retention_took_is_passed_over(void **state)
{
	struct run_replay_options o = {.run = TEXT("r"), .first_seq = 2};
	enum run_replay_news told;
	struct run_replay *r;
	unsigned lost = 0, frames = 0;
	struct run_frame f;
	size_t budget;

	for (unsigned i = 0; i < 20000; i++) {
		words("r", i);
		if (i % 500 == 0)
			fixture_settle();
	}
	follow();
	assert_true(journal_first_seq(fixture_journal) > 1);
	assert_int_equal(runs_seq(runs), 20000);
	o.journal = fixture_journal;
	r = run_replay_create(&o);
	do {
		budget = 64 * KIB;
		told = run_replay_next(r, journal_last_seq(fixture_journal), &budget, &f);
		lost += told == REPLAY_LOST;
		frames += told == REPLAY_FRAME;
		if (told == REPLAY_COLD)
			wait_for_disk();
	} while (told != REPLAY_END);
	assert_int_equal(lost, 1);
	assert_int_equal(frames, 20000 - journal_first_seq(fixture_journal) + 2);
	run_replay_destroy(r);
}

/* Nobody has looked at the runs since it began. */
static void an_id_is_free_until_a_run_has_it(void **state)
{
	struct error why;

	assert_true(runs_is_free(runs, TEXT("mine"), &why));
	words("mine", 1);
	fixture_settle();
	assert_false(runs_is_free(runs, TEXT("mine"), &why));
	assert_string_equal(why.words, "there is a run 'mine' already");
	assert_true(runs_is_free(runs, TEXT("mine!"), &why));
}

static void a_damaged_checkpoint_begins_anew(void **state)
{
	static const char *const bad[] = {"", "{", "[]", "{\"runs\":[1,{}],\"frames\":[{},2]}"};

	words("r", 1);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct runs *again = fresh();
		uint64_t seq;

		runs_load(again, text_of(bad[i]), &seq);
		hear_all(again);
		assert_int_equal(runs_head(again), 2);
		runs_destroy(again);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(frames_are_numbered_twice_without_holes),
		TEST(an_agents_own_numbers_are_its_own),
		TEST(a_place_is_found_by_its_number),
		TEST(numbers_are_the_same_after_a_restart_and_from_zero),
		TEST(a_replay_tells_what_was_told_live),
		TEST(what_is_kept_has_a_ceiling),
		TEST(what_is_saved_is_of_the_moment_when_that_began),
		cmocka_unit_test_setup_teardown(what_retention_took_is_passed_over, set_up_short,
	                                        tear_down),
		TEST(an_id_is_free_until_a_run_has_it),
		TEST(a_damaged_checkpoint_begins_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

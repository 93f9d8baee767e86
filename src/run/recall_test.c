/* recall_test.c - what runs have said: kept, saved, let go and made again, and in which session. */
#include "run/recall.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/must.h"
#include "bus/folds.h"
#include "run/fixture.h"
#include "run/inside.h"
#include "run/sessions.h"

static struct runs *runs;
static uint64_t now_ms = 1000000;

static void begin(void)
{
	runs = runs_create(&(struct runs_options){.journal = fixture_journal});
	runs_join(runs, bus_folds(fixture_bus));
}

static int set_up(void **state)
{
	fixture_open(64 * MIB, 0);
	begin();
	return 0;
}

static int set_up_short(void **state)
{
	fixture_open(64 * KIB, 256 * KIB);
	begin();
	return 0;
}

static int tear_down(void **state)
{
	recall_close(runs);
	fixture_close();
	runs_destroy(runs);
	return 0;
}

static void restart(void)
{
	recall_close(runs);
	fixture_restart();
	runs_destroy(runs);
	begin();
}

static void say(const char *run, const char *type, const char *payload)
{
	char *raw = must_print("{\"type\":\"%s\",\"source\":\"me\",\"correlationId\":\"%s\","
	                       "\"timestamp\":7,\"payload\":%s}",
	                       type, run, payload);

	fixture_emit(raw);
	free(raw);
}

static void wait_for_disk(void)
{
	journal_wait(fixture_journal, 10);
	journal_poll(fixture_journal);
}

static void follow(void)
{
	fixture_settle();
	for (unsigned i = 0; !runs_reach(runs); i++) {
		assert_true(i < 10000);
		wait_for_disk();
	}
}

static const struct said *said_of(const char *id)
{
	struct run *run = runs_find(runs, text_of(id));
	const struct said *said;

	assert_non_null(run);
	for (unsigned i = 0; !(said = run_said(runs, run)); i++) {
		assert_true(i < 10000);
		if (!recall_turn(runs, now_ms))
			wait_for_disk();
	}
	return said;
}

static char *saved(const char *run)
{
	struct buf out;
	char *copy;

	buf_init(&out, 256 * MIB);
	said_save(said_of(run), &out);
	copy = text_dup(buf_text(&out));
	buf_finish(&out);
	return copy;
}

static bool is_kept(const char *run)
{
	return runs_find(runs, text_of(run))->said != NULL;
}

static void let_go(const char *run)
{
	recall_forget(runs, runs_find(runs, text_of(run)));
	assert_false(is_kept(run));
}

/* Pieces of 64 KiB, and a tool after each third. */
static void talk(const char *run, unsigned pieces)
{
	char *words = must_zero(1, 64 * KIB + 1);
	char *payload;

	memset(words, 'x', 64 * KIB);
	for (unsigned i = 0; i < pieces; i++) {
		payload = must_print("{\"agentId\":\"a\",\"content\":\"%u %s\"}", i, words);
		say(run, "text_delta", payload);
		free(payload);
		if (i % 3 == 2)
			say(run, "tool_call", "{\"agentId\":\"a\",\"toolName\":\"Read\"}");
	}
	free(words);
}

static void end_run(const char *run)
{
	say(run, "completion", "{\"agentId\":\"a\",\"taskId\":\"t\",\"success\":true}");
}

static void a_restart_keeps_what_was_said(void **state)
{
	char *before, *after;

	talk("one", 4);
	say("two", "thinking", "{\"agentId\":\"a\",\"content\":\"h\"}");
	follow();
	before = saved("one");
	restart();
	assert_true(is_kept("one"));
	assert_true(is_kept("two"));
	after = saved("one");
	assert_string_equal(after, before);
	free(before);
	free(after);
	/* And it goes on where it was. */
	say("two", "thinking", "{\"agentId\":\"a\",\"content\":\"m\"}");
	follow();
	assert_int_equal(said_of("two")->message_count, 1);
}

/* What is too much for a checkpoint is made again. */
static void what_was_not_saved_is_made_again(void **state)
{
	char *before, *after;

	talk("big", RECALL_SAVED_MAX / (64 * KIB) + 8);
	say("small", "text_delta", "{\"agentId\":\"a\",\"content\":\"hi\"}");
	follow();
	before = saved("big");
	restart();
	assert_false(is_kept("big"));
	assert_true(is_kept("small"));
	assert_null(run_said(runs, runs_find(runs, TEXT("big"))));
	/* It goes on meanwhile. */
	recall_turn(runs, now_ms);
	after = saved("big");
	assert_string_equal(after, before);
	assert_true(is_kept("big"));
	free(before);
	free(after);
	talk("big", 1);
	follow();
	assert_int_equal(said_of("big")->is_lost, false);
}

/* As it was folded from the journal by one who was there all the time. */
static char *saved_by_another(const char *run)
{
	struct folds *folds = folds_create(fixture_journal);
	struct runs *kept = runs;
	char *copy;

	runs = runs_create(&(struct runs_options){0});
	runs_join(runs, folds);
	follow();
	copy = saved(run);
	runs_destroy(runs);
	folds_destroy(folds);
	runs = kept;
	return copy;
}

static void one_that_speaks_while_it_is_made_again_misses_nothing(void **state)
{
	char *live, *again;
	struct run *run;

	talk("big", RECALL_SAVED_MAX / (64 * KIB) + 8);
	follow();
	let_go("big");
	run = runs_find(runs, TEXT("big"));
	for (unsigned i = 0; i < 50 && !run_said(runs, run); i++) {
		recall_turn(runs, now_ms);
		say("big", "text_delta", "{\"agentId\":\"a\",\"content\":\"more\"}");
		follow();
	}
	again = saved("big");
	live = saved_by_another("big");
	assert_string_equal(again, live);
	free(live);
	free(again);
}

/* More of them, until that one is let go. */
static void talk_until_gone(const char *prefix, const char *run, bool ends)
{
	char name[16];

	for (unsigned i = 0; i < 48 && is_kept(run); i++) {
		snprintf(name, sizeof(name), "%s-%u", prefix, i);
		talk(name, 40);
		if (ends)
			end_run(name);
		follow();
	}
	assert_false(is_kept(run));
}

static void finished_runs_are_let_go_first(void **state)
{
	talk("quiet", 40);
	talk("done", 40);
	end_run("done");
	follow();
	talk_until_gone("more", "done", true);
	assert_true(is_kept("quiet"));
	/* Then the one that was quiet for longest. */
	talk_until_gone("open", "quiet", false);
	assert_int_equal(said_of("done")->message_count, 14);
	assert_true(is_kept("done"));
}

static void what_retention_took_is_said_to_be_lost(void **state)
{
	say("old", "text_delta", "{\"agentId\":\"a\",\"content\":\"first\"}");
	for (unsigned i = 0; i < 40; i++)
		say("other", "x", "{}");
	talk("other", 12);
	say("old", "text_delta", "{\"agentId\":\"a\",\"content\":\"last\"}");
	follow();
	restart();
	let_go("old");
	assert_true(said_of("old")->is_lost);
	assert_int_equal(said_of("old")->message_count, 1);
}

static void a_run_of_which_nothing_is_left_is_lost(void **state)
{
	say("old", "text_delta", "{\"agentId\":\"a\",\"content\":\"all\"}");
	follow();
	talk("other", 12);
	follow();
	restart();
	let_go("old");
	assert_true(said_of("old")->is_lost);
	assert_int_equal(said_of("old")->message_count, 0);
}

static void no_more_than_some_are_made_again_at_once(void **state)
{
	char name[16];

	for (unsigned i = 0; i < 2 * RECALL_MAX; i++) {
		snprintf(name, sizeof(name), "run-%u", i);
		talk(name, 40);
	}
	follow();
	restart();
	for (unsigned round = 0; round < 10000; round++) {
		unsigned kept = 0;

		for (unsigned i = 0; i < 2 * RECALL_MAX; i++) {
			snprintf(name, sizeof(name), "run-%u", i);
			kept += run_said(runs, runs_find(runs, text_of(name))) != NULL;
		}
		if (kept == 2 * RECALL_MAX)
			return;
		if (!recall_turn(runs, now_ms))
			wait_for_disk();
	}
	fail_msg("they were never all there");
}

static void read_to_the_end(void)
{
	for (unsigned turn = 0; turn < 1000; turn++)
		if (!recall_turn(runs, now_ms))
			wait_for_disk();
}

/* Whoever was told to ask again has some time for it. */
static void one_that_nobody_asks_for_is_dropped_at_last(void **state)
{
	struct run *run;

	talk("left", 40);
	follow();
	restart();
	let_go("left");
	run = runs_find(runs, TEXT("left"));
	assert_null(run_said(runs, run));
	read_to_the_end();
	now_ms += 20000;
	recall_turn(runs, now_ms);
	assert_non_null(run_said(runs, run));
	let_go("left");
	assert_null(run_said(runs, run));
	recall_turn(runs, now_ms);
	now_ms += 31000;
	recall_turn(runs, now_ms);
	assert_int_equal(runs->recall_count, 0);
	assert_int_equal(runs->said_size, 0);
}

/* ---- sessions ---- */

static void tell(const char *run, const char *key)
{
	char *payload = must_print("{\"agentId\":\"a\",\"from\":\"idle\",\"to\":\"acting\","
	                           "\"sessionKey\":\"%s\"}",
	                           key);

	say(run, "agent_state_change", payload);
	free(payload);
}

static void session_is(const char *source, const char *key, const char *want)
{
	const struct run_session *session = runs_session(runs, text_of(source), text_of(key));
	struct buf out;

	buf_init(&out, MIB);
	if (session)
		run_session_json(session, 2, &out);
	buf_add_char(&out, '\0');
	assert_string_equal(out.at, want);
	buf_finish(&out);
}

static void runs_of_one_session_are_together(void **state)
{
	for (unsigned i = 0; i < 2; i++) {
		if (i == 0) {
			tell("r1", "k");
			tell("r2", "k");
			tell("r3", "k");
			tell("r1", "k");
			tell("r4", "other");
			fixture_emit(
				"{\"type\":\"task_dispatch\",\"source\":\"user\","
				"\"correlationId\":\"r5\",\"timestamp\":7,"
				"\"metadata\":{\"sourceId\":\"gpt\",\"session\":\"k\","
				"\"spawnedBy\":\"p\"},"
				"\"payload\":{\"taskId\":\"t\",\"from\":\"user\",\"to\":\"m\"}}");
		}
		follow();
		session_is("me", "k", "{\"source\":\"me\",\"key\":\"k\",\"runs\":[\"r2\",\"r3\"]}");
		session_is("me", "other",
		           "{\"source\":\"me\",\"key\":\"other\",\"runs\":[\"r4\"]}");
		session_is("gpt", "k", "{\"source\":\"gpt\",\"key\":\"k\",\"runs\":[\"r5\"]}");
		assert_string_equal(runs_find(runs, TEXT("r5"))->spawned_by, "p");
		restart();
	}
	/* One that says another moves there. */
	tell("r4", "k");
	follow();
	session_is("me", "k", "{\"source\":\"me\",\"key\":\"k\",\"runs\":[\"r3\",\"r4\"]}");
	session_is("me", "other", "");
}

static void sessions_of_one_key_are_found_without_their_source(void **state)
{
	const struct run_session *newest;

	tell("r1", "k");
	fixture_emit("{\"type\":\"task_dispatch\",\"source\":\"user\",\"correlationId\":\"r5\","
	             "\"timestamp\":7,\"metadata\":{\"sourceId\":\"gpt\",\"session\":\"k\"},"
	             "\"payload\":{\"taskId\":\"t\",\"from\":\"user\",\"to\":\"m\"}}");
	follow();
	newest = runs_session_of_any(runs, TEXT("k"));
	assert_string_equal(newest->source, "gpt");
	assert_string_equal(newest->older->source, "me");
	assert_null(newest->older->older);
	assert_null(runs_session_of_any(runs, TEXT("other")));
	tell("r1", "other");
	follow();
	newest = runs_session_of_any(runs, TEXT("k"));
	assert_string_equal(newest->source, "gpt");
	assert_null(newest->older);
	assert_non_null(runs_session_of_any(runs, TEXT("other")));
}

/* Who has no credential neither joins the session of another nor takes a run out of it. */
static void strangers_stay_apart(void **state)
{
	tell("r1", "k");
	fixture_emit("{\"type\":\"task_dispatch\",\"source\":\"local/x\",\"correlationId\":\"r2\","
	             "\"timestamp\":7,\"metadata\":{\"sourceId\":\"me\",\"session\":\"k\"},"
	             "\"payload\":{\"taskId\":\"t\",\"from\":\"x\",\"to\":\"m\"}}");
	fixture_emit("{\"type\":\"agent_state_change\",\"source\":\"local/x\","
	             "\"correlationId\":\"r1\",\"timestamp\":7,\"payload\":{\"agentId\":\"a\","
	             "\"from\":\"acting\",\"to\":\"thinking\",\"sessionKey\":\"k\"}}");
	follow();
	session_is("me", "k", "{\"source\":\"me\",\"key\":\"k\",\"runs\":[\"r1\"]}");
	session_is("local/x", "k", "{\"source\":\"local/x\",\"key\":\"k\",\"runs\":[\"r2\"]}");
}

int main(void)
{
#define RECALL_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		RECALL_TEST(a_restart_keeps_what_was_said),
		RECALL_TEST(what_was_not_saved_is_made_again),
		RECALL_TEST(one_that_speaks_while_it_is_made_again_misses_nothing),
		RECALL_TEST(finished_runs_are_let_go_first),
		cmocka_unit_test_setup_teardown(what_retention_took_is_said_to_be_lost,
	                                        set_up_short, tear_down),
		cmocka_unit_test_setup_teardown(a_run_of_which_nothing_is_left_is_lost,
	                                        set_up_short, tear_down),
		RECALL_TEST(no_more_than_some_are_made_again_at_once),
		RECALL_TEST(one_that_nobody_asks_for_is_dropped_at_last),
		RECALL_TEST(runs_of_one_session_are_together),
		RECALL_TEST(sessions_of_one_key_are_found_without_their_source),
		RECALL_TEST(strangers_stay_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

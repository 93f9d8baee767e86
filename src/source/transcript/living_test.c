/* living_test.c - what opens a session, and what ends it. */
#include "source/transcript/living.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/buf.h"
#include "bus/folds.h"
#include "signal/signal.h"

static struct living *living;

static int begin(void **state)
{
	living = living_create();
	return 0;
}

static int end(void **state)
{
	living_destroy(living);
	return 0;
}

struct said {
	const char *type, *source, *run;
	double at_ms;
	const char *payload, *metadata;
};

static void hear(const struct said *said)
{
	char line[500];
	struct signal s = {.type = text_of(said->type),
	                   .source = text_of(said->source),
	                   .correlation = text_of(said->run),
	                   .at_ms = said->at_ms};

	snprintf(line, sizeof(line), "{\"payload\":%s,\"metadata\":%s}",
	         said->payload ? said->payload : "{}", said->metadata ? said->metadata : "{}");
	s.line = text_of(line);
	living_hear(living, &s);
}

static void hook(const char *run, double at_ms)
{
	hear(&(struct said){"tool_call", "adapter:tap", run, at_ms, NULL, NULL});
}

static void session_end(const char *run, double at_ms)
{
	hear(&(struct said){"agent_state_change", "adapter:tap", run, at_ms, NULL,
	                    "{\"hook\":\"SessionEnd\"}"});
}

static void facts(const char *run, unsigned pid, double at_ms)
{
	char payload[100];

	snprintf(payload, sizeof(payload), "{\"pid\":%u,\"procStart\":\"77\"}", pid);
	hear(&(struct said){"session.facts", "adapter:transcript", run, at_ms, payload,
	                    "{\"from\":\"registry\"}"});
}

static bool is_open(const char *run)
{
	const struct living_one *one = living_find(living, text_of(run));

	return one && !one->is_over;
}

static void a_hook_opens_and_its_end_ends(void **state)
{
	hook("S", 10);
	assert_true(is_open("S"));
	session_end("S", 20);
	assert_false(is_open("S"));
	hook("S", 15); /* late */
	assert_false(is_open("S"));
	hook("S", 21); /* resumed */
	assert_true(is_open("S"));
	hear(&(struct said){"session.gone", "signalbox", "S", 30, NULL, NULL});
	assert_false(is_open("S"));
}

static void the_registry_does_not_open_what_has_ended(void **state)
{
	facts("S", 5, 10);
	assert_true(is_open("S"));
	assert_int_equal(living_find(living, TEXT("S"))->pid, 5);
	session_end("S", 20);
	facts("S", 5, 25);
	assert_false(is_open("S"));
	facts("S", 6, 30); /* another process has taken it up */
	assert_true(is_open("S"));
}

static void a_process_has_one_session(void **state)
{
	facts("S", 5, 10);
	facts("T", 5, 20);
	assert_true(is_open("S")); /* until its end is told */
	assert_true(living_find(living, TEXT("S"))->is_left);
	assert_false(living_find(living, TEXT("T"))->is_left);
	hear(&(struct said){"session.gone", "signalbox", "S", 25, NULL, NULL});
	assert_false(is_open("S"));
	facts("S", 5, 24); /* late */
	assert_false(is_open("S"));
	facts("S", 5, 30); /* its process came back to it */
	assert_true(is_open("S"));
	assert_false(living_find(living, TEXT("S"))->is_left);
	assert_true(living_find(living, TEXT("T"))->is_left);
	hook("T", 40); /* and again */
	assert_false(living_find(living, TEXT("T"))->is_left);
}

static void hooks_are_those_of_its_process(void **state)
{
	facts("S", 5, 10);
	hook("S", 11);
	assert_true(living_find(living, TEXT("S"))->is_hooked);
	session_end("S", 20);
	assert_true(living_find(living, TEXT("S"))->is_hooked); /* its last lines are to come */
	facts("S", 6, 30);                                      /* resumed by one that has none */
	assert_false(living_find(living, TEXT("S"))->is_hooked);
	session_end("S", 40);
	hook("S", 50); /* and by one that has, and is faster than the registry */
	facts("S", 7, 51);
	assert_true(living_find(living, TEXT("S"))->is_hooked);
}

static void a_status_line_is_no_hook(void **state)
{
	facts("S", 5, 10);
	hear(&(struct said){"agent.limits", "adapter:tap", "S", 11, NULL, NULL});
	assert_false(living_find(living, TEXT("S"))->is_hooked);
	hear(&(struct said){"agent.limits", "adapter:tap", "T", 12, NULL, NULL});
	assert_null(living_find(living, TEXT("T")));
}

static void a_hook_knows_the_folder_better(void **state)
{
	hear(&(struct said){"session.facts", "adapter:transcript", "S", 1,
	                    "{\"pid\":5,\"procStart\":\"77\",\"cwd\":\"/a/b\"}", NULL});
	assert_string_equal(living_find(living, TEXT("S"))->folder, "-a-b");
	hear(&(struct said){"tool_call", "adapter:tap", "S", 2, NULL,
	                    "{\"transcript_path\":\"/home/c/projects/-a/S.jsonl\"}"});
	assert_string_equal(living_find(living, TEXT("S"))->folder, "-a");
	hear(&(struct said){"session.facts", "adapter:transcript", "S", 3,
	                    "{\"pid\":5,\"procStart\":\"77\",\"cwd\":\"/a/b/c\"}", NULL});
	assert_string_equal(living_find(living, TEXT("S"))->folder, "-a");
}

static void place(const char *run, const char *place)
{
	char metadata[100];

	snprintf(metadata, sizeof(metadata), "{\"place\":%s}", place);
	hear(&(struct said){"thinking", "adapter:transcript", run, 1, NULL, metadata});
}

static void a_place_says_what_is_held(void **state)
{
	const struct living_one *one;

	hook("S", 1);
	one = living_find(living, TEXT("S"));
	place("S", "{\"inode\":7,\"at\":300,\"held\":100}");
	assert_int_equal(one->inode, 7);
	assert_int_equal(one->at, 300);
	assert_int_equal(one->held, 100);
	place("S", "{\"inode\":7,\"at\":300}");
	assert_int_equal(one->at, 300);
	assert_int_equal(one->held, 0);
}

static void nobody_else_is_heard(void **state)
{
	hear(&(struct said){"tool_call", "local/adapter:tap", "S", 1, NULL, NULL});
	assert_null(living_find(living, TEXT("S")));
	hook("S", 10);
	hear(&(struct said){"session.gone", "local/signalbox", "S", 20, NULL, NULL});
	assert_true(is_open("S"));
	/* A tool that is given the words of a hook ends nothing. */
	hear(&(struct said){"agent_state_change", "adapter:tap", "S", 30,
	                    "{\"hook\":\"SessionEnd\"}", "{\"hook\":\"Stop\"}"});
	assert_true(is_open("S"));
}

static void there_are_not_too_many(void **state)
{
	char id[20];

	for (unsigned i = 0; i <= LIVING_MAX; i++) {
		snprintf(id, sizeof(id), "s%u", i);
		hook(id, i);
	}
	assert_null(living_find(living, TEXT("s0")));
	assert_true(is_open("s1"));
	assert_true(is_open(id));
}

static void it_is_saved_and_loaded(void **state)
{
	struct living *other = living_create();
	struct living_one *one;
	struct buf saved;
	uint64_t seq = 0;

	facts("S", 5, 10);
	hook("T", 11);
	session_end("T", 12);
	place("S", "{\"inode\":7,\"at\":300,\"held\":100}");
	buf_init(&saved, MIB);
	living_fold.save(living, &saved);
	assert_true(living_fold.load(other, buf_text(&saved), &seq));
	one = living_find(other, TEXT("S"));
	assert_non_null(one);
	assert_int_equal(one->pid, 5);
	assert_int_equal(one->start, 77);
	assert_int_equal(one->by, LIVING_BY_REGISTRY);
	assert_int_equal(one->at, 300);
	assert_int_equal(one->held, 100);
	assert_false(one->is_over);
	assert_true(living_find(other, TEXT("T"))->is_over);
	assert_false(living_fold.load(other, TEXT("[{\"id\":7}]"), &seq));
	assert_null(living_find(other, TEXT("S")));
	buf_finish(&saved);
	living_destroy(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_hook_opens_and_its_end_ends, begin, end),
		cmocka_unit_test_setup_teardown(the_registry_does_not_open_what_has_ended, begin,
	                                        end),
		cmocka_unit_test_setup_teardown(a_process_has_one_session, begin, end),
		cmocka_unit_test_setup_teardown(hooks_are_those_of_its_process, begin, end),
		cmocka_unit_test_setup_teardown(a_status_line_is_no_hook, begin, end),
		cmocka_unit_test_setup_teardown(a_hook_knows_the_folder_better, begin, end),
		cmocka_unit_test_setup_teardown(a_place_says_what_is_held, begin, end),
		cmocka_unit_test_setup_teardown(nobody_else_is_heard, begin, end),
		cmocka_unit_test_setup_teardown(there_are_not_too_many, begin, end),
		cmocka_unit_test_setup_teardown(it_is_saved_and_loaded, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

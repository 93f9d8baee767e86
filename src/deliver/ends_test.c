/* ends_test.c - which signals end a run, and what is kept of them. */
#include "deliver/ends.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/must.h"
#include "bus/folds.h"
#include "config/config.h"
#include "deliver/routes.h"
#include "signal/signal.h"

static struct signal_reader *reader;
static uint64_t seq;

/* at: the second that it is stamped with. */
static uint64_t hear(struct run_ends *e, const char *type, const char *payload, const char *more,
                     unsigned at)
{
	uint64_t own = ++seq;
	bool is_box = text_starts(text_of(type), TEXT("nex."));
	char *line = must_print("{\"seq\":%llu,\"id\":\"i%llu\",\"type\":\"%s\",\"source\":\"%s\","
	                        "\"timestamp\":%u,"
	                        "\"correlationId\":\"r1\",\"payload\":%s%s}",
	                        (unsigned long long)own, (unsigned long long)own, type,
	                        is_box ? "signalbox" : "bot", at * 1000, payload, more);
	struct signal s;
	struct error why = {""};

	if (!signal_read(reader, text_of(line), &s, &why))
		fail_msg("%s", why.words);
	ends_hear(e, &s);
	free(line);
	return own;
}

static struct run_ends *begin(void)
{
	struct run_ends *e = ends_create();

	hear(e, "nex.routed", "{\"on\":true}", "", 3600);
	assert_true(e->is_on);
	return e;
}

static void only_ends_of_the_run_itself_are_kept(void **state)
{
	struct run_ends *e = begin();
	uint64_t first = hear(e, "completion", "{\"taskId\":\"t\",\"success\":true}", "", 3601);
	const struct run_end *end = ends_after(e, 0);

	assert_non_null(end);
	assert_int_equal(end->seq, first);
	assert_string_equal(end->run, "r1");
	assert_string_equal(end->source, "bot");
	assert_string_equal(end->type, "completion");
	assert_string_equal(end->task, "t");
	assert_string_equal(end->payload, "{\"taskId\":\"t\",\"success\":true}");
	hear(e, "error", "{\"message\":\"m\",\"severity\":\"warning\"}", "", 3601);
	hear(e, "text_delta", "{\"agentId\":\"a\",\"content\":\"done\"}", "", 3601);
	hear(e, "agent_state_change", "{\"agentId\":\"a\",\"from\":\"idle\",\"to\":\"acting\"}", "",
	     3601);
	hear(e, "completion", "{\"taskId\":\"t\",\"success\":true}",
	     ",\"metadata\":{\"agent_id\":\"sub\"}", 3601);
	assert_int_equal(e->count, 1);
	hear(e, "error", "{\"message\":\"m\",\"severity\":\"error\"}", "", 3601);
	hear(e, "agent_state_change", "{\"agentId\":\"a\",\"from\":\"acting\",\"to\":\"done\"}", "",
	     3601);
	hear(e, "session.turn", "{}", "", 3601);
	hear(e, "session.title", "{}", "", 3601);
	assert_int_equal(e->count, 4);
	assert_null(ends_after(e, seq));
	ends_destroy(e);
}

static void what_was_looked_at_is_forgotten(void **state)
{
	struct run_ends *e = begin();
	char mark[64];

	hear(e, "completion", "{\"success\":true}", "", 3601);
	snprintf(mark, sizeof(mark), "{\"upTo\":%llu}", (unsigned long long)seq);
	hear(e, "completion", "{\"success\":true}", "", 3601);
	hear(e, "nex.routed", mark, "", 3602);
	assert_int_equal(e->count, 1);
	assert_non_null(ends_after(e, 0));
	hear(e, "nex.routed", "{\"on\":false}", "", 3603);
	assert_int_equal(e->count, 0);
	hear(e, "completion", "{\"success\":true}", "", 3604);
	assert_int_equal(e->count, 0);
	hear(e, "nex.routed", "{\"on\":true}", "", 3605);
	assert_int_equal(e->count, 0);
	ends_destroy(e);
}

static void the_past_is_not_kept(void **state)
{
	struct run_ends *e = begin();

	hear(e, "completion", "{\"success\":true}", "", 3600 - 601);
	assert_int_equal(e->count, 0);
	hear(e, "completion", "{\"success\":true}", "", 3600 - 599);
	assert_int_equal(e->count, 1);
	ends_destroy(e);
}

static void there_is_a_limit_to_all_of_it(void **state)
{
	struct run_ends *e = begin();
	char *words = must_alloc(2 * ENDS_PAYLOAD_MAX + 1);
	char *payload;

	memset(words, 'x', 2 * ENDS_PAYLOAD_MAX);
	words[2 * ENDS_PAYLOAD_MAX] = '\0';
	payload = must_print("{\"taskId\":\"t\",\"result\":\"%s\",\"success\":true}", words);
	hear(e, "completion", payload, "", 3601);
	assert_string_equal(ends_after(e, 0)->payload, "{\"taskId\":\"t\",\"success\":true}");
	free(payload);
	free(words);
	for (unsigned i = 0; i < ENDS_MAX; i++)
		hear(e, "completion", "{\"success\":false}", "", 3601);
	assert_int_equal(e->count, ENDS_MAX);
	assert_string_equal(ends_after(e, 0)->payload, "{\"success\":false}");
	ends_destroy(e);
}

static void a_checkpoint_has_them(void **state)
{
	struct run_ends *e = begin(), *again = ends_create();
	struct buf saved, twice;
	uint64_t at = 0;

	hear(e, "completion", "{\"taskId\":\"t\",\"success\":true}", "", 3601);
	hear(e, "error", "{\"message\":\"m\",\"severity\":\"error\"}", "", 3602);
	buf_init(&saved, MIB);
	buf_init(&twice, MIB);
	ends_fold.save(e, &saved);
	assert_true(ends_fold.load(again, buf_text(&saved), &at));
	assert_true(again->is_on);
	assert_int_equal(again->count, 2);
	assert_string_equal(ends_after(again, 0)->task, "t");
	ends_fold.save(again, &twice);
	assert_true(text_equal(buf_text(&saved), buf_text(&twice)));
	assert_false(ends_fold.load(again, TEXT("[]"), &at));
	buf_finish(&saved);
	buf_finish(&twice);
	ends_destroy(e);
	ends_destroy(again);
}

static bool fits(const char *when, const struct routes_seen *seen)
{
	struct config_route one = {.when = (char *)when};
	struct config config = {.routes = &one, .route_count = 1};
	struct routes *r = routes_create(&config);
	bool good = routes_see(r, seen) && routes_fit(r, 0);

	routes_destroy(r);
	return good;
}

static void a_condition_sees_the_end_and_what_was_said(void **state)
{
	struct run_ends *e = begin();
	struct routes_seen seen = {.text = TEXT("all is well"), .agent = TEXT("ada")};

	hear(e, "completion", "{\"taskId\":\"t\",\"success\":true,\"source\":\"other\"}", "", 3601);
	seen.end = ends_after(e, 0);
	assert_true(fits("{\"signal.type\":{\"equals\":\"completion\"}}", &seen));
	assert_true(fits("{\"success\":{\"equals\":true},\"taskId\":{\"equals\":\"t\"}}", &seen));
	assert_true(fits("{\"signal.source\":{\"equals\":\"bot\"}}", &seen));
	assert_true(
		fits("{\"text\":{\"matches\":\"well$\"},\"agent\":{\"equals\":\"ada\"}}", &seen));
	assert_true(fits("{\"run\":{\"equals\":\"r1\"},\"failed\":{\"equals\":false}}", &seen));
	assert_true(fits("{\"chat\":{\"exists\":false}}", &seen));
	seen.account = TEXT("notes");
	seen.peer = TEXT("ada");
	assert_true(fits("{\"chat\":{\"equals\":\"notes:ada\"}}", &seen));
	assert_true(fits(NULL, &seen));
	assert_false(fits("{\"text\":{\"contains\":\"not\"}}", &seen));
	ends_destroy(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_ends_of_the_run_itself_are_kept),
		cmocka_unit_test(what_was_looked_at_is_forgotten),
		cmocka_unit_test(the_past_is_not_kept),
		cmocka_unit_test(there_is_a_limit_to_all_of_it),
		cmocka_unit_test(a_checkpoint_has_them),
		cmocka_unit_test(a_condition_sees_the_end_and_what_was_said),
	};
	int failed;

	reader = signal_reader_create();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	signal_reader_destroy(reader);
	return failed;
}

/* toil_test.c - each call counts once, whoever tells it, and outlives a checkpoint. */
#include "crew/toil.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bus/folds.h"
#include "crew/peaks.h"
#include "crew/zone.h"

#define NOON 1794830400000.0 /* 2026-11-16T12:00Z */
#define HOUR 3600000.0

static struct signal_reader *reader;
static struct toil *toil;
static struct buf out;

static int make(void **state)
{
	(void)state;
	reader = signal_reader_create();
	toil = toil_create();
	buf_init(&out, 16 * MIB);
	return 0;
}

static int drop(void **state)
{
	(void)state;
	toil_destroy(toil);
	signal_reader_destroy(reader);
	buf_finish(&out);
	return 0;
}

static void hear(const char *type, const char *run, double at, const char *rest)
{
	char line[4000];
	struct error why;
	struct signal s;

	snprintf(line, sizeof(line),
	         "{\"seq\":1,\"id\":\"i\",\"type\":\"%s\",\"timestamp\":%.0f,\"source\":\"s\","
	         "\"correlationId\":\"%s\",%s}",
	         type, NOON + at, run, rest);
	if (!signal_read(reader, text_of(line), &s, &why))
		fail_msg("%s: %s", why.words, line);
	toil_hear(toil, &s);
}

#define CALL(id, tool) "\"payload\":{\"callId\":\"" id "\",\"toolName\":\"" tool "\"}"
#define RETURN(id, tool, success) \
	"\"payload\":{\"callId\":\"" id "\",\"toolName\":\"" tool "\",\"success\":" success "}"

static void assert_told(const struct toil_question *question, const char *words)
{
	buf_clear(&out);
	toil_json(toil, question, &out);
	buf_add_char(&out, '\0');
	assert_string_equal(out.at, words);
}

static const struct toil_question ever = {.until_ms = INFINITY};

static void a_call_counts_once_in_any_order(void **state)
{
	(void)state;
	hear("tool_call", "r", 0, CALL("1", "Bash"));
	hear("tool_call", "r", 500, CALL("1", "Bash"));
	hear("tool_result", "r", 2000, RETURN("1", "Bash", "true"));
	hear("tool_result", "r", 2500, RETURN("1", "Bash", "true"));
	hear("tool_call", "r", 3000, CALL("1", "Bash"));
	hear("tool_result", "r", 9000, RETURN("1", "Bash", "false"));
	hear("tool_call", "other", 0, CALL("1", "Read"));
	hear("tool_result", "other", 100, RETURN("1", "Read", "false"));
	hear("tool_result", "other", 100, "\"payload\":{\"toolName\":\"Read\",\"success\":true}");
	assert_told(&ever,
	            "\"tools\":[{\"key\":\"Bash\",\"calls\":1,\"failures\":0,\"ms\":2000},"
	            "{\"key\":\"Read\",\"calls\":1,\"failures\":1,\"ms\":100}],"
	            "\"days\":[{\"key\":\"2026-11-16\",\"calls\":2,\"failures\":1,\"ms\":2100,"
	            "\"atOnce\":0}]");
}

static void an_agent_knows_better_how_long_it_took(void **state)
{
	(void)state;
	hear("tool_call", "r", 0, CALL("1", "Bash"));
	hear("tool_result", "r", 60000,
	     "\"metadata\":{\"duration_ms\":11}," RETURN("1", "Bash", "true"));
	hear("tool_result", "r", 60000, RETURN("2", "", "true")); /* nobody saw it begin */
	hear("tool_call", "r", 9000, CALL("3", "Bash"));
	hear("tool_result", "r", 0, RETURN("3", "Bash", "true")); /* clocks differ */
	assert_told(&ever, "\"tools\":[{\"key\":\"Bash\",\"calls\":2,\"failures\":0,\"ms\":11},"
	                   "{\"key\":\"tool\",\"calls\":1,\"failures\":0,\"ms\":0}],"
	                   "\"days\":[{\"key\":\"2026-11-16\",\"calls\":3,\"failures\":0,\"ms\":11,"
	                   "\"atOnce\":0}]");
}

static void days_are_those_of_the_reader_and_have_the_peak_of_their_hours(void **state)
{
	struct peaks peaks = {0};
	static const struct zone east = {.first = 60};
	struct toil_question q = {.until_ms = INFINITY, .zone = &east, .peaks = &peaks};

	(void)state;
	hear("tool_result", "a", 0, RETURN("1", "Bash", "true"));
	peaks_note(&peaks, NOON, 1);
	peaks_note(&peaks, NOON + 10 * HOUR, 1);
	peaks_note(&peaks, NOON + 10 * HOUR + 5, -1);
	peaks_note(&peaks, NOON + 11 * HOUR, 0);
	assert_told(&q,
	            "\"tools\":[{\"key\":\"Bash\",\"calls\":1,\"failures\":0,\"ms\":0}],\"days\":["
	            "{\"key\":\"2026-11-16\",\"calls\":1,\"failures\":0,\"ms\":0,\"atOnce\":2},"
	            "{\"key\":\"2026-11-17\",\"calls\":0,\"failures\":0,\"ms\":0,\"atOnce\":1}]");
	q.since_ms = NOON + 11 * HOUR;
	assert_told(&q, "\"tools\":[],\"days\":[{\"key\":\"2026-11-17\",\"calls\":0,"
	                "\"failures\":0,\"ms\":0,\"atOnce\":1}]");
	peaks_finish(&peaks);
}

static void it_is_the_same_after_a_checkpoint(void **state)
{
	struct toil *other = toil_create(), *before = toil;
	struct buf saved, again;
	uint64_t seq = 1;

	(void)state;
	buf_init(&saved, MIB);
	buf_init(&again, MIB);
	hear("tool_call", "r", 0, CALL("1", "Bash"));
	hear("tool_call", "r", 0, CALL("2", "Read"));
	hear("tool_result", "r", 100, RETURN("2", "Read", "true"));
	toil_fold.save(toil, &saved);
	assert_true(toil_fold.load(other, buf_text(&saved), &seq));
	toil_fold.save(other, &again);
	assert_int_equal(saved.len, again.len);
	assert_memory_equal(saved.at, again.at, saved.len);
	toil = other;
	hear("tool_result", "r", 3000, RETURN("1", "Bash", "true"));
	hear("tool_result", "r", 3000, RETURN("2", "Read", "true"));
	assert_told(&ever, "\"tools\":[{\"key\":\"Bash\",\"calls\":1,\"failures\":0,\"ms\":3000},"
	                   "{\"key\":\"Read\",\"calls\":1,\"failures\":0,\"ms\":100}],"
	                   "\"days\":[{\"key\":\"2026-11-16\",\"calls\":2,\"failures\":0,"
	                   "\"ms\":3100,\"atOnce\":0}]");
	assert_false(toil_fold.load(other, TEXT("{\"rows\":[[1,\"a\",1,1,\"x\"]]}"), &seq));
	assert_told(&ever, "\"tools\":[],\"days\":[]");
	toil_destroy(before);
	buf_finish(&saved);
	buf_finish(&again);
}

/* Control characters take six bytes each where they are saved. */
static void long_and_strange_names_are_saved_small(void **state)
{
	char strange[6 * 90 + 1] = "", rest[1500], run[600];

	(void)state;
	for (int i = 0; i < 90; i++)
		memcpy(strange + (size_t)i * 6, "\\u0001", 7);
	for (int i = 0; i < 2000; i++) {
		snprintf(run, sizeof(run), "%d%s", i, strange);
		snprintf(rest, sizeof(rest),
		         "\"payload\":{\"callId\":\"%d%s\",\"toolName\":\"%d%s\"}", i, strange, i,
		         strange);
		hear("tool_call", run, 0, rest);
		hear("tool_result", run, 10, rest);
		hear("tool_result", run, 20, rest);
	}
	toil_fold.save(toil, &out);
	assert_true(out.len < 300 * KIB);
	assert_told(&(struct toil_question){.since_ms = NOON, .until_ms = NOON - 1},
	            "\"tools\":[],\"days\":[]");
}

static void everything_has_a_limit(void **state)
{
	struct buf saved;

	(void)state;
	for (int i = 0; i < TOIL_ROWS_MAX + 2000; i++) {
		char rest[200], run[32];

		snprintf(run, sizeof(run), "run-%d", i);
		snprintf(
			rest, sizeof(rest),
			"\"payload\":{\"callId\":\"%d\",\"toolName\":\"tool-%d\",\"success\":true}",
			i, i);
		hear("tool_result", run, 0, rest);
	}
	buf_init(&saved, 16 * MIB);
	toil_fold.save(toil, &saved);
	assert_true(saved.len < 2 * MIB);
	buf_add_char(&saved, '\0');
	assert_null(strstr(saved.at, "\"tool-1\""));
	assert_non_null(strstr(saved.at, "\"tool-9999\""));
	buf_finish(&saved);
}

#define fresh(test) cmocka_unit_test_setup_teardown(test, make, drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		fresh(a_call_counts_once_in_any_order),
		fresh(an_agent_knows_better_how_long_it_took),
		fresh(days_are_those_of_the_reader_and_have_the_peak_of_their_hours),
		fresh(it_is_the_same_after_a_checkpoint),
		fresh(long_and_strange_names_are_saved_small),
		fresh(everything_has_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

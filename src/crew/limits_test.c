/* limits_test.c - windows as they are told, how fast they go, and what is left. */
#include "crew/limits.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bus/folds.h"

#define NOON 1794830400000.0 /* 2026-11-16T12:00Z */
#define MINUTE 60000.0
#define HOUR 3600000.0

static struct signal_reader *reader;
static struct limits *limits;
static struct buf out;

static int make(void **state)
{
	(void)state;
	reader = signal_reader_create();
	limits = limits_create();
	buf_init(&out, MIB);
	return 0;
}

static int drop(void **state)
{
	(void)state;
	limits_destroy(limits);
	signal_reader_destroy(reader);
	buf_finish(&out);
	return 0;
}

static void hear_of(const char *source, double at, const char *payload)
{
	char line[4000];
	struct error why;
	struct signal s;

	snprintf(line, sizeof(line),
	         "{\"seq\":1,\"id\":\"i\",\"type\":\"agent.limits\",\"timestamp\":%.0f,"
	         "\"source\":\"%s\",\"payload\":{%s}}",
	         NOON + at, source, payload);
	if (!signal_read(reader, text_of(line), &s, &why))
		fail_msg("%s: %s", why.words, line);
	limits_hear(limits, &s);
}

static void hear(double at, const char *payload)
{
	hear_of("s", at, payload);
}

/* The window of five hours that is reset at noon and so much, or without a time of it: 0. */
static void hear_used(double at, double used, double resets)
{
	char payload[300];

	snprintf(payload, sizeof(payload),
	         "\"harness\":\"codex\",\"windows\":[{\"minutes\":300,\"used\":%g,"
	         "\"resetsAt\":%.0f}]",
	         used, resets > 0 ? NOON + resets : 0);
	hear(at, payload);
}

static void assert_told(double now, const char *words)
{
	buf_clear(&out);
	limits_json(limits, NOON + now, &out);
	buf_add_char(&out, '\0');
	assert_string_equal(out.at, words);
}

static void assert_has(double now, const char *words)
{
	buf_clear(&out);
	limits_json(limits, NOON + now, &out);
	buf_add_char(&out, '\0');
	if (!strstr(out.at, words))
		fail_msg("%s: %s", words, out.at);
}

static void load_again(void)
{
	struct limits *other = limits_create();
	struct buf saved;
	uint64_t seq = 0;

	buf_init(&saved, MIB);
	buf_clear(&out);
	limits_fold.save(limits, &out);
	assert_true(limits_fold.load(other, buf_text(&out), &seq));
	limits_fold.save(other, &saved);
	assert_true(text_equal(buf_text(&out), buf_text(&saved)));
	buf_finish(&saved);
	limits_destroy(limits);
	limits = other;
}

/* ---- how fast ---- */

static void a_rate_is_the_slope_of_the_last_hour(void **state)
{
	static const struct {
		struct limit_sample samples[4];
		size_t count;
		double now, rate; /* -1: not known */
	} cases[] = {
		{{{0}}, 0, 0, -1},
		{{{0, 10}}, 1, HOUR / 2, -1},
		{{{0, 10}, {4 * MINUTE, 20}}, 2, 4 * MINUTE, -1}, /* too short a time */
		{{{0, 10}, {4 * MINUTE, 20}}, 2, 5 * MINUTE, 120},
		{{{0, 10}, {30 * MINUTE, 20}}, 2, 30 * MINUTE, 20},
		{{{0, 10}, {30 * MINUTE, 20}}, 2, HOUR, 10}, /* nothing was told since */
		/* What was before the hour counts in part, evenly. */
		{{{0, 10}, {30 * MINUTE, 20}}, 2, 75 * MINUTE, 5},
		{{{0, 10}, {30 * MINUTE, 20}}, 2, 90 * MINUTE, -1}, /* silence tells no rate */
		{{{0, 0}, {HOUR, 30}, {2 * HOUR, 40}}, 3, 2 * HOUR, 10},
		{{{0, 0}, {HOUR, 30}, {2 * HOUR, 40}}, 3, 2.5 * HOUR, 5},
		{{{0, 50}, {HOUR, 50}}, 2, HOUR, 0},
		{{{0, 50}, {30 * MINUTE, 60}}, 2, 0, 20}, /* our clock is behind */
		{{{0, 50}, {0, 60}}, 2, 0, -1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		double rate = -1;
		bool known = limits_rate(cases[i].samples, cases[i].count, cases[i].now, &rate);

		if (known != (cases[i].rate >= 0) || (known && fabs(rate - cases[i].rate) > 1e-9))
			fail_msg("case %zu: %g", i, rate);
	}
}

static void a_window_is_used_up_or_lasts(void **state)
{
	struct limit_window w = {.minutes = 300, .resets_ms = 4 * HOUR, .count = 2};
	struct limit_outlook look;

	(void)state;
	w.samples[1] = (struct limit_sample){HOUR, 40};
	limits_look(&w, HOUR, &look);
	assert_true(look.has_rate && look.rate == 40 && look.used == 40 && !look.is_reset);
	assert_true(look.used_up_ms == 2.5 * HOUR);
	w.resets_ms = 2.5 * HOUR;
	limits_look(&w, HOUR, &look);
	assert_true(look.used_up_ms == 0); /* it lasts until the reset */
	w.resets_ms = 0;
	limits_look(&w, HOUR, &look);
	assert_true(look.used_up_ms == 2.5 * HOUR);
	w.samples[1].used = 104;
	limits_look(&w, HOUR, &look);
	assert_true(look.used == 104 && look.used_up_ms == 0);
	w.resets_ms = HOUR;
	limits_look(&w, HOUR, &look);
	assert_true(look.is_reset && look.used == 0 && !look.has_rate);
}

/* ---- what is told ---- */

static void accounts_tell_windows_and_age(void **state)
{
	(void)state;
	assert_told(0, "\"limits\":[]");
	hear(0, "\"agentId\":\"codex\",\"harness\":\"codex\",\"plan\":\"plus\",\"windows\":["
	        "{\"minutes\":300,\"used\":12.5,\"resetsAt\":1794841200000},"
	        "{\"minutes\":10080,\"used\":40}]");
	hear(0, "\"agentId\":\"claude\",\"account\":\"ada\",\"windows\":[{\"name\":\"spend\","
	        "\"used\":104}]");
	assert_told(0,
	            "\"limits\":[{\"harness\":\"claude\",\"account\":\"ada\",\"at\":1794830400000,"
	            "\"stale\":false,\"windows\":[{\"name\":\"spend\",\"used\":104,\"left\":0,"
	            "\"isReset\":false}]},"
	            "{\"harness\":\"codex\",\"plan\":\"plus\",\"at\":1794830400000,"
	            "\"stale\":false,\"windows\":["
	            "{\"minutes\":300,\"used\":12.5,\"left\":87.5,\"resetsAt\":1794841200000,"
	            "\"isReset\":false},"
	            "{\"minutes\":10080,\"used\":40,\"left\":60,\"isReset\":false}]}]");
	hear_used(30 * MINUTE, 22.5, 3 * HOUR);
	assert_has(30 * MINUTE,
	           "\"used\":22.5,\"left\":77.5,\"resetsAt\":1794841200000,\"isReset\":false,"
	           "\"perHour\":20}");
	assert_has(46 * MINUTE, "\"at\":1794832200000,\"stale\":true");
	assert_has(3 * HOUR,
	           "\"used\":0,\"left\":100,\"resetsAt\":1794841200000,\"isReset\":true}");
	hear_used(35 * MINUTE, 62.5, 3 * HOUR);
	assert_has(35 * MINUTE, "\"perHour\":85.71,\"usedUpAt\":");
}

static void what_is_late_or_wrong_changes_nothing(void **state)
{
	static const char now[] = "\"used\":30,\"left\":70,";

	(void)state;
	hear_used(0, 20, 3 * HOUR);
	hear_used(10 * MINUTE, 30, 3 * HOUR);
	hear_used(9 * MINUTE, 35, 3 * HOUR); /* told before that */
	assert_has(HOUR, now);
	hear_used(11 * MINUTE, 28, 3 * HOUR); /* another session, whose answer was long */
	assert_has(HOUR, now);
	hear_used(12 * MINUTE, 90, 12 * MINUTE); /* over already */
	assert_has(HOUR, now);
	hear(13 * MINUTE, "\"harness\":\"codex\",\"windows\":[{\"minutes\":300,\"used\":-1},"
	                  "{\"minutes\":300,\"used\":1001},{\"minutes\":300,\"used\":\"x\"},7]");
	hear(13 * MINUTE, "\"harness\":\"codex\",\"windows\":[]");
	hear(13 * MINUTE, "\"harness\":\"codex\",\"windows\":{}");
	hear(13 * MINUTE, "\"harness\":\"codex\"");
	assert_has(HOUR, now);
	hear_used(71 * MINUTE, 28, 3 * HOUR); /* an hour later it is meant */
	assert_has(71 * MINUTE, "\"used\":28,");
}

static void a_clock_that_was_wrong_is_not_believed_for_ever(void **state)
{
	const double ahead = 70 * 365 * 24 * HOUR;

	(void)state;
	hear_used(0, 20, 3 * HOUR);
	hear_used(ahead, 90, ahead + HOUR);
	load_again();
	hear_used(10 * MINUTE, 30, 3 * HOUR);
	hear_used(40 * MINUTE, 40, 3 * HOUR);
	assert_has(40 * MINUTE, "\"at\":1794832800000,\"stale\":false");
	assert_has(40 * MINUTE, "\"used\":40,\"left\":60,\"resetsAt\":1794841200000,"
	                        "\"isReset\":false,\"perHour\":20}");
	hear_used(-30 * 24 * HOUR, 99, 0); /* from a file that is read again */
	assert_has(40 * MINUTE, "\"used\":40,");
}

static void who_has_no_credential_is_not_heard(void **state)
{
	(void)state;
	hear_used(0, 20, 3 * HOUR);
	hear_of("local/codex", MINUTE,
	        "\"harness\":\"codex\",\"windows\":[{\"minutes\":300,\"used\":90}]");
	assert_has(MINUTE, "\"used\":20,");
}

static void another_window_begins_anew(void **state)
{
	(void)state;
	hear_used(0, 80, HOUR);
	hear_used(30 * MINUTE, 90, HOUR + 5 * MINUTE); /* the same, roughly */
	assert_has(30 * MINUTE, "\"perHour\":20,");
	hear_used(31 * MINUTE, 5, 6 * HOUR); /* the provider began it early */
	assert_has(31 * MINUTE, "\"used\":5,\"left\":95,");
	hear_used(61 * MINUTE, 8, 0);
	assert_has(61 * MINUTE, "\"resetsAt\":1794852000000,\"isReset\":false,\"perHour\":6}");
	hear_used(7 * HOUR, 1, 0); /* it was over */
	assert_has(7 * HOUR,
	           "\"windows\":[{\"minutes\":300,\"used\":1,\"left\":99,\"isReset\":false}]");
}

static void an_hour_of_samples_is_kept_and_no_more(void **state)
{
	(void)state;
	for (int i = 0; i < 20000; i++)
		hear_used(i * 1000.0, i / 200.0, 24 * HOUR);
	assert_has(20000e3, "\"perHour\":18,");
	buf_clear(&out);
	limits_fold.save(limits, &out);
	assert_true(out.len < 2000);
}

static void there_is_room_for_so_many(void **state)
{
	char payload[4000];

	(void)state;
	for (int i = 0; i < 2 * LIMITS_ACCOUNTS_MAX; i++) {
		snprintf(payload, sizeof(payload),
		         "\"harness\":\"h%d\",\"account\":\"%0300d\",\"windows\":["
		         "{\"name\":\"w0\",\"used\":1},{\"name\":\"v\",\"used\":1}]",
		         i, i);
		hear(i, payload);
	}
	for (int i = 0; i < LIMITS_WINDOWS_MAX; i++) {
		snprintf(payload, sizeof(payload),
		         "\"harness\":\"h63\",\"account\":\"%0300d\",\"windows\":["
		         "{\"name\":\"w%d\",\"used\":1}]",
		         63, i);
		hear(100 + i, payload);
	}
	buf_clear(&out);
	limits_json(limits, NOON, &out);
	buf_add_char(&out, '\0');
	assert_null(strstr(out.at, "\"h31\""));
	assert_non_null(strstr(out.at, "\"h32\""));
	assert_non_null(strstr(out.at, "\"w6\""));
	assert_null(strstr(out.at, "\"w7\""));
	assert_true(out.len < 16 * KIB);
}

/* ---- a checkpoint ---- */

static void it_outlives_a_checkpoint(void **state)
{
	(void)state;
	load_again();
	assert_told(0, "\"limits\":[]");
	hear_used(0, 20, 3 * HOUR);
	hear(0, "\"harness\":\"\\u0000x\",\"plan\":\"a\\u0000b\",\"windows\":[{\"used\":1}]");
	load_again();
	hear_used(30 * MINUTE, 30.25, 3 * HOUR);
	load_again();
	assert_has(30 * MINUTE, "\"perHour\":20.5}");
}

/* ---- accounts ---- */

#define OF_CODEX(members, used) \
	"\"harness\":\"codex\"," members "\"windows\":[{\"minutes\":300,\"used\":" used "}]"

static void assert_accounts(const char *const *names)
{
	const char *at;

	buf_clear(&out);
	limits_json(limits, NOON, &out);
	buf_add_char(&out, '\0');
	at = out.at;
	for (; *names; names++) {
		at = strstr(at, *names);
		if (!at)
			fail_msg("%s: %s", *names, out.at);
		at++;
	}
	assert_null(strstr(at, "\"harness\""));
}

static void two_plans_are_two_accounts_where_nobody_names_them(void **state)
{
	static const char *const both[] = {"\"plan\":\"plus\"", "\"used\":80,", "\"plan\":\"team\"",
	                                   "\"used\":11,", NULL};
	static const char *const one[] = {"\"account\":\"a\",\"plan\":\"team\"", "\"used\":81,",
	                                  NULL};

	(void)state;
	hear(-5, OF_CODEX("", "79"));
	hear(-4, OF_CODEX("\"plan\":\"plus\",", "80"));
	hear(-3, OF_CODEX("\"plan\":\"team\",", "10"));
	hear(-2, OF_CODEX("", "11")); /* of the one that was heard last */
	assert_accounts(both);
	load_again();
	assert_accounts(both);
	limits_fold.load(limits, TEXT("7"), &(uint64_t){0});
	hear(-2, OF_CODEX("\"account\":\"a\",\"plan\":\"plus\",", "80"));
	hear(-1, OF_CODEX("\"account\":\"a\",\"plan\":\"team\",", "81"));
	assert_accounts(one);
}

static void a_plan_that_was_left_is_told_until_its_windows_are_over(void **state)
{
	static const char *const one[] = {"\"plan\":\"pro\"", NULL};

	(void)state;
	hear_used(-6 * HOUR, 20, -1 * HOUR);
	hear(-6 * HOUR, OF_CODEX("\"plan\":\"plus\",", "20"));
	hear(-1, OF_CODEX("\"plan\":\"pro\",", "1"));
	assert_accounts(one);
}

static void machines_and_users_are_apart(void **state)
{
	static const char *const three[] = {
		"\"codex\",\"at\"", "\"used\":5,", "\"ada@desk\"", "\"used\":7,", "\"bob@desk\"",
		"\"used\":9,",      NULL};

	(void)state;
	hear(-3, OF_CODEX("\"host\":\"desk\",\"user\":\"bob\",", "9"));
	hear(-2, OF_CODEX("\"host\":\"desk\",\"user\":\"ada\",", "7"));
	hear(-1, OF_CODEX("", "5"));
	assert_accounts(three);
}

static int64_t noon(void)
{
	return (int64_t)NOON;
}

static void what_is_dated_ahead_was_told_now(void **state)
{
	(void)state;
	hear_used(20 * 24 * HOUR, 90, 0); /* before anybody looked at a clock */
	limits_set_clock(limits, noon);
	hear_used(0, 20, 3 * HOUR);
	assert_has(0, "\"used\":20,");
	hear_used(20 * 24 * HOUR, 30, 3 * HOUR);
	hear_used(0, 40, 3 * HOUR);
	assert_has(0, "\"used\":40,");
	assert_has(0, "\"at\":1794830400000,");
}

static void what_is_no_such_state_is_forgotten(void **state)
{
	static const char *const wrong[] = {
		"",
		"{}",
		"7",
		"[1]",
		"[[\"a\",\"\",\"\"]]",
		"[[\"a\",\"\",\"\",0]]",
		"[[\"a\",\"\",\"\",5,[]]]",
		"[[\"a\",\"\",\"\",5,[\"\",1,0,5]]]",
		"[[\"a\",\"\",\"\",5,[\"\",1,0,5,-1]]]",
		"[[\"a\",\"\",\"\",5,[\"\",-1,0]]]",
		"[[\"a\",\"\",\"\",5,[\"\",1,0,5,1,4,1]]]",
		"[[\"a\",\"\",\"\",5,[\"\",1,0,5,1],[\"\",1,0,5,1]]]",
		"[[\"a\",\"\",\"\",5,[\"\",1,-3]]]",
	};
	uint64_t seq = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		if (limits_fold.load(limits, text_of(wrong[i]), &seq))
			fail_msg("%s", wrong[i]);
		assert_told(0, "\"limits\":[]");
	}
}

#define IT(name) cmocka_unit_test_setup_teardown(name, make, drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IT(a_rate_is_the_slope_of_the_last_hour),
		IT(a_window_is_used_up_or_lasts),
		IT(accounts_tell_windows_and_age),
		IT(what_is_late_or_wrong_changes_nothing),
		IT(a_clock_that_was_wrong_is_not_believed_for_ever),
		IT(who_has_no_credential_is_not_heard),
		IT(another_window_begins_anew),
		IT(an_hour_of_samples_is_kept_and_no_more),
		IT(there_is_room_for_so_many),
		IT(it_outlives_a_checkpoint),
		IT(two_plans_are_two_accounts_where_nobody_names_them),
		IT(a_plan_that_was_left_is_told_until_its_windows_are_over),
		IT(machines_and_users_are_apart),
		IT(what_is_dated_ahead_was_told_now),
		IT(what_is_no_such_state_is_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

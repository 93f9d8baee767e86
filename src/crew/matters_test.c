/* matters_test.c - one word for each matter: raised once, settled once, quiet about the past. */
#include "crew/matters.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/must.h"
#include "crew/budget.h"
#include "crew/crew.h"
#include "crew/spending.h"

#define T0 1794830400000.0 /* 2026-11-16T12:00Z */
#define MINUTE 60000.0

static struct signal_reader *reader;
static struct crew *crew;
static struct matters *matters;
static struct buf said; /* "+title: words" and "-id", a line each */
static uint64_t seq;
static const char *asked_run, *asked_words;

static void questions(void *self, crew_question_fn *each, void *of)
{
	(void)self;
	if (asked_run)
		each(of, asked_run,
		     &(struct crew_question){.id = "q1", .words = text_of(asked_words)});
}

static void raised(void *self, const struct matter *m)
{
	(void)self;
	buf_print(&said, "+%s%s%s\n", m->title, m->words ? ": " : "", m->words ? m->words : "");
}

static void settled(void *self, const struct matter *m)
{
	(void)self;
	buf_print(&said, "-%s\n", m->id);
}

static void make_matters(void)
{
	matters = matters_create(&(struct matters_options){.raised = raised, .settled = settled});
	matters_set_after(matters, 5 * MINUTE);
}

static int make(void **state)
{
	(void)state;
	reader = signal_reader_create();
	crew = crew_create(&(struct crew_options){.questions = questions});
	buf_init(&said, MIB);
	asked_run = NULL;
	asked_words = "May it?";
	seq = 0;
	make_matters();
	return 0;
}

static int drop(void **state)
{
	(void)state;
	matters_destroy(matters);
	crew_destroy(crew);
	signal_reader_destroy(reader);
	buf_finish(&said);
	return 0;
}

static void hear_as(const char *source, const char *type, double at, const char *rest)
{
	char line[4096];
	struct signal s;
	struct error why;

	snprintf(line, sizeof(line),
	         "{\"seq\":%llu,\"id\":\"i\",\"type\":\"%s\",\"timestamp\":%.0f,"
	         "\"source\":\"%s\",\"correlationId\":\"s1\",%s}",
	         (unsigned long long)++seq, type, T0 + at, source, rest);
	if (!signal_read(reader, text_of(line), &s, &why))
		fail_msg("%s: %s", why.words, line);
	crew_hear(crew, &s);
}

#define HOOK(name) "\"metadata\":{\"hook\":\"" name "\",\"cwd\":\"/home/a/shop\"},"

#define NO_CREDIT "\"payload\":{\"message\":\"no credit\",\"severity\":\"error\"}"

static void told(double at)
{
	hear_as("adapter:tap", "task_dispatch", at,
	        HOOK("UserPromptSubmit") "\"payload\":{\"taskId\":\"p\",\"from\":\"user\",\"to\":"
	                                 "\"claude\",\"description\":\"Mend the till\"}");
}

static void stops(double at)
{
	hear_as("adapter:tap", "agent_state_change", at,
	        HOOK("Stop") "\"payload\":{\"to\":\"done\"}");
}

static void ends(double at)
{
	hear_as("adapter:tap", "agent_state_change", at,
	        HOOK("SessionEnd") "\"payload\":{\"to\":\"idle\"}");
}

static void vanishes(double at)
{
	hear_as("signalbox", "session.gone", at, "\"payload\":{\"why\":\"its process ended\"}");
}

/* Looks as a box does, and again when the grace is over. */
static void look(double at, bool quiet)
{
	struct buf changed, removed;

	buf_init(&changed, MIB);
	buf_init(&removed, MIB);
	matters_look(matters, crew, T0 + at, quiet);
	crew_take_changed(crew, T0 + at, &changed, &removed);
	buf_finish(&changed);
	buf_finish(&removed);
	matters_tick(matters, crew, T0 + at);
	matters_tick(matters, crew, T0 + at + MATTERS_GRACE_MS);
}

static void assert_said(const char *words)
{
	buf_add_char(&said, '\0');
	assert_string_equal(said.at, words);
	buf_clear(&said);
}

static void a_question_is_raised_once_and_settled_by_whoever_answers(void **state)
{
	(void)state;
	look(0, false);
	told(0);
	asked_run = "s1";
	asked_words = "Run \x1b[31mrm -r\nand more?";
	look(100, false);
	assert_said("+shop-1 waits for you: Run \\u001b[31mrm -r…\n");
	look(60000, false);
	assert_said("");
	asked_run = NULL;
	look(61000, false);
	assert_said("-asks-q1\n");
	look(62000, false);
	assert_said("");
}

static void what_is_answered_at_once_is_no_matter(void **state)
{
	double next;

	(void)state;
	look(0, false);
	told(0);
	asked_run = "s1";
	matters_look(matters, crew, T0 + 100, false);
	next = matters_tick(matters, crew, T0 + 100);
	assert_true(next == T0 + 100 + MATTERS_GRACE_MS);
	asked_run = NULL;
	look(500, false);
	assert_said("");
	assert_true(isinf(matters_tick(matters, crew, T0 + 60000)));
}

static void a_question_of_nobody_known_has_a_name_too(void **state)
{
	(void)state;
	look(0, false);
	asked_run = "deploy";
	look(100, false);
	assert_said("+deploy waits for you: May it?\n");
}

static void a_question_that_cannot_be_answered_here_is_a_matter(void **state)
{
	(void)state;
	look(0, false);
	told(0);
	hear_as("adapter:tap", "agent_state_change", 100,
	        HOOK("PermissionRequest") "\"payload\":{\"agentId\":\"claude\",\"to\":\"waiting\","
	                                  "\"reason\":\"permission\"}");
	look(200, false);
	assert_said("+shop-1 waits for you: permission\n");
	stops(9000);
	look(9100, false);
	assert_said("-asks-shop-1-1794830400100\n");
}

static void long_work_is_told_when_it_is_done_and_short_work_is_not(void **state)
{
	(void)state;
	look(0, false);
	told(0);
	look(10, false);
	stops(4 * MINUTE);
	look(4 * MINUTE + 10, false);
	assert_said("");
	told(5 * MINUTE);
	look(5 * MINUTE + 10, false);
	stops(17 * MINUTE);
	look(17 * MINUTE + 10, false);
	assert_said("+shop-1 is done after 12m: Mend the till\n");
	/* It says good-bye at once, as one without a person does: the same matter. */
	ends(17 * MINUTE + 5000);
	look(17 * MINUTE + 5010, false);
	assert_said("");
	told(18 * MINUTE);
	look(18 * MINUTE, false);
	assert_said("-finished-shop-1-1794830700000\n");
	stops(30 * MINUTE);
	look(30 * MINUTE, false);
	assert_said("+shop-1 is done after 12m: Mend the till\n");
	/* Somebody ends it later, and has seen it. */
	ends(31 * MINUTE);
	look(31 * MINUTE, false);
	assert_said("-finished-shop-1-1794831480000\n");
}

static void a_failure_is_told_and_settled_by_the_next_work(void **state)
{
	(void)state;
	look(0, false);
	told(0);
	look(10, false);
	hear_as("adapter:tap", "error", 5000, HOOK("StopFailure") NO_CREDIT);
	look(5100, false);
	assert_said("+shop-1 failed: no credit\n");
	told(20000);
	look(20000, false);
	assert_said("-failed-shop-1-1794830405000\n");
}

static void who_vanishes_in_the_middle_of_work_is_told_of(void **state)
{
	(void)state;
	look(0, false);
	told(0);
	look(10, false);
	vanishes(9000);
	look(9000, false);
	assert_said("+shop-1 is gone: its process ended\n");
	told(20000);
	stops(21000);
	look(22000, false);
	assert_said("-failed-shop-1-1794830409000\n");
	vanishes(30000);
	look(30000, false);
	assert_said(""); /* it had nothing to do */
}

static void what_stood_before_the_start_is_known(void **state)
{
	struct buf out;

	(void)state;
	told(0);
	hear_as("adapter:tap", "error", 5000, HOOK("StopFailure") NO_CREDIT);
	asked_run = "other";
	look(6000, true);
	assert_said("");
	buf_init(&out, MIB);
	matters_json(matters, &out);
	buf_add_char(&out, '\0');
	assert_non_null(strstr(out.at, "\"id\":\"failed-shop-1-1794830405000\",\"kind\":\"failed\","
	                               "\"title\":\"shop-1 failed\",\"words\":\"no credit\","
	                               "\"handle\":\"shop-1\",\"project\":\"shop\","
	                               "\"session\":\"s1\",\"run\":\"s1\",\"at\":"));
	assert_non_null(strstr(out.at, "\"id\":\"asks-q1\",\"kind\":\"asks\",\"title\":\"other "
	                               "waits for you\",\"words\":\"May it?\",\"run\":\"other\","
	                               "\"prompt\":\"q1\""));
	buf_finish(&out);
	asked_run = NULL;
	told(20000);
	look(20000, false);
	assert_said("-failed-shop-1-1794830405000\n-asks-q1\n");
}

static void what_happened_long_ago_is_no_news(void **state)
{
	(void)state;
	look(0, false);
	told(0);
	stops(20 * MINUTE);
	look(20 * MINUTE + MATTERS_NEWS_MS + 10, false);
	assert_said("");
}

static void a_matter_that_nobody_sees_to_ends_after_a_day(void **state)
{
	(void)state;
	look(0, false);
	told(0);
	look(10, false);
	vanishes(9000);
	look(9000, false);
	assert_said("+shop-1 is gone: its process ended\n");
	matters_tick(matters, crew, T0 + 9000 + MATTERS_LAST_MS + 10);
	assert_said("-failed-shop-1-1794830409000\n");
	matters_tick(matters, crew, T0 + 9000 + 2 * MATTERS_LAST_MS);
	told(9000 + 2 * MATTERS_LAST_MS);
	look(9100 + 2 * MATTERS_LAST_MS, false);
	assert_said("");
}

static void weigh(const char *day, double spent, double at, bool quiet)
{
	matters_weigh(matters, &(struct matters_money){day, spent, 20}, T0 + at, quiet);
	matters_tick(matters, crew, T0 + at + MATTERS_GRACE_MS);
}

static void the_budget_is_told_once_a_day(void **state)
{
	(void)state;
	weigh("2026-11-16", 19.5, 0, false);
	assert_said("");
	weigh("2026-11-16", 20.25, 1000, false);
	weigh("2026-11-16", 40, 2000, false);
	assert_said("+The budget of the day is passed: $20.25 of $20.00\n");
	weigh("2026-11-17", 0, 3000, false);
	assert_said("-budget-2026-11-16\n");
	weigh("2026-11-17", 21, 4000, true);
	assert_said("");
}

static void spend(struct spending *all, double at, const char *model)
{
	char line[1000];
	struct signal s;
	struct error why;

	snprintf(line, sizeof(line),
	         "{\"seq\":%llu,\"id\":\"i\",\"type\":\"token_usage\",\"timestamp\":%.0f,"
	         "\"source\":\"s\",\"correlationId\":\"s1\",\"payload\":{\"agentId\":\"a\","
	         "\"promptTokens\":1000000,\"completionTokens\":0,\"model\":\"%s\"}}",
	         (unsigned long long)++seq, T0 + at, model);
	assert_true(signal_read(reader, text_of(line), &s, &why));
	spending_hear(all, &s);
}

static void the_sum_of_a_day_has_that_day_alone(void **state)
{
	static const char list[] = "{\"date\":\"d\",\"models\":{\"m\":{\"input\":3,\"output\":0}}}";
	struct spending *all = spending_create();
	struct error why;
	struct prices *prices = prices_read(text_of(list), &why);
	struct budget budget = {0};

	(void)state;
	spend(all, -2 * 60 * MINUTE, "m");
	spend(all, 0, "m");
	budget_set_day(&budget, T0 - 60 * MINUTE, T0 + 60 * MINUTE);
	assert_true(fabs(budget_spent(&budget, all, prices) - 3) < 1e-9);
	spend(all, 30 * MINUTE, "m");
	spend(all, 30 * MINUTE, "unheard-of");
	spend(all, 60 * MINUTE, "m");
	assert_true(fabs(budget_spent(&budget, all, prices) - 6) < 1e-9);
	budget_set_day(&budget, T0 + 60 * MINUTE, T0 + 120 * MINUTE);
	assert_true(fabs(budget_spent(&budget, all, prices) - 3) < 1e-9);
	budget_finish(&budget);
	prices_destroy(prices);
	spending_destroy(all);
}

#define fresh(test) cmocka_unit_test_setup_teardown(test, make, drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		fresh(a_question_is_raised_once_and_settled_by_whoever_answers),
		fresh(what_is_answered_at_once_is_no_matter),
		fresh(a_question_of_nobody_known_has_a_name_too),
		fresh(a_question_that_cannot_be_answered_here_is_a_matter),
		fresh(long_work_is_told_when_it_is_done_and_short_work_is_not),
		fresh(a_failure_is_told_and_settled_by_the_next_work),
		fresh(who_vanishes_in_the_middle_of_work_is_told_of),
		fresh(what_stood_before_the_start_is_known),
		fresh(what_happened_long_ago_is_no_news),
		fresh(a_matter_that_nobody_sees_to_ends_after_a_day),
		fresh(the_budget_is_told_once_a_day),
		fresh(the_sum_of_a_day_has_that_day_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

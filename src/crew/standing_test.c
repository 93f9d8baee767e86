/* standing_test.c - the same reports make the same state, in whatever order they are heard. */
#include "crew/standing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static uint32_t chance = 12345;

static uint32_t draw(uint32_t below)
{
	chance = chance * 1664525 + 1013904223;
	return (chance >> 8) % below;
}

/* One session as hooks, a registry and a transcript tell it, each in its order. */
static const struct standing_news hooks[] = {
	{.moment = MOMENT_BEGAN, .at_ms = 100, .exit = -1},
	{.moment = MOMENT_TOLD, .at_ms = 200, .exit = -1},
	{.moment = MOMENT_CALLED, .at_ms = 310, .exit = -1, .call = {"c1", 2}, .tool = {"Bash", 4}},
	{.moment = MOMENT_CALLED, .at_ms = 312, .exit = -1, .call = {"c2", 2}, .tool = {"Edit", 4}},
	{.moment = MOMENT_ASKED, .at_ms = 320, .exit = -1, .tool = {"Edit", 4}},
	{.moment = MOMENT_RETURNED, .at_ms = 400, .exit = -1, .call = {"c1", 2}},
	{.moment = MOMENT_RETURNED, .at_ms = 500, .exit = -1, .call = {"c2", 2}},
	{.moment = MOMENT_SAID, .at_ms = 600, .exit = -1},
	{.moment = MOMENT_OVER, .at_ms = 700, .exit = -1},
	{.moment = MOMENT_ENDED, .at_ms = 900, .exit = -1},
};
static const struct standing_news registry[] = {
	{.moment = MOMENT_OVER, .at_ms = 90, .exit = -1},
	{.moment = MOMENT_BUSY, .at_ms = 205, .exit = -1},
	{.moment = MOMENT_ASKED, .at_ms = 325, .exit = -1},
	{.moment = MOMENT_BUSY, .at_ms = 410, .exit = -1},
	{.moment = MOMENT_OVER, .at_ms = 702, .exit = -1},
};
static const struct standing_news transcript[] = {
	{.moment = MOMENT_TOLD, .at_ms = 199, .exit = -1},
	{.moment = MOMENT_CALLED, .at_ms = 305, .exit = -1, .call = {"c1", 2}, .tool = {"Bash", 4}},
	{.moment = MOMENT_CALLED, .at_ms = 306, .exit = -1, .call = {"c2", 2}, .tool = {"Edit", 4}},
	{.moment = MOMENT_RETURNED, .at_ms = 399, .exit = -1, .call = {"c1", 2}},
	{.moment = MOMENT_RETURNED, .at_ms = 498, .exit = -1, .call = {"c2", 2}},
	{.moment = MOMENT_OVER, .at_ms = 701, .exit = -1},
};

struct telling {
	const struct standing_news *news;
	size_t count, next;
};

/* All that happened up to a time, in some order of the three. */
static enum crew_state tell_mixed(double until_ms)
{
	struct telling all[] = {
		{hooks, sizeof(hooks) / sizeof(*hooks), 0},
		{registry, sizeof(registry) / sizeof(*registry), 0},
		{transcript, sizeof(transcript) / sizeof(*transcript), 0},
	};
	enum crew_state state;
	struct standing s;
	unsigned left = 3;

	standing_init(&s);
	for (unsigned i = 0; i < 3; i++)
		while (all[i].count && all[i].news[all[i].count - 1].at_ms > until_ms)
			all[i].count--;
	while (left) {
		struct telling *t = &all[draw(3)];

		if (t->next < t->count)
			standing_hear(&s, &t->news[t->next++]);
		left = 0;
		for (unsigned i = 0; i < 3; i++)
			left += all[i].next < all[i].count;
	}
	state = s.state;
	standing_finish(&s);
	return state;
}

static void test_interleaved(void **state)
{
	/* Moments at which all three have told what they know of it. */
	static const struct {
		double at_ms;
		enum crew_state wanted;
	} times[] = {
		{150, CREW_IDLE},      {250, CREW_THINKING}, {315, CREW_TOOL},
		{330, CREW_ASKS},      {450, CREW_TOOL},     {550, CREW_THINKING},
		{650, CREW_ANSWERING}, {800, CREW_IDLE},     {1000, CREW_FINISHED},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
		for (unsigned round = 0; round < 500; round++) {
			enum crew_state came = tell_mixed(times[i].at_ms);

			if (came != times[i].wanted)
				fail_msg("at %.0f: %s", times[i].at_ms, state_name(came));
		}
}

static void hear_call(struct standing *s, enum crew_moment moment, double at_ms, unsigned number)
{
	char call[32];

	snprintf(call, sizeof(call), "call-%u", number);
	standing_hear(s, &(struct standing_news){.moment = moment,
	                                         .at_ms = at_ms,
	                                         .exit = -1,
	                                         .call = text_of(call),
	                                         .tool = TEXT("Bash")});
}

/* More calls than are remembered: it stays at work, and nothing is out of bounds. */
static void test_many_calls(void **state)
{
	struct standing s;

	(void)state;
	standing_init(&s);
	for (unsigned i = 0; i < 1000; i++)
		hear_call(&s, MOMENT_CALLED, 10 + i, i);
	assert_int_equal(s.call_count, STANDING_CALLS_MAX);
	assert_int_equal(s.state, CREW_TOOL);
	for (unsigned i = 0; i < 1000; i++)
		hear_call(&s, MOMENT_RETURNED, 2000 + i, i);
	assert_int_equal(s.call_count, 0);
	assert_int_equal(s.state, CREW_THINKING);
	standing_finish(&s);
}

/* A tool runs for an hour; its clock is that of the call. */
static void test_long_tool(void **state)
{
	struct standing s;

	(void)state;
	standing_init(&s);
	hear_call(&s, MOMENT_CALLED, 1000, 1);
	standing_hear(&s, &(struct standing_news){.moment = MOMENT_BUSY, .at_ms = 3600000});
	assert_int_equal(s.state, CREW_TOOL);
	assert_true(s.since_ms == 1000);
	standing_hear(&s, &(struct standing_news){.moment = MOMENT_OVER, .at_ms = -1});
	assert_int_equal(s.state, CREW_TOOL);
	standing_finish(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_interleaved),
		cmocka_unit_test(test_many_calls),
		cmocka_unit_test(test_long_tool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

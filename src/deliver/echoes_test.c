/* echoes_test.c - programs that answer each other, and people. */
#include "deliver/echoes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct echo_turn bot = {{"room", 4}, {"bot", 3}, ECHO_UNKNOWN};
static const struct echo_turn friend = {{"room", 4}, {"bob", 3}, ECHO_KNOWN};
static const struct echo_turn owner = {{"room", 4}, {"ada", 3}, ECHO_OWNER};

/* How many of so many turns are answered, each so long behind the one before. */
static unsigned answers(struct echoes *e, const struct echo_turn *turn, int64_t *now_ms,
                        int64_t gap_ms)
{
	unsigned count = 0;

	for (unsigned i = 0; i < 3 * ECHOES_ANSWERS_MAX; i++) {
		*now_ms += gap_ms;
		count += echoes_step(e, turn, *now_ms) == ECHO_ANSWER;
	}
	return count;
}

static void an_exchange_without_a_person_ends(void **state)
{
	const struct echo_turn elsewhere = {{"hall", 4}, {"bot", 3}, ECHO_UNKNOWN};
	int64_t now_ms = 0;
	struct echoes e;

	echoes_init(&e);
	assert_int_equal(answers(&e, &bot, &now_ms, 20000), ECHOES_ANSWERS_MAX);
	assert_int_equal(echoes_step(&e, &elsewhere, now_ms), ECHO_ANSWER);
	assert_int_equal(echoes_step(&e, &bot, now_ms + ECHOES_PAUSE_MS - 1), ECHO_SILENCE);
	now_ms += 2 * ECHOES_PAUSE_MS;
	assert_int_equal(answers(&e, &bot, &now_ms, 20000), ECHOES_ANSWERS_MAX);
	echoes_finish(&e);
}

static void the_first_that_is_not_answered_is_told_why(void **state)
{
	struct echoes e;

	echoes_init(&e);
	for (unsigned i = 0; i < ECHOES_ANSWERS_MAX; i++)
		assert_int_equal(echoes_step(&e, &bot, i), ECHO_ANSWER);
	assert_int_equal(echoes_step(&e, &bot, ECHOES_ANSWERS_MAX), ECHO_TELL);
	assert_int_equal(echoes_step(&e, &bot, ECHOES_ANSWERS_MAX + 1), ECHO_SILENCE);
	echoes_finish(&e);
}

static void a_person_in_the_chat_begins_it_anew(void **state)
{
	int64_t now_ms = 0;
	struct echoes e;

	echoes_init(&e);
	answers(&e, &bot, &now_ms, 1000);
	assert_int_equal(echoes_step(&e, &bot, now_ms), ECHO_SILENCE);
	assert_int_equal(echoes_step(&e, &friend, now_ms), ECHO_ANSWER);
	assert_int_equal(echoes_step(&e, &bot, now_ms), ECHO_ANSWER);
	answers(&e, &bot, &now_ms, 1000);
	assert_int_equal(echoes_step(&e, &owner, now_ms), ECHO_ANSWER);
	assert_int_equal(echoes_step(&e, &bot, now_ms), ECHO_ANSWER);
	echoes_finish(&e);
}

static void somebody_known_has_to_be_quick_to_be_a_program(void **state)
{
	const unsigned all = 3 * ECHOES_ANSWERS_MAX;
	int64_t now_ms = 0;
	struct echoes e;

	echoes_init(&e);
	assert_int_equal(answers(&e, &friend, &now_ms, ECHOES_KNOWN_PAUSE_MS), all);
	assert_int_equal(answers(&e, &friend, &now_ms, 5000), ECHOES_ANSWERS_MAX - 1);
	assert_int_equal(answers(&e, &owner, &now_ms, 5), all);
	echoes_finish(&e);
}

static void the_oldest_are_forgotten(void **state)
{
	struct echoes e;
	char name[16];

	echoes_init(&e);
	for (unsigned i = 0; i < 2 * ECHOES_MAX; i++) {
		snprintf(name, sizeof(name), "%u", i);
		echoes_step(&e, &(struct echo_turn){TEXT("room"), text_of(name), ECHO_UNKNOWN}, i);
	}
	assert_int_equal(e.count, ECHOES_MAX);
	echoes_finish(&e);
	assert_int_equal(e.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_exchange_without_a_person_ends),
		cmocka_unit_test(the_first_that_is_not_answered_is_told_why),
		cmocka_unit_test(a_person_in_the_chat_begins_it_anew),
		cmocka_unit_test(somebody_known_has_to_be_quick_to_be_a_program),
		cmocka_unit_test(the_oldest_are_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

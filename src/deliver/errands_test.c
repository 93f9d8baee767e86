/* calls_test.c - how calls go again, and what they are answered with. */
#include "deliver/errands.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define TOKEN "12:secret"

static struct errands calls;
static struct channel_options options;
static unsigned starts, wakes, drops;
static char heard[512]; /* "ACT ANSWER DELIVERY PIECE ID WHY", and "; " between */

static struct request *fail_to_start(struct channel_errand *c, struct request_options *o,
                                     struct error *why)
{
	starts++;
	error_set(why, "no\tway to %s", TOKEN);
	return NULL;
}

static void judge(struct channel_errand *c)
{
	fail_msg("nothing was sent");
}

static void drop(struct channel_errand *c)
{
	drops++;
}

static void wake(void *self)
{
	wakes++;
}

static void answered(void *self, const struct channel_result *r)
{
	size_t len = strlen(heard);

	snprintf(heard + len, sizeof(heard) - len, "%s%d %d %.*s %u %.*s %s", len ? "; " : "",
	         (int)r->act, (int)r->answer, TEXT_ARG(r->delivery), r->piece, TEXT_ARG(r->message),
	         r->why->words);
}

static const struct errands_kind kind = {
	.size = sizeof(struct channel_errand),
	.answer_max = KIB,
	.most = 2,
	.full = "too many",
	.start = fail_to_start,
	.judge = judge,
	.drop = drop,
};

static const struct channel_message message = {.delivery = {"D1", 2}, .piece = 3};

static int begin(void **state)
{
	options = (struct channel_options){.wake = wake, .answered = answered};
	starts = wakes = drops = 0;
	heard[0] = '\0';
	errands_init(&calls, &kind, &options);
	calls.secrets[0] = TOKEN;
	return 0;
}

static int end(void **state)
{
	errands_finish(&calls);
	return 0;
}

static void expect_answer(enum channel_act act, enum channel_answer answer, const char *rest)
{
	char wanted[256];

	snprintf(wanted, sizeof(wanted), "%d %d D1 3 %s", (int)act, (int)answer, rest);
	assert_string_equal(heard, wanted);
	heard[0] = '\0';
}

static void what_did_not_leave_goes_again_later_each_time(void **state)
{
	struct channel_errand *c = errands_make(&calls, &message, CHANNEL_SEND);

	errands_start(c);
	assert_in_range(c->due_ms, 360, 440);
	assert_int_equal(wakes, 1);
	assert_int_equal(errands_tick(&calls, 100), c->due_ms);
	assert_int_equal(starts, 1);
	errands_tick(&calls, 450);
	assert_int_equal(starts, 2);
	assert_in_range(c->due_ms, 720, 880);
	assert_string_equal(heard, "");
	assert_int_equal(errands_tick(&calls, 900), INT64_MAX);
	assert_int_equal(starts, 3);
	expect_answer(CHANNEL_SEND, CHANNEL_AWAY, " no way to *********");
	assert_int_equal(calls.count, 0);
}

static void waits_differ_by_a_tenth(void **state)
{
	int64_t least = INT64_MAX, most = 0;

	for (unsigned i = 0; i < 200; i++) {
		struct channel_errand *c = errands_make(&calls, &message, CHANNEL_SEND);

		errands_again(c, "away");
		least = c->due_ms < least ? c->due_ms : least;
		most = c->due_ms > most ? c->due_ms : most;
		errands_drop(c);
	}
	assert_in_range(least, 360, 370);
	assert_in_range(most, 430, 440);
}

static void what_may_have_been_taken_is_unknown(void **state)
{
	struct channel_errand *c = errands_make(&calls, &message, CHANNEL_EDIT);

	c->has_left = true;
	c->tries = 2;
	errands_again(c, "gone");
	expect_answer(CHANNEL_EDIT, CHANNEL_UNKNOWN, " gone");
	c = errands_make(&calls, &message, CHANNEL_LOOK);
	c->has_left = true;
	c->tries = 2;
	errands_again(c, "gone");
	expect_answer(CHANNEL_LOOK, CHANNEL_AWAY, " gone");
}

static void what_nobody_waits_for_goes_once_and_is_not_answered(void **state)
{
	struct channel_errand *c = errands_make(&calls, &message, CHANNEL_SEND);

	c->is_aside = true;
	errands_start(c);
	assert_int_equal(starts, 1);
	assert_int_equal(drops, 1);
	assert_string_equal(heard, "");
}

/* Else whoever keeps the message would try it again in the same moment, without end. */
static void a_chat_that_is_full_is_not_ready(void **state)
{
	assert_int_equal(errands_ready(&calls, 7), 7);
	errands_make(&calls, &message, CHANNEL_SEND);
	assert_int_equal(errands_ready(&calls, 7), 7);
	errands_make(&calls, &message, CHANNEL_SEND);
	assert_in_range(errands_ready(&calls, 7), 8, 1007);
	errands_refuse(&calls, &message, CHANNEL_SEND,
	               &(struct channel_result){.answer = CHANNEL_LATER});
	expect_answer(CHANNEL_SEND, CHANNEL_LATER, " too many");
	errands_drop(list_of(calls.list.next, struct channel_errand, in_all));
	assert_int_equal(errands_ready(&calls, 7), 7);
}

static void an_end_has_the_id_of_the_answer(void **state)
{
	struct channel_errand *c = errands_make(&calls, &message, CHANNEL_SEND);

	buf_add(&c->answer, TEXT("id-7"));
	errands_end(c, CHANNEL_ACCEPTED, buf_text(&c->answer), TEXT(""));
	expect_answer(CHANNEL_SEND, CHANNEL_ACCEPTED, "id-7 ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_did_not_leave_goes_again_later_each_time,
	                                        begin, end),
		cmocka_unit_test_setup_teardown(waits_differ_by_a_tenth, begin, end),
		cmocka_unit_test_setup_teardown(what_may_have_been_taken_is_unknown, begin, end),
		cmocka_unit_test_setup_teardown(what_nobody_waits_for_goes_once_and_is_not_answered,
	                                        begin, end),
		cmocka_unit_test_setup_teardown(a_chat_that_is_full_is_not_ready, begin, end),
		cmocka_unit_test_setup_teardown(an_end_has_the_id_of_the_answer, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

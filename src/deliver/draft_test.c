/* draft_test.c - what is shown of a text that grows, and when. */
#include "deliver/draft.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct live_draft draft;
static struct buf piece;
static char did[4096];

static int open_draft(void **state)
{
	draft_init(&draft, &(struct draft_options){{CHUNK_POINTS, 60, 0}, 1000, 10});
	buf_init(&piece, 64 * KIB);
	did[0] = '\0';
	return 0;
}

static int close_draft(void **state)
{
	draft_finish(&draft);
	buf_finish(&piece);
	return 0;
}

static enum draft_act next(int64_t now_ms)
{
	static const char *const names[] = {"waits", "begins", "grows", "edits"};
	struct draft_step step = draft_next(&draft, now_ms, &piece);
	size_t n = strlen(did);

	if (step.act != DRAFT_WAITS)
		snprintf(did + n, sizeof(did) - n, "%lld %s %u %.*s\n", (long long)now_ms,
		         names[step.act], step.piece, TEXT_ARG(step.text));
	return step.act;
}

static void say(const char *text)
{
	draft_set(&draft, text_of(text));
}

static void it_begins_when_it_is_long_enough_and_goes_on_at_its_pace(void **state)
{
	say("Good");
	assert_int_equal(draft_due(&draft), INT64_MAX);
	next(100);
	say("Good morning");
	next(200);
	say("Good morning, Ada");
	next(300);
	draft_there(&draft, 1);
	next(400);
	assert_int_equal(draft_due(&draft), 1200);
	say("Good morning, Ada, how");
	say("Good morning, Ada, how are you");
	next(1199);
	next(1200);
	next(2500);
	assert_string_equal(did, "200 begins 0 Good morning\n"
	                         "1200 edits 1 Good morning, Ada, how are you\n");
}

static void one_edit_is_under_way_and_the_newest_text_follows_it(void **state)
{
	say("Good morning");
	next(0);
	draft_there(&draft, 1);
	say("Good morning, one");
	next(1000);
	say("Good morning, two");
	next(5000);
	say("Good morning, three");
	draft_edit_done(&draft, DRAFT_EDITED);
	next(5000);
	draft_edit_done(&draft, DRAFT_EDITED);
	assert_string_equal(did, "0 begins 0 Good morning\n1000 edits 1 Good morning, one\n"
	                         "5000 edits 1 Good morning, three\n");
	assert_true(draft_is_idle(&draft));
}

static void what_is_there_is_not_written_again(void **state)
{
	say("Good morning");
	next(0);
	draft_there(&draft, 1);
	say("Good morning \n");
	assert_int_equal(next(2000), DRAFT_WAITS);
	assert_int_equal(draft_due(&draft), INT64_MAX);
}

static void a_long_text_goes_on_in_another_message(void **state)
{
	const char *whole =
		"The first sentence is of this length. The second one follows it. Then a "
		"third.";

	say("The first sentence is of this length.");
	next(0);
	draft_there(&draft, 1);
	say(whole);
	assert_int_equal(next(1000), DRAFT_GROWS);
	assert_int_equal(draft.sending, 2);
	assert_int_equal(next(9000), DRAFT_WAITS);
	draft_there(&draft, 2);
	say("The first sentence is of this length. The second one follows it. Then a third. And "
	    "more.");
	assert_int_equal(next(9000), DRAFT_EDITS);
	assert_int_equal(draft.editing, 2);
}

static void an_edit_that_fails_ends_it(void **state)
{
	say("Good morning");
	next(0);
	draft_there(&draft, 1);
	say("Good morning, one");
	next(1000);
	draft_edit_done(&draft, DRAFT_EDIT_FAILED);
	say("Good morning, two");
	assert_int_equal(next(9000), DRAFT_WAITS);
	assert_int_equal(draft_due(&draft), INT64_MAX);
	assert_true(draft_is_idle(&draft));
}

static void an_edit_that_was_not_made_is_made_later(void **state)
{
	say("Good morning");
	next(0);
	draft_there(&draft, 1);
	say("Good morning, one");
	next(1000);
	draft_edit_done(&draft, DRAFT_EDIT_LATER);
	draft_hold(&draft, 7000);
	assert_int_equal(next(6999), DRAFT_WAITS);
	assert_int_equal(next(7000), DRAFT_EDITS);
}

static void a_text_without_end_is_not_followed(void **state)
{
	char *endless = malloc(DRAFT_TEXT_MAX + 2);

	assert_non_null(endless);
	memset(endless, 'a', DRAFT_TEXT_MAX + 1);
	endless[DRAFT_TEXT_MAX + 1] = '\0';
	say(endless);
	assert_int_equal(next(0), DRAFT_WAITS);
	assert_true(draft.has_ended);
	free(endless);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_draft, close_draft)
	const struct CMUnitTest tests[] = {
		TEST(it_begins_when_it_is_long_enough_and_goes_on_at_its_pace),
		TEST(one_edit_is_under_way_and_the_newest_text_follows_it),
		TEST(what_is_there_is_not_written_again),
		TEST(a_long_text_goes_on_in_another_message),
		TEST(an_edit_that_fails_ends_it),
		TEST(an_edit_that_was_not_made_is_made_later),
		TEST(a_text_without_end_is_not_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

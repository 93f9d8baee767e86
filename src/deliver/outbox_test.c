/* outbox_test.c - custody: what is on the disk before what leaves, and what a crash makes of it. */
#include "deliver/test_outbox.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/put.h"
#include "bus/fixture.h"
#include "deliver/outbox_stream.h"
#include "deliver/tell.h"

/* ---- in order ---- */

static void nothing_leaves_before_the_disk_knows(void **state)
{
	prepare("r1.1", "good day", "final");
	outbox_work(outbox, now_ms);
	assert_int_equal(state_of("r1.1"), LETTER_PREPARED);
	sync_once();
	assert_int_equal(state_of("r1.1"), LETTER_STARTED);
	outbox_work(outbox, now_ms);
	assert_string_equal(sent, "");
	sync_once();
	assert_string_equal(sent, "1:good day\n");
	assert_int_equal(state_of("r1.1"), LETTER_ACCEPTED);
	sync_once();
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
	assert_string_equal(custody_letter(custody, TEXT("r1.1"))->words[LETTER_MESSAGES], "there");
	assert_null(custody_letter(custody, TEXT("r1.1"))->words[LETTER_TEXT]);
}

static void a_piece_waits_for_the_one_before_it(void **state)
{
	prepare("r1.1", LONG, "final");
	sync_once();
	sync_once();
	outbox_work(outbox, now_ms);
	assert_int_equal(custody_letter(custody, TEXT("r1.1"))->accepted, 1);
	assert_null(strchr(sent, '2'));
	sync_all();
	assert_non_null(strstr(sent, "\n2:"));
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void letters_of_a_chat_leave_one_after_the_other(void **state)
{
	script.is_silent = true;
	prepare("r1.1", "one", "final");
	prepare("r1.2", "two", "final");
	sync_all();
	assert_string_equal(sent, "1:one\n");
	assert_int_equal(state_of("r1.2"), LETTER_PREPARED);
}

/* ---- what goes wrong ---- */

static void what_is_refused_fails_with_words_and_can_be_retried(void **state)
{
	struct error why;
	bool good;

	script.answer = CHANNEL_REFUSED;
	prepare("r1.1", "good day", "final");
	sync_all();
	assert_int_equal(state_of("r1.1"), LETTER_FAILED);
	assert_string_equal(custody_letter(custody, TEXT("r1.1"))->words[LETTER_WHY],
	                    "as the test says");
	script.answer = CHANNEL_ACCEPTED;
	good = outbox_retry(outbox, TEXT("r1.1"), &why);
	assert_true(good);
	sync_all();
	assert_string_equal(sent, "1:good day\n1:good day\n");
	assert_false(outbox_retry(outbox, TEXT("none"), &why));
}

static void a_channel_that_is_away_is_tried_again(void **state)
{
	script.answer = CHANNEL_AWAY;
	prepare("r1.1", "good day", "final");
	sync_all();
	assert_int_equal(state_of("r1.1"), LETTER_QUEUED);
	assert_string_equal(sent, "1:good day\n");
	assert_true(outbox_due(outbox, now_ms) <= now_ms + OUTBOX_AWAY_MS);
	script.answer = CHANNEL_ACCEPTED;
	now_ms += OUTBOX_AWAY_MS;
	sync_all();
	assert_string_equal(sent, "1:good day\n1:good day\n"); /* and does not say "again" */
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void after_a_day_it_is_given_up(void **state)
{
	line.channel = NULL;
	prepare("r1.1", "good day", "final");
	custody_letter(custody, TEXT("r1.1"))->at_ms = (double)wall_ms();
	sync_all();
	assert_int_equal(state_of("r1.1"), LETTER_QUEUED);
	now_ms += (int64_t)OUTBOX_DAY_MS + 1;
	sync_all();
	assert_int_equal(state_of("r1.1"), LETTER_FAILED);
}

static void a_clock_that_jumps_makes_nothing_old(void **state)
{
	line.channel = NULL;
	prepare("r1.1", "good day", "final");
	sync_all();
	wall_jump_ms = 2 * (int64_t)OUTBOX_DAY_MS;
	sync_all();
	assert_int_equal(state_of("r1.1"), LETTER_QUEUED);
}

static void a_piece_that_is_never_there_is_given_up(void **state)
{
	kind.traits.can_recognise = true;
	script.answer = CHANNEL_UNKNOWN;
	script.found = CHANNEL_ABSENT;
	prepare("r1.1", "good day", "final");
	prepare("r1.2", "another", "final");
	for (unsigned i = 0; i < 100 && state_of("r1.1") != LETTER_FAILED; i++) {
		now_ms += OUTBOX_AWAY_MS;
		sync_all();
	}
	assert_int_equal(state_of("r1.1"), LETTER_FAILED);
	assert_int_equal(looks, OUTBOX_ABSENCES);
	assert_true(now_ms > 60000); /* with pauses between */
	script.found = CHANNEL_ACCEPTED;
	now_ms += OUTBOX_AWAY_MOST_MS;
	sync_all();
	assert_int_equal(state_of("r1.2"), LETTER_DELIVERED);
}

static void a_send_without_an_answer_is_sent_again_once(void **state)
{
	script.is_silent = true;
	prepare("r1.1", "good day", "block");
	sync_all();
	now_ms += OUTBOX_SEND_MS;
	sync_all();
	assert_string_equal(sent, "1:good day\n1:(again)\ngood day\n");
	now_ms += OUTBOX_SEND_MS;
	sync_all();
	assert_int_equal(state_of("r1.1"), LETTER_FAILED);
	assert_true(letter_may_be_there(custody_letter(custody, TEXT("r1.1"))));
	assert_string_equal(sent, "1:good day\n1:(again)\ngood day\n");
}

static void a_block_that_is_given_up_is_kept_when_it_has_left(void **state)
{
	script.is_silent = true;
	prepare("r1.1", "one", "block");
	prepare("r1.2", "two", "block");
	sync_all();
	assert_true(outbox_give_up(outbox, TEXT("r1.1")));
	assert_false(outbox_give_up(outbox, TEXT("r1.2")));
	assert_int_equal(state_of("r1.2"), LETTER_FAILED);
	assert_false(letter_may_be_there(custody_letter(custody, TEXT("r1.2"))));
	script.is_silent = false;
	script.answer = CHANNEL_AWAY;
	now_ms += OUTBOX_SEND_MS;
	sync_all();
	assert_true(outbox_give_up(outbox, TEXT("r1.1")));
	script.answer = CHANNEL_ACCEPTED;
	now_ms += OUTBOX_AWAY_MS;
	sync_all();
	assert_string_equal(sent, "1:one\n1:(again)\none\n1:(again)\none\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

/* ---- crashes ---- */

static void crash_after_start(void)
{
	script.is_silent = true;
	prepare("r1.1", "good day", "final");
	sync_all();
	assert_string_equal(sent, "1:good day\n");
	script.is_silent = false;
	restart();
	sync_all();
}

static void what_is_prepared_is_sent_after_a_crash(void **state)
{
	prepare("r1.1", "good day", "final");
	restart();
	sync_all();
	assert_string_equal(sent, "1:good day\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void what_is_there_is_not_sent_again(void **state)
{
	kind.traits.can_recognise = true;
	script.found = CHANNEL_ACCEPTED;
	crash_after_start();
	assert_int_equal(looks, 1);
	assert_string_equal(sent, "1:good day\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void what_is_not_there_is_sent_as_it_was(void **state)
{
	kind.traits.can_recognise = true;
	script.found = CHANNEL_ABSENT;
	crash_after_start();
	assert_string_equal(sent, "1:good day\n1:good day\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void an_answer_that_is_lost_is_looked_for(void **state)
{
	kind.traits.can_recognise = true;
	script.answer = CHANNEL_UNKNOWN;
	script.found = CHANNEL_ACCEPTED;
	prepare("r1.1", "good day", "final");
	sync_all();
	assert_int_equal(looks, 0);
	assert_int_equal(state_of("r1.1"), LETTER_STARTED);
	now_ms += OUTBOX_DOUBT_MS;
	sync_all();
	assert_int_equal(looks, 1);
	assert_string_equal(sent, "1:good day\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void who_could_tell_and_is_away_is_asked_again(void **state)
{
	kind.traits.can_recognise = true;
	script.found = CHANNEL_AWAY;
	crash_after_start();
	assert_int_equal(looks, 1);
	now_ms += OUTBOX_AWAY_MS;
	script.found = CHANNEL_LATER;
	sync_all();
	assert_int_equal(looks, 2);
	assert_int_equal(state_of("r1.1"), LETTER_STARTED);
	now_ms += 2 * OUTBOX_AWAY_MS;
	script.found = CHANNEL_UNKNOWN;
	sync_all();
	assert_int_equal(looks, 3);
	assert_string_equal(sent, "1:good day\n1:(again)\ngood day\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void where_nobody_knows_it_says_again(void **state)
{
	crash_after_start();
	assert_int_equal(looks, 0);
	assert_string_equal(sent, "1:good day\n1:(again)\ngood day\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void or_it_is_left(void **state)
{
	line.leaves_unknown = true;
	crash_after_start();
	assert_string_equal(sent, "1:good day\n");
	assert_int_equal(state_of("r1.1"), LETTER_FAILED);
}

/* ---- drafts ---- */

static void a_draft_rests_and_the_last_edit_ends_it(void **state)
{
	bool good;

	draft("good");
	prepare("r1.2", "another", "final");
	sync_all();
	assert_int_equal(state_of("r1.2"), LETTER_DELIVERED);
	good = outbox_edit(outbox, TEXT("r1.1"), &(struct outbox_edit){1, TEXT("good day")},
	                   now_ms);
	assert_true(good);
	assert_int_equal(custody_letter(custody, TEXT("r1.1"))->live, LETTER_LIVE_DONE);
	finish("good day, Ada");
	assert_string_equal(sent, "1:good\n1:another\nedit there:good day\n"
	                          "edit there:good day, Ada\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void an_agent_may_take_days_for_its_last_text(void **state)
{
	draft("good");
	now_ms += 3 * (int64_t)OUTBOX_DAY_MS;
	finish("good day");
	assert_string_equal(sent, "1:good\nedit there:good day\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static bool channel_streams(void *self, const struct channel_message *m, enum channel_flow flow)
{
	return true;
}

static void a_stream_ends_where_its_chat_is_another_channel_now(void **state)
{
	kind.traits.can_stream = true;
	kind.stream = channel_streams;
	script.is_silent = true;
	prepare("r1.1", "good", "stream");
	sync_all();
	assert_true(outbox_say(outbox, TEXT("r1.1"), TEXT("good day"), now_ms));
	kind.stream = NULL;
	assert_true(outbox_say(outbox, TEXT("r1.1"), TEXT("good day, Ada"), now_ms));
	sync_all();
	assert_int_equal(state_of("r1.1"), LETTER_UNKNOWN);
}

static void a_draft_that_has_its_text_is_not_edited(void **state)
{
	draft("good day");
	finish("good day");
	assert_string_equal(sent, "1:good day\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void a_draft_that_has_not_left_is_sent_as_a_final(void **state)
{
	prepare("r1.1", "good", "draft");
	finish("good day");
	assert_string_equal(sent, "1:good day\n");
}

static void a_longer_end_goes_on_in_another_message(void **state)
{
	draft("The first sentence is of");
	finish(LONG);
	assert_non_null(strstr(sent, "edit there:The first sentence is of this length."));
	assert_non_null(strstr(sent, "\n2:"));
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void an_edit_that_is_refused_makes_it_a_new_message(void **state)
{
	draft("good");
	script.changed = CHANNEL_REFUSED;
	finish("good day");
	assert_string_equal(sent, "1:good\nedit there:good day\n1:good day\nremove there:\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void an_edit_that_is_lost_is_made_again(void **state)
{
	draft("good");
	script.changed = CHANNEL_UNKNOWN;
	finish("good day");
	script.changed = CHANNEL_ACCEPTED;
	now_ms += OUTBOX_AWAY_MS;
	sync_all();
	assert_string_equal(sent, "1:good\nedit there:good day\nedit there:good day\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void what_is_dropped_is_taken_away(void **state)
{
	draft("good");
	assert_true(outbox_drop(outbox, TEXT("r1.1")));
	sync_all();
	assert_string_equal(sent, "1:good\nremove there:\n");
	assert_int_equal(state_of("r1.1"), LETTER_WITHDRAWN);
	assert_false(outbox_drop(outbox, TEXT("r1.1")));
}

static void a_crash_between_the_end_and_the_edit_edits(void **state)
{
	draft("good");
	assert_true(
		outbox_finish(outbox, TEXT("r1.1"),
	                      &(struct outbox_wish){.text = TEXT("good day"), .kind = "final"}));
	restart();
	sync_all();
	assert_string_equal(sent, "1:good\nedit there:good day\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

/* Nobody knows whether the draft is there: the end says so. */
static void a_crash_while_a_draft_leaves_is_not_taken_for_its_end(void **state)
{
	script.is_silent = true;
	prepare("r1.1", "good", "draft");
	sync_all();
	script.is_silent = false;
	line.leaves_unknown = true; /* all that was left was a half */
	restart();
	finish("good day");
	assert_string_equal(sent, "1:good\n1:(again)\ngood day\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void draft_in_doubt(void)
{
	script.is_silent = true;
	prepare("r1.1", "good", "draft");
	sync_all();
	now_ms += OUTBOX_SEND_MS;
	sync_all();
	script.is_silent = false;
}

static void a_draft_of_which_nobody_knows_waits_for_its_end(void **state)
{
	draft_in_doubt();
	assert_int_equal(state_of("r1.1"), LETTER_UNKNOWN);
	prepare("r1.2", "another", "aside");
	sync_all();
	assert_int_equal(state_of("r1.2"), LETTER_DELIVERED); /* nobody waits for it */
	finish("good day");
	assert_string_equal(sent, "1:good\n1:another\n1:(again)\ngood day\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void a_draft_that_is_found_becomes_its_end(void **state)
{
	kind.traits.can_recognise = true;
	script.found = CHANNEL_ACCEPTED;
	draft_in_doubt();
	now_ms += OUTBOX_DOUBT_MS;
	sync_all();
	assert_int_equal(state_of("r1.1"), LETTER_ACCEPTED);
	finish("good day");
	assert_string_equal(sent, "1:good\nedit there:good day\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void a_draft_of_which_nobody_knows_and_that_is_dropped_has_failed(void **state)
{
	draft_in_doubt();
	assert_true(outbox_drop(outbox, TEXT("r1.1")));
	sync_all();
	assert_string_equal(sent, "1:good\n");
	assert_int_equal(state_of("r1.1"), LETTER_FAILED);
}

static bool prepare_for(const char *account, const char *peer, unsigned number, bool is_stranger)
{
	char id[32];

	snprintf(id, sizeof(id), "%s.%u", account, number);
	return outbox_prepare(outbox, &(struct outbox_wish){.id = text_of(id),
	                                                    .request = TEXT("r"),
	                                                    .account = text_of(account),
	                                                    .peer = text_of(peer),
	                                                    .text = TEXT("good day"),
	                                                    .kind = "final",
	                                                    .is_for_stranger = is_stranger});
}

static void another_chat_does_not_wait(void **state)
{
	script.is_silent = true;
	prepare("r1.1", "one", "final");
	assert_true(prepare_for("desk", "bob", 0, false));
	sync_all();
	assert_string_equal(sent, "1:one\n1:good day\n");
}

static bool prepare_one(const char *account, unsigned number)
{
	return prepare_for(account, "ada", number, false);
}

static void strangers_leave_room_for_those_who_are_known(void **state)
{
	unsigned n = 0;

	while (n < OUTBOX_CHAT_MAX)
		assert_true(prepare_for("away", "room", n++, true));
	assert_false(prepare_for("away", "room", n, true));
	for (char peer[] = "a"; n < OUTBOX_WAITING_MAX - OUTBOX_ROOM;
	     peer[0] = (char)('a' + n % 20))
		assert_true(prepare_for("away", peer, n++, true));
	assert_false(prepare_for("away", "eve", n, true));
	while (n < OUTBOX_WAITING_MAX)
		assert_true(prepare_for("away", "room", n++, false));
	assert_false(prepare_for("away", "ada", n, false));
}

static void letters_of_an_account_that_is_gone_end_with_words(void **state)
{
	assert_true(prepare_one("gone", 0));
	sync_all();
	assert_int_equal(state_of("gone.0"), LETTER_FAILED);
}

static void an_account_has_so_many_waiting_and_others_do_not_wait(void **state)
{
	for (unsigned i = 0; i < OUTBOX_WAITING_MAX; i++)
		assert_true(prepare_one("away", i));
	sync_all();
	assert_int_equal(custody_open_count(custody), OUTBOX_WAITING_MAX);
	assert_false(prepare_one("away", OUTBOX_WAITING_MAX));
	assert_true(prepare_one("desk", 0));
	sync_all();
	assert_int_equal(state_of("desk.0"), LETTER_DELIVERED);
}

static unsigned lines_sent(void)
{
	unsigned count = 0;

	for (const char *c = sent; *c; c++)
		count += *c == '\n';
	return count;
}

static void a_channel_that_is_away_is_tried_with_few(void **state)
{
	const unsigned all = 40;
	char peer[16];

	script.answer = CHANNEL_AWAY;
	for (unsigned i = 0; i < all; i++) {
		snprintf(peer, sizeof(peer), "p%u", i);
		assert_true(prepare_for("desk", peer, i, false));
	}
	sync_all();
	assert_in_range(lines_sent(), 1, all / 2);
	assert_int_equal(custody_open_count(custody), all);
	sent[0] = '\0';
	script.answer = CHANNEL_ACCEPTED;
	now_ms += OUTBOX_AWAY_MS;
	sync_all();
	assert_int_equal(lines_sent(), all);
	assert_int_equal(custody_open_count(custody), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_outbox, close_outbox)
	const struct CMUnitTest tests[] = {
		TEST(nothing_leaves_before_the_disk_knows),
		TEST(a_piece_waits_for_the_one_before_it),
		TEST(letters_of_a_chat_leave_one_after_the_other),
		TEST(what_is_refused_fails_with_words_and_can_be_retried),
		TEST(a_channel_that_is_away_is_tried_again),
		TEST(after_a_day_it_is_given_up),
		TEST(a_clock_that_jumps_makes_nothing_old),
		TEST(a_piece_that_is_never_there_is_given_up),
		TEST(an_agent_may_take_days_for_its_last_text),
		TEST(a_stream_ends_where_its_chat_is_another_channel_now),
		TEST(a_send_without_an_answer_is_sent_again_once),
		TEST(a_block_that_is_given_up_is_kept_when_it_has_left),
		TEST(a_draft_of_which_nobody_knows_waits_for_its_end),
		TEST(a_draft_that_is_found_becomes_its_end),
		TEST(a_draft_of_which_nobody_knows_and_that_is_dropped_has_failed),
		TEST(what_is_prepared_is_sent_after_a_crash),
		TEST(what_is_there_is_not_sent_again),
		TEST(what_is_not_there_is_sent_as_it_was),
		TEST(an_answer_that_is_lost_is_looked_for),
		TEST(who_could_tell_and_is_away_is_asked_again),
		TEST(where_nobody_knows_it_says_again),
		TEST(or_it_is_left),
		TEST(a_draft_rests_and_the_last_edit_ends_it),
		TEST(a_draft_that_has_its_text_is_not_edited),
		TEST(a_draft_that_has_not_left_is_sent_as_a_final),
		TEST(a_longer_end_goes_on_in_another_message),
		TEST(an_edit_that_is_refused_makes_it_a_new_message),
		TEST(an_edit_that_is_lost_is_made_again),
		TEST(what_is_dropped_is_taken_away),
		TEST(a_crash_between_the_end_and_the_edit_edits),
		TEST(a_crash_while_a_draft_leaves_is_not_taken_for_its_end),
		TEST(another_chat_does_not_wait),
		TEST(an_account_has_so_many_waiting_and_others_do_not_wait),
		TEST(strangers_leave_room_for_those_who_are_known),
		TEST(letters_of_an_account_that_is_gone_end_with_words),
		TEST(a_channel_that_is_away_is_tried_with_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* outbox_files_test.c - files of letters: pieces behind their text. */
#include "deliver/test_outbox.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define FILES "a.png\nhttps://h/b.pdf?key=secret"

static void prepare_files(const char *text, const char *of_kind)
{
	kind.traits.can_media = true;
	media = FILES;
	prepare("r1.1", text, of_kind);
	media = NULL;
}

static const char *missed_of(const char *id)
{
	return custody_letter(custody, text_of(id))->words[LETTER_MISSED];
}

static void files_are_pieces_behind_the_text(void **state)
{
	script.file = OUTBOX_FILE_COMES;
	prepare_files("good day", "final");
	sync_all();
	assert_string_equal(sent, "1:good day\n");
	assert_int_equal(state_of("r1.1"), LETTER_ACCEPTED); /* nothing was begun without bytes */
	script.file = OUTBOX_FILE_HERE;
	now_ms += OUTBOX_AWAY_MS;
	sync_once();
	assert_int_equal(state_of("r1.1"), LETTER_STARTED);
	assert_string_equal(sent, "1:good day\n");
	sync_once();
	assert_string_equal(sent, "1:good day\n2:<file 1>\n");
	outbox_work(outbox, now_ms);
	assert_string_equal(sent, "1:good day\n2:<file 1>\n");
	sync_all();
	assert_string_equal(sent, "1:good day\n2:<file 1>\n3:<file 2>\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
	assert_null(missed_of("r1.1"));
}

static void a_file_that_cannot_be_sent_is_told_and_stops_nothing(void **state)
{
	script.file = OUTBOX_FILE_MISSING;
	prepare_files("good day", "final");
	sync_all();
	assert_string_equal(sent, "1:good day\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
	assert_string_equal(missed_of("r1.1"), "a.png: it did not come\nb.pdf: it did not come");
}

static void files_that_are_refused_fail_a_letter_of_files_alone(void **state)
{
	struct error why;
	bool good;

	script.is_refusing_files = true;
	prepare_files("", "final");
	sync_all();
	assert_string_equal(sent, "1:<file 1>\n2:<file 2>\n");
	assert_int_equal(state_of("r1.1"), LETTER_FAILED);
	assert_string_equal(missed_of("r1.1"), "a.png: as the test says\nb.pdf: as the test says");
	script.is_refusing_files = false;
	sent[0] = '\0';
	good = outbox_retry(outbox, TEXT("r1.1"), &why);
	assert_true(good);
	sync_all();
	assert_string_equal(sent, "1:<file 1>\n2:<file 2>\n");
}

static void after_a_crash_a_file_that_was_begun_goes_again_and_says_so(void **state)
{
	prepare_files("", "final");
	script.is_silent = true;
	sync_all();
	assert_string_equal(sent, "1:<file 1>\n");
	script.is_silent = false;
	restart();
	sync_all();
	assert_string_equal(sent, "1:<file 1>\n1:(again)<file 1>\n2:<file 2>\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void a_file_of_which_nobody_knows_is_told_as_well(void **state)
{
	prepare_files("", "final");
	script.is_silent = true;
	for (int i = 0; i < 2; i++) {
		sync_all();
		now_ms += OUTBOX_SEND_MS;
	}
	script.is_silent = false;
	sync_all();
	assert_string_equal(sent, "1:<file 1>\n1:(again)<file 1>\n2:<file 2>\n");
	assert_string_equal(missed_of("r1.1"), "a.png: nobody knows whether it arrived");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void where_no_files_are_shown_the_text_names_them(void **state)
{
	kind.traits.limit.max = 200;
	media = FILES;
	prepare("r1.1", "good day", "final");
	media = NULL;
	sync_all();
	assert_string_equal(sent, "1:good day\n\n[picture: a.png]\n[file: b.pdf]\n");
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

/* Of two pieces; so many rounds. */
static void begin_draft(unsigned rounds)
{
	kind.traits.can_media = kind.traits.can_edit = true;
	prepare("r1.1", LONG, "draft");
	while (rounds--)
		sync_once();
	sent[0] = '\0';
}

static void finish_draft(void)
{
	media = "a.png";
	finish("short");
	media = NULL;
	assert_int_equal(state_of("r1.1"), LETTER_DELIVERED);
}

static void files_of_a_draft_follow_its_last_text_and_stay(void **state)
{
	begin_draft(20);
	assert_int_equal(custody_letter(custody, TEXT("r1.1"))->accepted, 2);
	finish_draft();
	assert_string_equal(sent, "edit there:short\n3:<file 1>\nremove there:\n");
}

static void a_piece_that_the_last_text_lacks_does_not_leave(void **state)
{
	begin_draft(3);
	assert_int_equal(custody_letter(custody, TEXT("r1.1"))->accepted, 1);
	assert_int_equal(state_of("r1.1"), LETTER_STARTED);
	finish_draft();
	assert_string_equal(sent, "edit there:short\n2:<file 1>\n");
}

static void a_file_is_not_the_piece_of_which_nobody_knows(void **state)
{
	begin_draft(3);
	script.is_silent = true;
	sync_all();
	now_ms += OUTBOX_SEND_MS;
	sync_all();
	assert_int_equal(state_of("r1.1"), LETTER_UNKNOWN);
	script.is_silent = false;
	sent[0] = '\0';
	finish_draft();
	assert_string_equal(sent, "edit there:short\n2:<file 1>\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_outbox, close_outbox)
	const struct CMUnitTest tests[] = {
		TEST(files_are_pieces_behind_the_text),
		TEST(a_file_that_cannot_be_sent_is_told_and_stops_nothing),
		TEST(files_that_are_refused_fail_a_letter_of_files_alone),
		TEST(after_a_crash_a_file_that_was_begun_goes_again_and_says_so),
		TEST(a_file_of_which_nobody_knows_is_told_as_well),
		TEST(where_no_files_are_shown_the_text_names_them),
		TEST(files_of_a_draft_follow_its_last_text_and_stay),
		TEST(a_piece_that_the_last_text_lacks_does_not_leave),
		TEST(a_file_is_not_the_piece_of_which_nobody_knows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* irc_line_test.c - lines of servers, words of people, and lines of ours. */
#include "deliver/irc/irc_line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void assert_text(struct text got, const char *wanted)
{
	char *words = text_dup(got);

	assert_string_equal(words, wanted);
	free(words);
}

static void a_line_has_tags_a_prefix_a_command_and_parameters(void **state)
{
	struct irc_line line;

	assert_true(irc_read(&line, TEXT("@account=ada;msgid=x1;+draft=1 :ada!~u@host.example "
	                                 "PRIVMSG #room :hello: to  you ")));
	assert_text(line.account, "ada");
	assert_text(line.msgid, "x1");
	assert_text(line.nick, "ada");
	assert_text(line.user, "~u");
	assert_text(line.host, "host.example");
	assert_text(line.command, "PRIVMSG");
	assert_int_equal(line.count, 2);
	assert_text(irc_param(&line, 0), "#room");
	assert_text(irc_param(&line, 1), "hello: to  you ");
	assert_text(irc_param(&line, 2), "");
	assert_true(irc_read(&line, TEXT(":irc.example 433 * box :Nickname is already in use")));
	assert_text(line.nick, "irc.example");
	assert_int_equal(line.count, 3);
	assert_true(irc_read(&line, TEXT("PING x")));
	assert_int_equal(line.nick.len, 0);
}

static void programs_are_told_by_tags_and_names(void **state)
{
	static const char *const programs[] = {
		"@bot :eve!e@host PRIVMSG box :hello",
		"@msgid=1;inspircd.org/bot= :eve!e@host PRIVMSG box :hello",
		":NickServ!NickServ@network.example PRIVMSG box :hello",
		":greeter!g@services.example PRIVMSG box :hello",
		":irc.example PRIVMSG box :hello",
	};
	struct irc_line line;

	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		assert_true(irc_read(&line, text_of(programs[i])));
		assert_true(line.is_bot || irc_is_service(&line));
	}
	assert_true(irc_read(&line, TEXT("@+bot=1 :ada!u@host PRIVMSG box :hello")));
	assert_false(line.is_bot || irc_is_service(&line));
}

static void a_line_without_a_command_is_none(void **state)
{
	struct irc_line line;
	static const char *const bad[] = {"", " ", ":", "@", "@a=b", "@a=b :x", ":prefix "};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(irc_read(&line, text_of(bad[i])));
	assert_false(irc_read(&line, (struct text){"PING\0x", 6}));
}

static void the_last_of_fifteen_parameters_has_the_rest(void **state)
{
	struct irc_line line;

	assert_true(irc_read(&line, TEXT("X 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16")));
	assert_int_equal(line.count, IRC_PARAMS_MAX);
	assert_text(irc_param(&line, 14), "15 16");
}

static void colours_and_marks_are_no_words(void **state)
{
	struct buf out;

	buf_init(&out, 1000);
	irc_add_words(&out, TEXT("\00304,12red\003 \002bold\017 \x1ditalic \xff\xc3\xa9 7"));
	assert_text(buf_text(&out), "red bold italic \xc3\xa9 7");
	buf_finish(&out);
}

static void who_is_spoken_to_is_mentioned(void **state)
{
	struct text rest;

	assert_true(irc_mentions(TEXT("Box: good morning"), TEXT("box"), &rest));
	assert_text(rest, "good morning");
	assert_true(irc_mentions(TEXT("@box, hi"), TEXT("box"), &rest));
	assert_text(rest, "hi");
	assert_true(irc_mentions(TEXT("what does box say?"), TEXT("box"), &rest));
	assert_text(rest, "what does box say?");
	assert_false(irc_mentions(TEXT("boxes are boxy, inbox_"), TEXT("box"), &rest));
	assert_false(irc_mentions(TEXT("box"), TEXT(""), &rest));
	assert_true(irc_mentions(TEXT("box:"), TEXT("box"), &rest));
	assert_int_equal(rest.len, 0);
}

static void a_text_becomes_lines_of_whole_characters(void **state)
{
	struct text line,
		text = TEXT("first\r\n\n  \nsecond line of words\n\xc3\xa9\xc3\xa9\xc3\xa9");
	static const char *const wanted[] = {"first", "second", "line of", "words",
	                                     "\xc3\xa9\xc3\xa9\xc3\xa9"};
	size_t at = 0;

	for (size_t i = 0; i < 5; i++) {
		assert_true(irc_next(text, 8, &at, &line));
		assert_text(line, wanted[i]);
	}
	assert_false(irc_next(text, 8, &at, &line));
	at = 0;
	text = TEXT("\xc3\xa9\xc3\xa9\xc3\xa9");
	assert_true(irc_next(text, 5, &at, &line));
	assert_text(line, "\xc3\xa9\xc3\xa9");
	assert_true(irc_next(text, 5, &at, &line));
	assert_text(line, "\xc3\xa9");
}

static void a_name_cannot_become_another_command(void **state)
{
	assert_true(irc_is_name(TEXT("#room")));
	assert_true(irc_is_name(TEXT("ada")));
	assert_false(irc_is_name(TEXT("")));
	assert_false(irc_is_name(TEXT("a b")));
	assert_false(irc_is_name(TEXT("a,b")));
	assert_false(irc_is_name(TEXT(":a")));
	assert_false(irc_is_name(TEXT("a\r\nQUIT")));
}

static void four_lines_leave_at_once_then_one_a_second(void **state)
{
	struct irc_pace pace = {0};
	uint64_t now_ms = 100000;

	for (int i = 0; i < 4; i++)
		assert_int_equal(irc_pay_line(&pace, now_ms), 0);
	assert_int_equal(irc_pay_line(&pace, now_ms), 1000);
	assert_int_equal(irc_pay_line(&pace, now_ms + 400), 600); /* to ask costs nothing */
	for (int i = 0; i < 20; i++) {
		now_ms += 1000;
		assert_int_equal(irc_pay_line(&pace, now_ms), 0);
		assert_int_equal(irc_pay_line(&pace, now_ms), 1000);
		assert_int_equal(irc_pay_line(&pace, now_ms + 999), 1);
	}
}

static void who_was_silent_has_four_lines_again_and_no_more(void **state)
{
	struct irc_pace pace = {0};
	uint64_t now_ms = 5000;

	for (int i = 0; i < 4; i++)
		irc_pay_line(&pace, now_ms);
	now_ms += 2000; /* two of four are back */
	assert_int_equal(irc_pay_line(&pace, now_ms), 0);
	assert_int_equal(irc_pay_line(&pace, now_ms), 0);
	assert_int_equal(irc_pay_line(&pace, now_ms), 1000);
	now_ms += 3600000;
	for (int i = 0; i < 4; i++)
		assert_int_equal(irc_pay_line(&pace, now_ms), 0);
	assert_int_equal(irc_pay_line(&pace, now_ms), 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_has_tags_a_prefix_a_command_and_parameters),
		cmocka_unit_test(programs_are_told_by_tags_and_names),
		cmocka_unit_test(a_line_without_a_command_is_none),
		cmocka_unit_test(the_last_of_fifteen_parameters_has_the_rest),
		cmocka_unit_test(colours_and_marks_are_no_words),
		cmocka_unit_test(who_is_spoken_to_is_mentioned),
		cmocka_unit_test(a_text_becomes_lines_of_whole_characters),
		cmocka_unit_test(four_lines_leave_at_once_then_one_a_second),
		cmocka_unit_test(who_was_silent_has_four_lines_again_and_no_more),
		cmocka_unit_test(a_name_cannot_become_another_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

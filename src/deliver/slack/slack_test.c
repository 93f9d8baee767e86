/* slack_test.c - texts as Slack shows them, and what it says. */
#include "deliver/slack/slack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct slack_self self = {"U0BOX"};

/* ---- texts ---- */

struct cut {
	struct buf all;
	unsigned count;
	size_t longest;
};

static void add_block(void *of, struct text block)
{
	struct cut *c = of;
	size_t units = chunk_length(CHUNK_UTF16, block);

	if (c->count++)
		buf_add_char(&c->all, '|');
	buf_add(&c->all, block);
	c->longest = units > c->longest ? units : c->longest;
}

static void shows(const char *markdown, const char *want)
{
	struct cut c = {.count = 0};

	buf_init(&c.all, 64 * KIB);
	slack_cut_blocks(text_of(markdown), false, add_block, &c);
	buf_add_char(&c.all, '\0');
	assert_string_equal(c.all.at, want);
	buf_finish(&c.all);
}

static void markdown_is_mrkdwn(void **state)
{
	shows("plain", "plain");
	shows("a **b** *c* _d_ ~~e~~ `f<`", "a *b* _c_ _d_ ~e~ `f&lt;`");
	shows("**a *b* c**", "*a _b_ c*");
	shows("# Head\n- one\n  * two\n> said", "*Head*\n• one\n  • two\n> said");
	shows("[a & b](https://x.y/?q=1|2)", "<https://x.y/?q=1%7C2|a &amp; b>");
	shows("see https://x.y/a?b=1&c=2.", "see <https://x.y/a?b=1&amp;c=2>.");
	shows("```c\nif (a < b)\n\n  *c;\n```\nend", "```\nif (a &lt; b)\n\n  *c;\n```\nend");
	shows("```\nno end", "```\nno end\n```");
	shows("~~~\na ``` b\n~~~", "```\na ``\xE2\x81\xA0` b\n```");
	shows("``a ` b``", "`a ' b`");
	shows("\\*no\\*", "*no*");
}

static void what_is_no_markup_stays(void **state)
{
	shows("2 * 3 * 4", "2 * 3 * 4");
	shows("snake_case_name and __init__", "snake_case_name and *init*");
	shows("**open", "**open");
	shows("[a](javascript:x) [](https://x.y)", "[a](javascript:x) [](<https://x.y>)");
	shows("http:// https and xhttps://a", "http:// https and xhttps://a");
	shows("", "");
	shows(" \n ", "");
}

static void nobody_is_rung(void **state)
{
	shows("<!channel> <!here> <@U1> <#C1|x> <!subteam^S1>",
	      "&lt;!channel&gt; &lt;!here&gt; &lt;@U1&gt; &lt;#C1|x&gt; &lt;!subteam^S1&gt;");
	shows("`<!channel>` [<@U1>](https://x.y)", "`&lt;!channel&gt;` <https://x.y|&lt;@U1&gt;>");
	shows("https://x.y/<!here>", "<https://x.y/>&lt;!here&gt;");
	shows("[a](https://x.y/<!here>)", "[a](<https://x.y/>&lt;!here&gt;)");
	shows("&lt;!channel&gt;", "&amp;lt;!channel&amp;gt;");
}

static void fill(struct buf *text, const char *line, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		buf_add(text, text_of(line));
}

static void blocks_are_never_too_long(void **state)
{
	static const char *const lines[] = {"&<>&<>&<>& a line of the text\n", "<", "word ",
	                                    "\xF0\x9F\x98\x80", "```\ncode & more\n"};

	for (unsigned i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		for (unsigned plain = 0; plain < 2; plain++) {
			struct cut c = {.count = 0};
			struct buf text;

			buf_init(&text, 64 * KIB);
			buf_init(&c.all, 256 * KIB);
			fill(&text, lines[i], 3900 / (unsigned)strlen(lines[i]));
			slack_cut_blocks(buf_text(&text), plain, add_block, &c);
			assert_true(c.count >= 1 && c.count < 20);
			assert_in_range(c.longest, 1, SLACK_BLOCK_MAX);
			assert_false(c.all.full);
			buf_finish(&text);
			buf_finish(&c.all);
		}
}

static void a_fence_is_closed_and_opened_again(void **state)
{
	struct cut c = {.count = 0};
	struct buf text;

	buf_init(&text, 64 * KIB);
	buf_init(&c.all, 64 * KIB);
	buf_add(&text, TEXT("```\n"));
	fill(&text, "a line of code\n", 250);
	buf_add(&text, TEXT("```"));
	slack_cut_blocks(buf_text(&text), false, add_block, &c);
	assert_int_equal(c.count, 2);
	assert_non_null(memmem(c.all.at, c.all.len, "code\n```|```\na line", 18));
	buf_finish(&text);
	buf_finish(&c.all);
}

static void a_message_has_blocks_with_its_mark(void **state)
{
	const struct channel_button buttons[] = {{TEXT("Allow"), TEXT("D1:0"), TEXT("")}};
	struct slack_shape shape = {.delivery = TEXT("D1"), .text = TEXT("a <b>"), .piece = 2};
	struct buf blocks, text, actions;

	buf_init(&blocks, 64 * KIB);
	buf_init(&text, 64 * KIB);
	buf_init(&actions, 64 * KIB);
	slack_put_actions(buttons, 1, &actions);
	shape.actions = buf_text(&actions);
	shape.is_plain = true;
	slack_put_blocks(&shape, &blocks, &text);
	buf_add_char(&blocks, '\0');
	buf_add_char(&text, '\0');
	assert_string_equal(text.at, "a &lt;b&gt;");
	assert_string_equal(
		blocks.at,
		"[{\"type\":\"section\",\"block_id\":\"D1/2/0/0\",\"expand\":true,"
		"\"text\":{\"type\":\"plain_text\",\"text\":\"a <b>\",\"emoji\":false}},"
		"{\"type\":\"actions\",\"elements\":[{\"type\":\"button\",\"action_id\":\"D1:0\","
		"\"value\":\"D1:0\",\"text\":{\"type\":\"plain_text\",\"text\":\"Allow\","
		"\"emoji\":false}}]}]");
	buf_finish(&blocks);
	buf_finish(&text);
	buf_finish(&actions);
}

static void a_form_is_encoded(void **state)
{
	struct buf form;

	buf_init(&form, KIB);
	slack_put_form(&form, "text", TEXT("a b&c=\xC3\xA4"));
	slack_put_form(&form, "ts", TEXT("1.2"));
	buf_add_char(&form, '\0');
	assert_string_equal(form.at, "text=a%20b%26c%3D%C3%A4&ts=1.2");
	buf_finish(&form);
}

/* ---- what Slack says ---- */

static struct json_reader reader;
static struct slack_words words;
static struct channel_inbound in;

static int open_reader(void **state)
{
	json_reader_init(&reader, MIB);
	buf_init(&words.text, CHANNEL_TEXT_MAX);
	return 0;
}

static int close_reader(void **state)
{
	json_reader_finish(&reader);
	buf_finish(&words.text);
	return 0;
}

static bool reads(const char *envelope)
{
	struct slack_envelope e;

	return slack_read_envelope(&reader, text_of(envelope), &e) &&
	       slack_read_message(&e, &self, &words, &in);
}

#define EVENT(members) \
	"{\"type\":\"events_api\",\"envelope_id\":\"e\",\"payload\":{\"event\":{" members "}}}"
#define SAID(channel, text) \
	"\"type\":\"message\",\"user\":\"U7\",\"ts\":\"12.5\",\"channel\":\"" channel \
	"\",\"text\":\"" text "\""

static void assert_text(struct text t, const char *want)
{
	char *got = text_dup(t);

	assert_string_equal(got, want);
	free(got);
}

static void what_people_write_is_read(void **state)
{
	assert_true(reads(EVENT(SAID("D1", "a &lt;b&gt; &amp;amp; <https://x.y|x> "
	                                   "<https://x.y> <#C1|ops> <!here> <@U9>"))));
	assert_text(in.text, "a <b> &amp; https://x.y https://x.y #ops @here @U9");
	assert_text(in.message, "D1:12.5");
	assert_text(in.sender, "U7");
	assert_text(in.peer, "D1");
	assert_text(in.thread, "");
	assert_int_equal(in.kind, CHANNEL_DM);
	assert_false(in.is_mentioned);
	assert_true(reads(EVENT(SAID("D1", "x") ",\"thread_ts\":\"11.1\"")));
	assert_text(in.thread, "11.1");
	assert_text(in.reply_to, "11.1");
}

static void in_a_room_a_thread_is_begun(void **state)
{
	assert_true(reads(EVENT(SAID("C1", "<@U0BOX> /stop"))));
	assert_text(in.text, "/stop");
	assert_text(in.thread, "12.5");
	assert_int_equal(in.kind, CHANNEL_GROUP);
	assert_true(in.is_mentioned);
	assert_true(reads(EVENT(SAID("C1", "and this") ",\"thread_ts\":\"11.1\"")));
	assert_text(in.thread, "11.1");
	assert_false(in.is_mentioned);
	assert_true(reads(EVENT(SAID("C1", "x") ",\"parent_user_id\":\"U0BOX\"")));
	assert_true(in.is_mentioned);
	assert_true(reads(EVENT(SAID("C1", "<@U0BOXER> x"))));
	assert_false(in.is_mentioned);
}

#define COMMAND(command, text) \
	"{\"type\":\"slash_commands\",\"envelope_id\":\"e1\",\"payload\":{\"user_id\":\"U7\"," \
	"\"channel_id\":\"C1\",\"command\":\"" command "\",\"text\":\"" text "\"}}"

static void a_command_of_the_app_is_one_of_the_box_or_a_question(void **state)
{
	static const char *const rows[][2] = {
		{COMMAND("/stop", ""), "/stop"},
		{COMMAND("/parrot", "stop"), "/stop"},
		{COMMAND("/parrot", " /new "), "/new"},
		{COMMAND("/parrot", "good day"), "good day"},
		{COMMAND("/parrot", ""), "/help"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_true(reads(rows[i][0]));
		assert_text(in.text, rows[i][1]);
		assert_int_equal(in.thread.len, 0);
	}
}

static void commands_are_messages(void **state)
{
	assert_true(reads("{\"type\":\"slash_commands\",\"envelope_id\":\"e1\",\"payload\":{"
	                  "\"command\":\"/status\",\"text\":\"all\",\"user_id\":\"U7\","
	                  "\"channel_id\":\"C1\",\"user_name\":\"ada\"}}"));
	assert_text(in.text, "/status all");
	assert_text(in.message, "C1:e1");
	assert_text(in.sender_name, "ada");
	assert_true(in.is_mentioned);
}

static void files_are_read(void **state)
{
	assert_true(reads(EVENT(
		SAID("D1", "") ",\"subtype\":\"file_share\",\"files\":[7,{\"mode\":\"tombstone\"},"
			       "{\"name\":\"a.png\",\"mimetype\":\"image/png\",\"size\":9,"
			       "\"url_private\":\"https://files.slack.com/a\"},"
			       "{\"name\":\"b.m4a\",\"subtype\":\"slack_audio\","
			       "\"mimetype\":\"audio/mp4\",\"url_private\":\"https://x/p\","
			       "\"url_private_download\":\"https://x/d\"},"
			       "{\"file_access\":\"check_file_info\"}]")));
	assert_int_equal(in.file_count, 3);
	assert_int_equal(in.files[0].kind, CHANNEL_PICTURE);
	assert_int_equal(in.files[0].size, 9);
	assert_text(in.files[0].name, "a.png");
	assert_text(in.files[0].where, "https://files.slack.com/a");
	assert_int_equal(in.files[1].kind, CHANNEL_VOICE);
	assert_text(in.files[1].where, "https://x/d");
	assert_text(in.files[2].where, "");
	assert_true(reads(EVENT(SAID("D1", "x") ",\"files\":{}")));
	assert_int_equal(in.file_count, 0);
}

static void the_token_stays_with_slack(void **state)
{
	static const char *const good[] = {"https://files.slack.com/files-pri/T1-F1/a.png",
	                                   "https://slack.com/files/a"};
	static const char *const bad[] = {"http://files.slack.com/a",
	                                  "https://slack.com.evil.org/",
	                                  "https://files.slack.com@evil.org/a",
	                                  "",
	                                  "https://evil.org/files.slack.com",
	                                  "https://files.slack.com:8443/a",
	                                  "wss://slack.com/a",
	                                  "https://xslack.com/a",
	                                  "https://files.slack.com\\@evil"};

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		assert_true(slack_has_file("https://slack.com/api", text_of(good[i])));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(slack_has_file("https://slack.com/api", text_of(bad[i])));
	assert_true(slack_has_file("http://127.0.0.1:81/api", TEXT("http://127.0.0.1:81/x")));
	assert_false(slack_has_file("http://127.0.0.1:81/api", TEXT("http://127.0.0.1:82/x")));
	assert_false(slack_has_file("http://127.0.0.1:81/api", TEXT("https://files.slack.com/")));
}

static void what_is_no_question_is_passed_over(void **state)
{
	assert_false(reads(EVENT(SAID("C1", "") "")));
	assert_false(reads(EVENT(SAID("C1", "<@U0BOX>"))));
	assert_false(reads(EVENT(SAID("C1", "x") ",\"bot_id\":\"B1\"")));
	assert_false(reads(EVENT(SAID("C1", "x") ",\"app_id\":\"A1\"")));
	assert_false(reads(EVENT(SAID("C1", "x") ",\"subtype\":\"message_changed\"")));
	assert_false(reads(EVENT("\"type\":\"message\",\"user\":\"U0BOX\",\"ts\":\"1.2\","
	                         "\"channel\":\"C1\",\"text\":\"x\"")));
	assert_false(reads(EVENT("\"type\":\"message\",\"user\":\"U7\",\"ts\":\"1\","
	                         "\"channel\":\"C1\",\"text\":\"x\"")));
	assert_false(reads(EVENT("\"type\":\"message\",\"user\":\"u 7\",\"ts\":\"1.1\","
	                         "\"channel\":\"C1\",\"text\":\"x\"")));
	assert_false(reads(EVENT("\"type\":\"reaction_added\",\"user\":\"U7\"")));
	assert_false(reads("{\"type\":\"hello\"}"));
	assert_false(reads("[]"));
	assert_false(reads("{"));
}

static void a_press_is_read(void **state)
{
	struct slack_envelope e;
	struct channel_press press;

	assert_true(slack_read_envelope(
		&reader,
		TEXT("{\"type\":\"interactive\",\"envelope_id\":\"e\",\"payload\":{\"type\":"
	             "\"block_actions\",\"user\":{\"id\":\"U7\",\"name\":\"ada\"},\"channel\":{"
	             "\"id\":\"D1\"},\"response_url\":\"https://hooks.slack.com/x\",\"actions\":["
	             "{\"type\":\"button\",\"action_id\":\"a\",\"value\":\"D:1\"}]}}"),
		&e));
	assert_true(slack_read_press(&e, &press));
	assert_text(press.value, "D:1");
	assert_text(press.sender, "U7");
	assert_text(press.peer, "D1");
	assert_int_equal(press.kind, CHANNEL_DM);
	assert_text(press.press, "https://hooks.slack.com/x");
	assert_true(slack_read_envelope(&reader, TEXT("{\"type\":\"interactive\"}"), &e));
	assert_false(slack_read_press(&e, &press));
}

static void a_message_is_found_by_its_mark(void **state)
{
	struct slack_sought sought = {.delivery = TEXT("D1"), .piece = 1, .self = &self};
	struct slack_answer answer;
	char ts[SLACK_ID_MAX];

	assert_true(slack_read_answer(
		&reader,
		TEXT("{\"ok\":true,\"messages\":["
	             "{\"user\":\"U7\",\"ts\":\"5.1\",\"blocks\":[{\"block_id\":\"D1/1/0/0\"}]},"
	             "{\"user\":\"U0BOX\",\"ts\":\"4.1\",\"blocks\":[{\"block_id\":\"D1/10/0\"}]},"
	             "{\"user\":\"U0BOX\",\"ts\":\"3.1\",\"blocks\":[{\"block_id\":\"D1/1/0/0\"}]},"
	             "{\"user\":\"U0BOX\",\"ts\":\"2.1\",\"text\":\"no blocks\"}],"
	             "\"response_metadata\":{\"next_cursor\":\"more\"}}"),
		&answer));
	assert_text(answer.cursor, "more");
	assert_true(slack_find_message(&answer, &sought, ts));
	assert_string_equal(ts, "3.1");
	sought.stale = TEXT("1.1 3.1");
	assert_false(slack_find_message(&answer, &sought, ts));
	sought.stale = TEXT("");
	sought.piece = 2;
	assert_false(slack_find_message(&answer, &sought, ts));
}

static void a_file_is_found_by_the_mark_in_its_name(void **state)
{
	struct slack_sought sought = {.delivery = TEXT("D1"), .piece = 2, .self = &self};
	char mark[SLACK_MARK_LEN + 1], other[SLACK_MARK_LEN + 1], ts[SLACK_ID_MAX];
	struct slack_answer answer;
	struct buf history, name;

	buf_init(&name, KIB);
	buf_init(&history, KIB);
	slack_mark(TEXT("D1"), 2, mark);
	slack_mark(TEXT("D1"), 3, other);
	assert_string_not_equal(mark, other);
	slack_put_marked(TEXT("my.map.png"), mark, &name);
	assert_int_equal(name.len, strlen("my.map-.png") + SLACK_MARK_LEN);
	assert_true(text_starts(buf_text(&name), TEXT("my.map-")));
	buf_print(&history,
	          "{\"ok\":true,\"messages\":[{\"user\":\"U7\",\"ts\":\"5.1\",\"files\":[{\"name\":"
	          "\"%.*s\"}]},{\"user\":\"U0BOX\",\"ts\":\"4.1\",\"files\":[{\"name\":\"a\"},{"
	          "\"name\":\"%.*s\"}]}]}",
	          TEXT_ARG(buf_text(&name)), TEXT_ARG(buf_text(&name)));
	assert_true(slack_read_answer(&reader, buf_text(&history), &answer));
	assert_true(slack_find_message(&answer, &sought, ts));
	assert_string_equal(ts, "4.1");
	sought.piece = 3;
	assert_false(slack_find_message(&answer, &sought, ts));
	buf_clear(&name);
	slack_put_marked(TEXT(".profile"), "0", &name);
	assert_text(buf_text(&name), ".profile-0");
	buf_finish(&history);
	buf_finish(&name);
}

static void bytes_of_a_file_go_to_slack_alone(void **state)
{
	static const char base[] = "https://slack.com/api";
	static const struct {
		const char *answer;
		bool is_good;
	} cases[] = {
		{"{\"ok\":true,\"upload_url\":\"https://files.slack.com/upload/v1/A\","
	         "\"file_id\":\"F1\"}",
	         true},
		{"{\"ok\":true,\"upload_url\":\"http://files.slack.com/upload/v1/A\","
	         "\"file_id\":\"F1\"}",
	         false},
		{"{\"ok\":true,\"upload_url\":\"https://files.slack.com.example.org/A\","
	         "\"file_id\":\"F1\"}",
	         false},
		{"{\"ok\":true,\"upload_url\":\"https://files.slack.com/A\",\"file_id\":\"../1\"}",
	         false},
		{"{\"ok\":true,\"file_id\":\"F1\"}", false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct slack_answer answer;
		struct slack_place place;

		assert_true(slack_read_answer(&reader, text_of(cases[i].answer), &answer));
		assert_int_equal(slack_read_place(&answer, base, &place), cases[i].is_good);
	}
}

static void answers_are_read(void **state)
{
	struct slack_answer answer;
	struct slack_self bot;

	assert_true(slack_read_answer(&reader,
	                              TEXT("{\"ok\":false,\"error\":\"missing_scope\","
	                                   "\"needed\":\"chat:write\",\"new\":{}}"),
	                              &answer));
	assert_false(answer.is_good);
	assert_text(answer.why, "missing_scope");
	assert_text(answer.needed, "chat:write");
	assert_false(slack_read_self(&answer, &bot));
	assert_true(
		slack_read_answer(&reader, TEXT("{\"ok\":true,\"user_id\":\"U0BOX\"}"), &answer));
	assert_true(slack_read_self(&answer, &bot));
	assert_string_equal(bot.user, "U0BOX");
	assert_false(slack_read_answer(&reader, TEXT("{\"ok\":1}"), &answer));
	assert_false(slack_read_answer(&reader, TEXT("<html>"), &answer));
	assert_true(slack_is_ts(TEXT("1700000000.000100")));
	assert_false(slack_is_ts(TEXT("1700000000")));
	assert_false(slack_is_ts(TEXT(".5")));
	assert_false(slack_is_ts(TEXT("1.2.3")));
}

int main(void)
{
#define READ(name) cmocka_unit_test_setup_teardown(name, open_reader, close_reader)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(markdown_is_mrkdwn),
		cmocka_unit_test(what_is_no_markup_stays),
		cmocka_unit_test(nobody_is_rung),
		cmocka_unit_test(blocks_are_never_too_long),
		cmocka_unit_test(a_fence_is_closed_and_opened_again),
		cmocka_unit_test(a_message_has_blocks_with_its_mark),
		cmocka_unit_test(a_form_is_encoded),
		READ(what_people_write_is_read),
		READ(in_a_room_a_thread_is_begun),
		READ(commands_are_messages),
		READ(a_command_of_the_app_is_one_of_the_box_or_a_question),
		READ(files_are_read),
		cmocka_unit_test(the_token_stays_with_slack),
		READ(what_is_no_question_is_passed_over),
		READ(a_press_is_read),
		READ(a_message_is_found_by_its_mark),
		READ(a_file_is_found_by_the_mark_in_its_name),
		READ(bytes_of_a_file_go_to_slack_alone),
		READ(answers_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

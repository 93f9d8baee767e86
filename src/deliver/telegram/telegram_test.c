/* telegram_test.c - texts as Telegram shows them, updates as it sends them, and its limits. */
#include "deliver/telegram/telegram.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "deliver/buckets.h"

static void shows(const char *markdown, const char *html)
{
	struct buf out;

	buf_init(&out, 64 * KIB);
	telegram_put_html(text_of(markdown), &out);
	buf_add_char(&out, '\0');
	assert_string_equal(out.at, html);
	buf_finish(&out);
}

static void markdown_is_html(void **state)
{
	shows("plain", "plain");
	shows("a **b** *c* _d_ ~~e~~ `f<`",
	      "a <b>b</b> <i>c</i> <i>d</i> <s>e</s> <code>f&lt;</code>");
	shows("**a *b* c**", "<b>a <i>b</i> c</b>");
	shows("# Head\n- one\n  * two", "<b>Head</b>\n• one\n  • two");
	shows("[a & b](https://x.y/?q=\"1\")",
	      "<a href=\"https://x.y/?q=&quot;1&quot;\">a &amp; b</a>");
	shows("```c\nif (a < b)\n\n  *c;\n```\nend",
	      "<pre><code class=\"language-c\">if (a &lt; b)\n\n  *c;</code></pre>\nend");
	shows("```\nno end", "<pre><code>no end</code></pre>");
	shows("``a ` b``", "<code>a ` b</code>");
	shows("\\*no\\*", "*no*");
}

static void what_is_no_markup_stays(void **state)
{
	shows("2 * 3 * 4", "2 * 3 * 4");
	shows("snake_case_name and __init__", "snake_case_name and <b>init</b>");
	shows("**open", "**open");
	shows("<b>x</b> & <script>", "&lt;b&gt;x&lt;/b&gt; &amp; &lt;script&gt;");
	shows("[a](javascript:x) [b](tg://user?id=1)", "[a](javascript:x) [b](tg://user?id=1)");
	shows("[]() [a] `", "[]() [a] `");
	shows("**a `b** c`", "<b>a `b</b> c`");
	shows("", "");
}

static void nobody_is_rung(void **state)
{
	struct buf out;

	shows("hi @ada, a@b.c", "hi @\xE2\x81\xA0"
	                        "ada, a@b.c");
	shows("`@ada`", "<code>@ada</code>");
	buf_init(&out, 64 * KIB);
	telegram_put_plain(TEXT("<@ada>"), &out);
	assert_true(text_is(buf_text(&out), "<@\xE2\x81\xA0"
	                                    "ada>"));
	buf_finish(&out);
}

/* ---- what comes ---- */

static bool reads(const char *json, struct telegram_words *words, struct channel_inbound *in)
{
	static const struct telegram_self self = {42, "box_bot"};
	yyjson_doc *doc = yyjson_read(json, strlen(json), 0);
	bool good;

	assert_non_null(doc);
	buf_init(&words->text, CHANNEL_TEXT_MAX);
	good = telegram_read_message(yyjson_doc_get_root(doc), &self, words, in);
	yyjson_doc_free(doc);
	return good;
}

#define FROM "\"from\":{\"id\":7,\"is_bot\":false,\"first_name\":\"Ada\",\"last_name\":\"L\"}"

static void an_update_is_a_message(void **state)
{
	struct telegram_words words;
	struct channel_inbound in;

	assert_true(reads(
		"{\"update_id\":9,\"message\":{\"message_id\":3," FROM
		",\"chat\":{\"id\":-5,\"type\":\"supergroup\"},\"text\":\"/stop@Box_Bot now\","
		"\"is_topic_message\":true,\"message_thread_id\":12}}",
		&words, &in));
	assert_true(text_is(in.message, "-5:3") && text_is(in.sender, "7") &&
	            text_is(in.peer, "-5"));
	assert_true(text_is(in.thread, "12") && text_is(in.text, "/stop now"));
	assert_true(text_is(in.place, "10") && text_is(in.sender_name, "Ada L"));
	assert_true(in.kind == CHANNEL_GROUP && in.is_mentioned);
	assert_int_equal(telegram_message_number(in.message), 3);
	buf_finish(&words.text);
	assert_true(reads("{\"update_id\":9,\"message\":{\"message_id\":3," FROM
	                  ",\"chat\":{\"id\":7,\"type\":\"private\"},\"caption\":\"see\","
	                  "\"reply_to_message\":{\"message_id\":2,\"from\":{\"id\":42}}}}",
	                  &words, &in));
	assert_true(in.kind == CHANNEL_DM && in.is_mentioned && text_is(in.text, "see"));
	assert_true(text_is(in.reply_to, "2"));
	buf_finish(&words.text);
}

static void other_bots_and_chats_that_write_are_nobody(void **state)
{
	static const char *const more[] = {
		"\"via_bot\":{\"id\":9,\"is_bot\":true}",
		"\"sender_chat\":{\"id\":-100,\"type\":\"channel\"}",
		"\"is_automatic_forward\":true",
		"\"from\":{\"id\":9,\"is_bot\":true}",
	};
	struct telegram_words words;
	struct channel_inbound in;
	char json[512];

	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++) {
		snprintf(json, sizeof(json),
		         "{\"update_id\":9,\"message\":{%s,%s\"message_id\":3,"
		         "\"chat\":{\"id\":-5,\"type\":\"group\"},\"text\":\"hello\"}}",
		         more[i], i == 3 ? "" : FROM ",");
		assert_false(reads(json, &words, &in));
		buf_finish(&words.text);
	}
}

static enum channel_peer pressed_in(const char *type)
{
	struct telegram_words words;
	struct channel_press press;
	char json[512];
	yyjson_doc *doc;

	snprintf(json, sizeof(json),
	         "{\"update_id\":9,\"callback_query\":{\"id\":\"q\"," FROM
	         ",\"message\":{\"chat\":{\"id\":-5,\"type\":\"%s\"}},\"data\":\"a:1\"}}",
	         type);
	doc = yyjson_read(json, strlen(json), 0);
	assert_true(telegram_read_press(yyjson_doc_get_root(doc), &words, &press));
	yyjson_doc_free(doc);
	return press.kind;
}

static void a_press_is_of_its_kind_of_chat(void **state)
{
	assert_int_equal(pressed_in("private"), CHANNEL_DM);
	assert_int_equal(pressed_in("supergroup"), CHANNEL_GROUP);
	assert_int_equal(pressed_in("channel"), CHANNEL_BROADCAST);
}

static bool presses(const char *json, struct telegram_words *words, char out[128])
{
	yyjson_doc *doc = yyjson_read(json, strlen(json), 0);
	struct channel_press press;
	bool good;

	assert_non_null(doc);
	good = telegram_read_press(yyjson_doc_get_root(doc), words, &press);
	if (good)
		snprintf(out, 128, "%.*s %.*s %.*s %.*s", TEXT_ARG(press.press),
		         TEXT_ARG(press.value), TEXT_ARG(press.sender), TEXT_ARG(press.peer));
	yyjson_doc_free(doc);
	return good;
}

static void an_update_is_a_press(void **state)
{
	struct telegram_words words;
	char out[128];

	assert_true(presses("{\"update_id\":9,\"callback_query\":{\"id\":\"q\"," FROM
	                    ",\"message\":{\"chat\":{\"id\":-5}},\"data\":\"a:1\"}}",
	                    &words, out));
	assert_string_equal(out, "q a:1 7 -5");
	assert_true(presses("{\"update_id\":9,\"callback_query\":{\"id\":\"q\"," FROM
	                    ",\"data\":\"a:1\"}}",
	                    &words, out));
	assert_string_equal(out, "q a:1 7 ");
	assert_false(presses("{\"update_id\":9,\"callback_query\":{\"id\":\"q\"," FROM "}}", &words,
	                     out));
	assert_false(presses("{\"update_id\":9,\"callback_query\":{\"id\":\"q\"," FROM
	                     ",\"data\":\"0123456789012345678901234567890123456789"
	                     "0123456789012345678901234\"}}",
	                     &words, out));
	assert_false(presses("{\"update_id\":9,\"callback_query\":{\"id\":\"q\",\"data\":\"a\"}}",
	                     &words, out));
}

static void others_are_none(void **state)
{
	static const char *const none[] = {
		"{}",
		"{\"update_id\":-1}",
		"{\"update_id\":9,\"message\":[]}",
		"{\"update_id\":9,\"message\":{\"message_id\":3," FROM
		",\"chat\":{\"id\":7,\"type\":\"private\"}}}",
		"{\"update_id\":9,\"message\":{\"message_id\":3,\"text\":\"a\",\"from\":{\"id\":1,"
		"\"is_bot\":true},\"chat\":{\"id\":7,\"type\":\"private\"}}}",
		"{\"update_id\":9,\"message\":{\"message_id\":3,\"text\":\"a\"," FROM
		",\"chat\":{\"id\":\"7\"}}}",
	};

	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++) {
		struct telegram_words words;
		struct channel_inbound in;
		bool good = reads(none[i], &words, &in);

		buf_finish(&words.text);
		assert_false(good);
	}
}

static void an_answer_says_how_long_to_wait(void **state)
{
	struct telegram_answer a;
	struct json_reader reader;

	json_reader_init(&reader, 64 * KIB);
	assert_true(telegram_read_answer(
		&reader,
		TEXT("{\"ok\":false,\"error_code\":429,\"description\":\"Too Many\","
	             "\"parameters\":{\"retry_after\":5}}"),
		&a));
	assert_true(!a.is_good && a.code == 429 && a.after_s == 5 && text_is(a.why, "Too Many"));
	assert_true(telegram_read_answer(&reader,
	                                 TEXT("{\"ok\":true,\"result\":{\"message_id\":17}}"), &a));
	assert_true(a.is_good && a.message == 17);
	assert_false(telegram_read_answer(&reader, TEXT("<html>"), &a));
	assert_false(telegram_read_answer(&reader, TEXT("{\"ok\":1}"), &a));
	json_reader_finish(&reader);
}

/* ---- limits ---- */

static void a_bucket_has_a_burst_and_then_its_pace(void **state)
{
	struct bucket b = {.rate = {3, 1000}};

	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(bucket_ready(&b, 100), 100);
		bucket_take(&b, 100);
	}
	assert_int_equal(bucket_ready(&b, 100), 1100);
	bucket_take(&b, 1100);
	assert_int_equal(bucket_ready(&b, 1100), 2100);
	bucket_stop(&b, 9000);
	assert_int_equal(bucket_ready(&b, 2100), 9000);
	assert_int_equal(bucket_ready(&b, 20000), 20000);
}

static void chats_have_their_own(void **state)
{
	static const struct bucket_rate rate = {1, 1000};
	struct buckets all;
	char name[32];

	buckets_init(&all);
	bucket_take(buckets_of(&all, TEXT("a"), &rate, 0), 0);
	assert_int_equal(buckets_ready(&all, TEXT("a"), 0), 1000);
	assert_int_equal(buckets_ready(&all, TEXT("b"), 0), 0);
	for (unsigned i = 0; i < BUCKETS_MAX + 10; i++) {
		snprintf(name, sizeof(name), "c%u", i);
		buckets_of(&all, text_of(name), &rate, 500);
	}
	assert_true(all.by_name.count <= BUCKETS_MAX);
	assert_int_equal(buckets_ready(&all, TEXT("a"), 0), 1000); /* it is not full */
	buckets_finish(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(markdown_is_html),
		cmocka_unit_test(what_is_no_markup_stays),
		cmocka_unit_test(nobody_is_rung),
		cmocka_unit_test(an_update_is_a_message),
		cmocka_unit_test(an_update_is_a_press),
		cmocka_unit_test(a_press_is_of_its_kind_of_chat),
		cmocka_unit_test(other_bots_and_chats_that_write_are_nobody),
		cmocka_unit_test(others_are_none),
		cmocka_unit_test(an_answer_says_how_long_to_wait),
		cmocka_unit_test(a_bucket_has_a_burst_and_then_its_pace),
		cmocka_unit_test(chats_have_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* adapter_line_test.c - what programs say that connect chats, good and bad. */
#include "deliver/adapter/adapter_line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct json_reader reader;

static void assert_text(struct text got, const char *wanted)
{
	char *words = text_dup(got);

	assert_string_equal(words, wanted);
	free(words);
}

static void info_says_what_can_be_done(void **state)
{
	struct adapter_info i;
	struct error why;

	assert_true(
		adapter_read_info(&reader,
	                          TEXT("{\n \"channel\":\"xmpp\",\"name\":\"X\","
	                               "\"supports\":[\"monitor\",\"stream\",7,\"edit\",\"news\"],"
	                               "\"text_from\":\"stdin\",\"channel_capabilities\":"
	                               "{\"text_limit\":500,\"supports_markdown\":true}}"),
	                          &i, &why));
	assert_true(i.can[ADAPTER_MONITOR] && i.can[ADAPTER_STREAM] && i.can[ADAPTER_EDIT]);
	assert_false(i.can[ADAPTER_SEND] || i.can[ADAPTER_TYPING]);
	assert_true(i.reads_stdin && i.shows_markup);
	assert_int_equal(i.text_max, 500);
	assert_string_equal(i.name, "X");
	assert_string_equal(adapter_command(&i, ADAPTER_MONITOR), "monitor");
}

static void the_other_spelling_has_other_commands(void **state)
{
	struct adapter_info i;
	struct error why;

	assert_true(adapter_read_info(&reader,
	                              TEXT("{\"platform\":\"x\",\"operations\":[\"delivery.send\","
	                                   "\"adapter.monitor.start\"],\"platform_capabilities\":"
	                                   "{\"text_limit\":1e300}}"),
	                              &i, &why));
	assert_true(i.can[ADAPTER_MONITOR] && i.can[ADAPTER_SEND]);
	assert_string_equal(adapter_command(&i, ADAPTER_SEND), "delivery.send");
	assert_int_equal(i.text_max, 100000);
}

static void info_that_says_nothing_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"no",
		"[]",
		"{}",
		"{\"supports\":{}}",
		"{\"supports\":[]}",
		"{\"supports\":[\"edit\",\"health\"]}",
	};
	struct adapter_info i;

	for (size_t n = 0; n < sizeof(bad) / sizeof(*bad); n++) {
		struct error why = {""};

		assert_false(adapter_read_info(&reader, text_of(bad[n]), &i, &why));
		assert_true(why.words[0]);
	}
	/* Only a stream can edit. */
	assert_true(
		adapter_read_info(&reader, TEXT("{\"supports\":[\"send\",\"edit\"]}"), &i, NULL));
	assert_false(i.can[ADAPTER_EDIT]);
}

static void an_event_is_flat_or_in_two_parts(void **state)
{
	struct adapter_event event;
	struct error why;

	assert_int_equal(adapter_read_event(
				 &reader,
				 TEXT("{\"event_id\":\"sms:7\",\"timestamp\":1,\"content\":\"hi\","
	                              "\"channel\":\"sms\",\"account_id\":\"root\","
	                              "\"sender_id\":\"+49\",\"sender_name\":\"Ada\","
	                              "\"peer_id\":\"room\",\"peer_kind\":\"group\","
	                              "\"thread_id\":\"t\",\"reply_to_id\":\"6\",\"place\":\"9\","
	                              "\"metadata\":{\"mentioned\":true}}"),
				 &event, &why),
	                 ADAPTER_MESSAGE);
	assert_text(event.inbound.message, "7");
	assert_text(event.inbound.sender, "+49");
	assert_text(event.inbound.sender_name, "Ada");
	assert_text(event.inbound.peer, "room");
	assert_text(event.inbound.thread, "t");
	assert_text(event.inbound.reply_to, "6");
	assert_text(event.inbound.text, "hi");
	assert_text(event.inbound.place, "9");
	assert_int_equal(event.inbound.kind, CHANNEL_GROUP);
	assert_true(event.inbound.is_mentioned);
	assert_false(event.inbound.is_owner);
	assert_int_equal(
		adapter_read_event(&reader,
	                           TEXT("{\"event\":{\"event_id\":\"sms:7\",\"content\":\"hi\"},"
	                                "\"delivery\":{\"platform\":\"mms\",\"sender_id\":\"+49\","
	                                "\"container_id\":\"c\",\"container_kind\":\"channel\"}}"),
	                           &event, &why),
		ADAPTER_MESSAGE);
	assert_text(event.inbound.message, "sms:7");
	assert_text(event.inbound.peer, "c");
	assert_int_equal(event.inbound.kind, CHANNEL_BROADCAST);
	assert_false(event.inbound.is_mentioned);
}

static void who_writes_alone_is_their_own_chat_and_means_us(void **state)
{
	struct adapter_event event;

	assert_int_equal(adapter_read_event(&reader,
	                                    TEXT("{\"event_id\":\"1\",\"content\":\"hi\","
	                                         "\"sender_id\":\"a\"}"),
	                                    &event, NULL),
	                 ADAPTER_MESSAGE);
	assert_text(event.inbound.peer, "a");
	assert_int_equal(event.inbound.kind, CHANNEL_DM);
	assert_true(event.inbound.is_mentioned);
}

static void attachments_are_files(void **state)
{
	struct adapter_event event;
	struct error why;

	assert_int_equal(
		adapter_read_event(&reader,
	                           TEXT("{\"event_id\":\"1\",\"sender_id\":\"a\",\"timestamp\":5,"
	                                "\"attachments\":[{\"id\":\"1\",\"filename\":\"a.png\","
	                                "\"content_type\":\"image/png\",\"size_bytes\":9,"
	                                "\"path\":\"x/a\"},{\"filename\":\"v.ogg\",\"voice\":true,"
	                                "\"url\":\"https://x.y/v\",\"size_bytes\":-1}]}"),
	                           &event, &why),
		ADAPTER_MESSAGE);
	assert_int_equal(event.at_ms, 5);
	assert_int_equal(event.inbound.file_count, 2);
	assert_int_equal(event.files[0].kind, CHANNEL_PICTURE);
	assert_int_equal(event.files[0].size, 9);
	assert_text(event.files[0].where, "x/a");
	assert_int_equal(event.files[1].kind, CHANNEL_VOICE);
	assert_text(event.files[1].type, "audio/ogg");
	assert_int_equal(event.files[1].size, 0);
	assert_int_equal(adapter_read_event(&reader,
	                                    TEXT("{\"event_id\":\"1\",\"sender_id\":\"a\","
	                                         "\"content\":\"x\",\"attachments\":[{}]}"),
	                                    &event, &why),
	                 ADAPTER_GARBAGE);
}

static void a_place_has_a_time(void **state)
{
	struct buf kept;
	int64_t at_ms;

	buf_init(&kept, KIB);
	adapter_put_place(1700000000000, TEXT("a b"), &kept);
	assert_text(buf_text(&kept), "@1700000000000 a b");
	assert_text(adapter_read_place(buf_text(&kept), &at_ms), "a b");
	assert_int_equal(at_ms, 1700000000000);
	assert_text(adapter_read_place(TEXT("@17"), &at_ms), "");
	assert_int_equal(at_ms, 17);
	assert_text(adapter_read_place(TEXT("from before"), &at_ms), "from before");
	assert_text(adapter_read_place(TEXT("@x 1"), &at_ms), "@x 1");
	assert_int_equal(at_ms, 0);
	buf_finish(&kept);
}

static void accounts_are_named(void **state)
{
	static const char many[] = "{\"accounts\":[{\"id\":\"post\",\"display_name\":\"Ada\"},"
				   "{\"id\":\"x\",\"status\":\"error\"},{},7,\"y\"]}";
	struct error why = {""};
	struct buf names;

	buf_init(&names, KIB);
	assert_true(adapter_read_accounts(&reader, text_of(many), &names, &why));
	assert_text(buf_text(&names), "post (Ada), x (error), y");
	assert_true(adapter_has_account(&reader, text_of(many), TEXT("post")));
	assert_false(adapter_has_account(&reader, text_of(many), TEXT("other")));
	assert_true(adapter_has_account(&reader, TEXT("[]"), TEXT("other")));
	buf_clear(&names);
	assert_true(adapter_read_accounts(&reader, TEXT("[\"a\"]"), &names, &why));
	assert_text(buf_text(&names), "a");
	assert_false(adapter_read_accounts(&reader, TEXT("{}"), &names, &why));
	assert_true(why.words[0]);
	buf_finish(&names);
}

static void programs_and_silence_are_not_answered(void **state)
{
	static const char *const quiet[] = {
		"{\"event_id\":\"1\",\"content\":\" \",\"sender_id\":\"a\"}",
		"{\"event_id\":\"1\",\"sender_id\":\"a\",\"content_type\":\"image\"}",
		"{\"event_id\":\"1\",\"content\":\"x\",\"sender_id\":\"a\",\"metadata\":"
		"{\"is_bot\":true}}",
		"{\"event_id\":\"1\",\"content\":\"x\",\"sender_id\":\"a\",\"metadata\":"
		"{\"is_from_me\":true}}",
	};
	struct adapter_event event;

	for (size_t n = 0; n < sizeof(quiet) / sizeof(*quiet); n++)
		assert_int_equal(adapter_read_event(&reader, text_of(quiet[n]), &event, NULL),
		                 ADAPTER_NOTHING);
}

static void bad_events_are_garbage(void **state)
{
	static const char *const bad[] = {
		"",
		"hello",
		"[1]",
		"7",
		"{}",
		"{\"event_id\":\"1\",\"content\":\"x\"}",
		"{\"content\":\"x\",\"sender_id\":\"a\"}",
		"{\"event_id\":\"1\",\"content\":\"x\",\"sender_id\":\"a\",\"peer_kind\":\"mob\"}",
		"{\"event_id\":\"1\",\"content\":\"x\",\"sender_id\":\"a\\u0000b\"}",
	};
	struct adapter_event event;

	for (size_t n = 0; n < sizeof(bad) / sizeof(*bad); n++) {
		struct error why = {""};

		assert_int_equal(adapter_read_event(&reader, text_of(bad[n]), &event, &why),
		                 ADAPTER_GARBAGE);
		assert_true(why.words[0]);
	}
}

static void a_status_ends_a_delivery_or_goes_on(void **state)
{
	struct adapter_status s;
	struct error why;

	assert_true(adapter_read_status(
		&reader, TEXT("{\"type\":\"message_created\",\"messageId\":\"a\"}"), &s, &why));
	assert_int_equal(s.news, ADAPTER_CREATED);
	assert_text(s.message, "a");
	assert_true(adapter_read_status(
		&reader, TEXT("{\"type\":\"message_updated\",\"messageId\":\"a\",\"chars\":9}"), &s,
		&why));
	assert_int_equal(s.news, ADAPTER_UPDATED);
	assert_true(adapter_read_status(
		&reader, TEXT("{\"type\":\"delivery_complete\",\"messageIds\":[\"b\",\"c\"]}"), &s,
		&why));
	assert_int_equal(s.news, ADAPTER_DONE);
	assert_text(s.message, "b");
	assert_true(adapter_read_status(
		&reader, TEXT("{\"type\":\"delivery_complete\",\"messageIds\":[]}"), &s, &why));
	assert_int_equal(s.message.len, 0);
	assert_false(adapter_read_status(&reader, TEXT("{\"type\":\"what\"}"), &s, &why));
	assert_false(adapter_read_status(&reader, TEXT("[]"), &s, &why));
	assert_false(adapter_read_status(
		&reader, TEXT("{\"type\":\"message_sent\",\"messageId\":\"a b\"}"), &s, &why));
}

static void a_failure_says_whether_it_may_go_again(void **state)
{
	static const struct {
		const char *error;
		enum channel_answer answer;
		unsigned after_ms;
		const char *words;
	} rows[] = {
		{"\"gone\"", CHANNEL_REFUSED, 0, "gone"},
		{"{\"type\":\"permission_denied\",\"message\":\"no\\nway\"}", CHANNEL_REFUSED, 0,
	         "no way"},
		{"{\"type\":\"not_found\",\"message\":\"who\"}", CHANNEL_REFUSED, 0, "who"},
		{"{\"type\":\"rate_limited\",\"message\":\"x\",\"retry_after_ms\":70}",
	         CHANNEL_LATER, 70, "x"},
		{"{\"type\":\"rate_limited\",\"retry_after_ms\":1e99}", CHANNEL_LATER, 3600000,
	         "the adapter does not say why"},
		{"{\"type\":\"rate_limited\",\"message\":\"x\"}", CHANNEL_LATER, 1000, "x"},
		{"{\"type\":\"network\",\"message\":\"x\",\"retry\":true}", CHANNEL_AWAY, 0, "x"},
		{"{\"type\":\"network\",\"message\":\"x\"}", CHANNEL_UNKNOWN, 0, "x"},
		{"{\"type\":\"unknown\",\"message\":\"x\"}", CHANNEL_UNKNOWN, 0, "x"},
		{"null", CHANNEL_REFUSED, 0, "the adapter does not say why"},
	};
	struct adapter_status s;
	char line[300];

	for (size_t n = 0; n < sizeof(rows) / sizeof(*rows); n++) {
		snprintf(line, sizeof(line), "{\"type\":\"delivery_error\",\"error\":%s}",
		         rows[n].error);
		assert_true(adapter_read_status(&reader, text_of(line), &s, NULL));
		assert_int_equal(s.news, ADAPTER_FAILED);
		assert_int_equal(s.answer, rows[n].answer);
		assert_int_equal(s.after_ms, rows[n].after_ms);
		assert_string_equal(s.why.words, rows[n].words);
		snprintf(line, sizeof(line), "{\"success\":false,\"error\":%s}", rows[n].error);
		assert_true(adapter_read_sent(&reader, text_of(line), &s, NULL));
		assert_int_equal(s.answer, rows[n].answer);
	}
}

static void send_answers_with_the_ids_of_messages(void **state)
{
	struct adapter_status s;
	struct error why;

	assert_true(adapter_read_sent(
		&reader, TEXT("{\"success\":true,\"message_ids\":[\"m1\"],\"chunks_sent\":1}\n"),
		&s, &why));
	assert_int_equal(s.news, ADAPTER_DONE);
	assert_text(s.message, "m1");
	assert_false(adapter_read_sent(&reader, TEXT("{\"success\":1}"), &s, &why));
	assert_false(adapter_read_sent(&reader, TEXT("done"), &s, &why));
}

static void health_says_yes_or_no(void **state)
{
	struct error why;
	bool is_connected = false;

	assert_true(
		adapter_read_health(&reader, TEXT("{\"connected\":true}"), &is_connected, &why));
	assert_true(is_connected);
	assert_true(adapter_read_health(&reader, TEXT("{\"connected\":false,\"error\":\"far\"}"),
	                                &is_connected, &why));
	assert_false(is_connected);
	assert_string_equal(why.words, "far");
	assert_false(adapter_read_health(&reader, TEXT("{\"connected\":1}"), &is_connected, &why));
	assert_false(adapter_read_health(&reader, TEXT(""), &is_connected, &why));
}

static void rests_double_five_times_and_are_long_then(void **state)
{
	static const unsigned rests[] = {1000, 2000, 4000, 8000, 16000, 300000, 300000};

	for (unsigned i = 0; i < sizeof(rests) / sizeof(*rests); i++)
		assert_int_equal(adapter_rest_ms(i), rests[i]);
}

static int begin(void **state)
{
	json_reader_init(&reader, ADAPTER_LINE_MAX);
	return 0;
}

static int end(void **state)
{
	json_reader_finish(&reader);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(info_says_what_can_be_done),
		cmocka_unit_test(the_other_spelling_has_other_commands),
		cmocka_unit_test(info_that_says_nothing_is_refused),
		cmocka_unit_test(an_event_is_flat_or_in_two_parts),
		cmocka_unit_test(who_writes_alone_is_their_own_chat_and_means_us),
		cmocka_unit_test(attachments_are_files),
		cmocka_unit_test(a_place_has_a_time),
		cmocka_unit_test(accounts_are_named),
		cmocka_unit_test(programs_and_silence_are_not_answered),
		cmocka_unit_test(bad_events_are_garbage),
		cmocka_unit_test(a_status_ends_a_delivery_or_goes_on),
		cmocka_unit_test(a_failure_says_whether_it_may_go_again),
		cmocka_unit_test(send_answers_with_the_ids_of_messages),
		cmocka_unit_test(health_says_yes_or_no),
		cmocka_unit_test(rests_double_five_times_and_are_long_then),
	};

	return cmocka_run_group_tests(tests, begin, end);
}

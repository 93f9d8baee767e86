/* ntfy_test.c - lines of ntfy, and messages as it takes them. */
#include "deliver/ntfy/ntfy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void topics_are_names(void **state)
{
	assert_true(ntfy_is_topic(TEXT("signalbox-k3_V9")));
	assert_false(ntfy_is_topic(TEXT("")));
	assert_false(ntfy_is_topic(TEXT("a b")));
	assert_false(ntfy_is_topic(TEXT("a/../b")));
	assert_false(ntfy_is_topic(TEXT("01234567890123456789012345678901234567890123456789"
	                                "012345678901234")));
}

static bool reads(const char *line, struct ntfy_event *event)
{
	static struct json_reader reader;
	bool good;

	json_reader_finish(&reader);
	json_reader_init(&reader, NTFY_LINE_MAX);
	good = ntfy_read_event(&reader, text_of(line), event);
	return good;
}

static void a_line_is_an_event(void **state)
{
	struct ntfy_event event;

	assert_true(reads("{\"id\":\"a\",\"event\":\"open\",\"topic\":\"t\"}", &event));
	assert_true(event.is_open && !event.is_message);
	assert_true(reads("{\"id\":\"a1\",\"event\":\"message\",\"topic\":\"t\",\"title\":\"x\","
	                  "\"message\":\"hello\",\"new\":{}}",
	                  &event));
	assert_true(event.is_message && text_is(event.id, "a1") && text_is(event.title, "x") &&
	            text_is(event.message, "hello"));
	assert_false(reads("{\"id\":\"a&b c\",\"event\":\"message\",\"topic\":\"t\"}", &event));
	assert_false(reads("{\"event\":\"message\",\"topic\":\"t\"}", &event));
	assert_false(reads("{\"id\":\"a\",\"event\":\"message\",\"topic\":\"../t\"}", &event));
	assert_false(reads("{\"id\":1,\"event\":[],\"topic\":{}}", &event));
	assert_false(reads("nothing", &event));
}

static void says(const struct channel_message *m, const char *press, const char *json)
{
	struct buf out;

	buf_init(&out, 64 * KIB);
	ntfy_put_message(m, press, &out);
	buf_add_char(&out, '\0');
	assert_string_equal(out.at, json);
	buf_finish(&out);
}

static void a_message_is_plain_and_its_buttons_are_requests(void **state)
{
	struct channel_button buttons[] = {{TEXT("Allow"), TEXT("d:0"), TEXT("")},
	                                   {TEXT("Deny"), TEXT("d:1"), TEXT("d:1.c0de")}};
	struct channel_message m = {.peer = TEXT("t"), .text = TEXT("a **b**\a")};

	says(&m, NULL, "{\"topic\":\"t\",\"message\":\"a b\"}");
	m.is_plain = true;
	says(&m, "https://x", "{\"topic\":\"t\",\"message\":\"a **b**\"}");
	m.buttons = buttons;
	m.button_count = 2;
	says(&m, "https://x/y/",
	     "{\"topic\":\"t\",\"message\":\"a **b**\",\"priority\":4,\"actions\":[{\"action\":"
	     "\"http\",\"label\":\"Deny\",\"url\":\"https://x/y/api/press\",\"method\":\"POST\","
	     "\"headers\":{\"X-Signalbox-Press\":\"d:1.c0de\"},\"clear\":true}]}");
	says(&m, NULL,
	     "{\"topic\":\"t\",\"message\":\"a **b**\\n\\nIt can be answered on the page "
	     "(`signalbox open`).\"}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(topics_are_names),
		cmocka_unit_test(a_line_is_an_event),
		cmocka_unit_test(a_message_is_plain_and_its_buttons_are_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* replayed_test.c - what changes in a signal that is sent once more, and what does not. */
#include "cli/replayed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define ID_LEN 36

/* The envelope behind `{"id":"UUID",`. */
static void expect_of(const char *epoch, const char *line, const char *expected)
{
	size_t head = sizeof("{\"id\":\"") - 1 + ID_LEN + 2;
	struct error why = {""};
	struct replayed r;
	struct buf out;
	yyjson_doc *doc;

	replayed_init(&r);
	buf_init(&out, 64 * KIB);
	r.epoch = epoch;
	assert_true(replayed_read(&r, text_of(line), &why));
	replayed_add(&out, &r);
	doc = yyjson_read(out.at, out.len, 0);
	assert_non_null(doc);
	yyjson_doc_free(doc);
	buf_add_char(&out, '\0');
	assert_string_equal(out.at + head, expected);
	buf_finish(&out);
	replayed_finish(&r);
}

static void expect(const char *line, const char *expected)
{
	expect_of(NULL, line, expected);
}

static void what_it_was_is_in_its_metadata(void **state)
{
	expect("{\"seq\":7,\"id\":\"a\",\"type\":\"t\",\"timestamp\":1700000000000,"
	       "\"source\":\"s\","
	       "\"payload\":{\"n\":1}}",
	       "\"type\":\"t\",\"source\":\"s\",\"payload\":{\"n\":1},"
	       "\"metadata\":{\"replay\":{\"id\":\"a\",\"seq\":7,\"timestamp\":1700000000000}}}");
}

static void where_its_epoch_is_known_it_has_its_position(void **state)
{
	expect_of("0123456789ab", "{\"seq\":7,\"id\":\"a\",\"type\":\"t\"}",
	          "\"type\":\"t\",\"metadata\":{\"replay\":{\"id\":\"a\","
	          "\"epoch\":\"0123456789ab\",\"seq\":7}}}");
	expect_of("0123456789ab", "{\"id\":\"a\",\"type\":\"t\"}",
	          "\"type\":\"t\",\"metadata\":{\"replay\":{\"id\":\"a\"}}}");
}

static void other_metadata_stays_but_for_an_older_replay_and_an_origin(void **state)
{
	expect("{\"seq\":7,\"id\":\"a\",\"type\":\"t\",\"metadata\": { \"x\" : [1, 2] ,\"replay\":"
	       "{\"seq\":3,\"id\":\"z\"}, \"y\":\"}\",\"origin\":{\"dialect\":\"run\"}} ,"
	       "\"payload\":{}}",
	       "\"type\":\"t\",\"payload\":{},\"metadata\":{\"x\" : [1, 2],\"y\":\"}\","
	       "\"replay\":{\"id\":\"a\",\"seq\":7}}}");
	expect("{\"type\":\"t\",\"id\":\"a\",\"metadata\":{\"x\":{\"y\":{}}} }",
	       "\"type\":\"t\",\"metadata\":{\"x\":{\"y\":{}},\"replay\":{\"id\":\"a\"}}}");
}

static void the_payload_is_byte_for_byte_what_it_was(void **state)
{
	expect("{\"type\":\"t\",\"payload\":{ \"s\":\"\\u00e9\\/\\\"}{,\", \"n\":1.50e3,"
	       "\"big\":123456789012345678901234567890 },\"id\":\"\\\"q\"}",
	       "\"type\":\"t\",\"payload\":{ \"s\":\"\\u00e9\\/\\\"}{,\", \"n\":1.50e3,"
	       "\"big\":123456789012345678901234567890 },"
	       "\"metadata\":{\"replay\":{\"id\":\"\\\"q\"}}}");
}

static void metadata_that_is_no_object_is_left_out(void **state)
{
	expect("{\"type\":\"t\",\"id\":\"a\",\"metadata\":null}",
	       "\"type\":\"t\",\"metadata\":{\"replay\":{\"id\":\"a\"}}}");
}

static bool may_go(const char *line)
{
	struct replayed r;
	bool may;

	replayed_init(&r);
	assert_true(replayed_read(&r, text_of(line), NULL));
	may = replayed_may_go(&r);
	replayed_finish(&r);
	return may;
}

static void what_a_box_or_a_person_said_is_not_said_again(void **state)
{
	assert_true(may_go("{\"type\":\"text_delta\",\"source\":\"claude\"}"));
	assert_true(may_go("{\"type\":\"prompts\",\"source\":\"signalboxes\"}"));
	assert_false(may_go("{\"type\":\"x\",\"source\":\"signalbox\"}"));
	assert_false(may_go("{\"type\":\"x\",\"source\":\"stage\"}"));
	assert_false(may_go("{\"type\":\"user.click\",\"source\":\"me\"}"));
	assert_false(may_go("{\"type\":\"prompt\",\"source\":\"a\"}"));
	assert_false(may_go("{\"type\":\"prompt.closed\",\"source\":\"a\"}"));
	assert_false(may_go("{\"type\":\"journal.gap\",\"source\":\"a\"}"));
}

static void what_is_no_signal_is_refused(void **state)
{
	static const char *const lines[] = {"", "x", "[]", "{}", "{\"type\":1}", "{\"type\":\"t\""};
	struct replayed r;
	struct error why;

	replayed_init(&r);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		assert_false(replayed_read(&r, text_of(lines[i]), &why));
	replayed_finish(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_it_was_is_in_its_metadata),
		cmocka_unit_test(where_its_epoch_is_known_it_has_its_position),
		cmocka_unit_test(other_metadata_stays_but_for_an_older_replay_and_an_origin),
		cmocka_unit_test(the_payload_is_byte_for_byte_what_it_was),
		cmocka_unit_test(metadata_that_is_no_object_is_left_out),
		cmocka_unit_test(what_a_box_or_a_person_said_is_not_said_again),
		cmocka_unit_test(what_is_no_signal_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

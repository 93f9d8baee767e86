/* envelope_test.c - ids for signals that have none. */
#include "cli/envelope.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>
#include <yyjson.h>

/* What is sent for raw, as a document; NULL when it is no JSON. */
static yyjson_doc *sent(const char *raw, bool *twice)
{
	struct buf out;
	yyjson_doc *doc;

	buf_init(&out, 4 * KIB);
	*twice = envelope_add(&out, text_of(raw));
	doc = yyjson_read(out.at, out.len, 0);
	if (!doc)
		assert_true(text_is(buf_text(&out), raw));
	buf_finish(&out);
	return doc;
}

static const char *member(yyjson_doc *doc, const char *pointer)
{
	return yyjson_get_str(yyjson_doc_ptr_get(doc, pointer));
}

static void a_signal_without_an_id_gets_one_and_keeps_the_rest(void **state)
{
	bool twice;
	yyjson_doc *doc = sent(" \t{ \"type\":\"x\",\"payload\":{\"a\":[1,2]}}", &twice);

	assert_true(twice);
	assert_int_equal(strlen(member(doc, "/id")), 36);
	assert_string_equal(member(doc, "/type"), "x");
	assert_int_equal(yyjson_get_uint(yyjson_doc_ptr_get(doc, "/payload/a/1")), 2);
	yyjson_doc_free(doc);
}

static void an_id_of_its_own_is_kept(void **state)
{
	bool twice;
	yyjson_doc *doc = sent("{\"type\":\"x\",\"id\":\"mine\"}", &twice);

	assert_true(twice);
	assert_string_equal(member(doc, "/id"), "mine");
	yyjson_doc_free(doc);
}

static void an_id_of_null_is_left_to_the_box(void **state)
{
	bool twice;

	yyjson_doc_free(sent("{\"type\":\"x\",\"id\":null}", &twice));
	assert_false(twice);
}

static void an_object_without_a_type_becomes_the_payload_of_an_event(void **state)
{
	static const char *const raw[] = {"{\"id\":\"inner\"}", "{}", "{\"type\":5}"};
	bool twice;

	for (unsigned i = 0; i < 3; i++) {
		yyjson_doc *doc = sent(raw[i], &twice);

		assert_true(twice);
		assert_string_equal(member(doc, "/type"), "event");
		assert_int_equal(strlen(member(doc, "/id")), 36);
		if (i == 0)
			assert_string_equal(member(doc, "/payload/id"), "inner");
		yyjson_doc_free(doc);
	}
}

static void what_is_no_object_is_sent_as_it_is(void **state)
{
	static const char *const raw[] = {"", "nonsense", "[1]", "{\"type\":", "\"{\""};
	bool twice;

	for (unsigned i = 0; i < 5; i++) {
		yyjson_doc_free(sent(raw[i], &twice));
		assert_true(twice);
	}
}

static void parts_are_put_together_and_escaped(void **state)
{
	struct envelope_parts parts = {"say \"hi\"", "{\"a\":1}", "me", "run-1"};
	struct buf out;
	yyjson_doc *doc;

	buf_init(&out, 4 * KIB);
	assert_true(envelope_build(&out, &parts, NULL));
	doc = yyjson_read(out.at, out.len, 0);
	assert_string_equal(member(doc, "/type"), "say \"hi\"");
	assert_string_equal(member(doc, "/source"), "me");
	assert_string_equal(member(doc, "/correlationId"), "run-1");
	assert_int_equal(yyjson_get_uint(yyjson_doc_ptr_get(doc, "/payload/a")), 1);
	yyjson_doc_free(doc);
	buf_clear(&out);
	parts.payload = "[1]";
	assert_false(envelope_build(&out, &parts, NULL));
	parts = (struct envelope_parts){.type = "x"};
	assert_true(envelope_build(&out, &parts, NULL));
	doc = yyjson_read(out.at, out.len, 0);
	assert_null(yyjson_doc_ptr_get(doc, "/source"));
	assert_true(yyjson_is_obj(yyjson_doc_ptr_get(doc, "/payload")));
	yyjson_doc_free(doc);
	buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_signal_without_an_id_gets_one_and_keeps_the_rest),
		cmocka_unit_test(an_id_of_its_own_is_kept),
		cmocka_unit_test(an_id_of_null_is_left_to_the_box),
		cmocka_unit_test(an_object_without_a_type_becomes_the_payload_of_an_event),
		cmocka_unit_test(what_is_no_object_is_sent_as_it_is),
		cmocka_unit_test(parts_are_put_together_and_escaped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

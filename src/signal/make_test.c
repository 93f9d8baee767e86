/* make_test.c - envelopes of every shape; parse/make_test.c has their members. */
#include "signal/make.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "signal/json.h"
#include "signal/schema.h"

static void assert_made(struct buf *out, const char *wanted)
{
	buf_add_char(out, '\0');
	assert_string_equal(out->at, wanted);
	buf_finish(out);
}

static void what_is_not_given_is_left_to_the_bus(void **state)
{
	struct buf out;
	struct make m;

	buf_init(&out, KIB);
	make_begin(&m, &out, &(struct make_head){.type = "x"});
	assert_true(make_end(&m));
	assert_made(&out, "{\"type\":\"x\"}");
}

static void all_that_is_given_has_its_place(void **state)
{
	const struct make_head head = {
		.type_text = TEXT("a\0b"),
		.id = TEXT("i"),
		.source = TEXT("s"),
		.correlation = TEXT("c"),
		.at_ms = 12.5,
	};
	struct buf out;
	struct make m;

	buf_init(&out, KIB);
	make_begin(&m, &out, &head);
	make_metadata(&m);
	make_word(&m, "none", NULL);
	make_given(&m, "empty", TEXT(""));
	make_word(&m, "word", "w");
	make_payload(&m);
	assert_true(make_end(&m));
	assert_made(&out,
	            "{\"id\":\"i\",\"type\":\"a\\\\u0000b\",\"timestamp\":12.5,\"source\":\"s\","
	            "\"correlationId\":\"c\",\"metadata\":{\"word\":\"w\"},\"payload\":{}}");
}

static void a_new_one_is_a_whole_signal(void **state)
{
	struct json_reader reader;
	struct error why = {""};
	yyjson_doc *doc;
	struct buf out;
	struct make m;

	buf_init(&out, KIB);
	make_begin(&m, &out, &(struct make_head){.type = "x", .source = TEXT("s"), .is_new = true});
	make_payload(&m);
	make_u64(&m, "n", 1);
	assert_true(make_end(&m));
	json_reader_init(&reader, KIB);
	doc = json_read(&reader, buf_text(&out), &why);
	assert_non_null(doc);
	assert_true(schema_check(yyjson_doc_get_root(doc), &why));
	assert_int_equal(json_text_at(yyjson_doc_get_root(doc), "id").len, 36);
	json_reader_finish(&reader);
	buf_finish(&out);
}

static void one_that_is_too_big_is_none(void **state)
{
	struct buf out;
	struct make m;

	buf_init(&out, 20);
	make_begin(&m, &out, &(struct make_head){.type = "x"});
	make_payload(&m);
	make_word(&m, "word", "too much");
	assert_false(make_end(&m));
	buf_finish(&out);
}

static void a_time_is_written_as_printf_would(void **state)
{
	static const double times[] = {1,
	                               1767225600123.0,
	                               999999999999999.0,
	                               1e15,
	                               1e21,
	                               -1,
	                               -12345.0,
	                               -1e15,
	                               0.5,
	                               -0.5,
	                               12.25,
	                               1e-7,
	                               123456789.125};

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		bool is_whole = times[i] == floor(times[i]) && fabs(times[i]) < 1e15;
		struct buf out, wanted;
		struct make m;

		buf_init(&out, KIB);
		buf_init(&wanted, KIB);
		make_begin(&m, &out, &(struct make_head){.type = "x", .at_ms = times[i]});
		assert_true(make_end(&m));
		buf_print(&wanted,
		          is_whole ? "{\"type\":\"x\",\"timestamp\":%.0f}"
		                   : "{\"type\":\"x\",\"timestamp\":%.17g}",
		          times[i]);
		buf_add_char(&wanted, '\0');
		assert_made(&out, wanted.at);
		buf_finish(&wanted);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_given_is_left_to_the_bus),
		cmocka_unit_test(all_that_is_given_has_its_place),
		cmocka_unit_test(a_new_one_is_a_whole_signal),
		cmocka_unit_test(one_that_is_too_big_is_none),
		cmocka_unit_test(a_time_is_written_as_printf_would),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

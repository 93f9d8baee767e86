/* json_test.c - what the reader promises about places, numbers and surrogates. */
#include "signal/json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/must.h"

static struct json_reader reader;
static struct error why;

static int start(void **state)
{
	json_reader_init(&reader, 2 * MIB);
	return 0;
}

static int stop(void **state)
{
	json_reader_finish(&reader);
	return 0;
}

static yyjson_val *root_of(const char *raw)
{
	yyjson_doc *doc = json_read(&reader, text_of(raw), &why);

	if (!doc)
		fail_msg("%s: %s", raw, why.words);
	return yyjson_doc_get_root(doc);
}

/* Every string stands in the copy where it stands in the text. */
static void assert_places(yyjson_val *value, const char *raw, unsigned *seen)
{
	size_t i, max;
	yyjson_val *key, *item;

	if (yyjson_is_str(value)) {
		size_t at = (size_t)(yyjson_get_str(value) - reader.copy.at);

		assert_true(at > 0 && at < strlen(raw));
		assert_int_equal(raw[at - 1], '"');
		/* The tests begin every string with its own number. */
		assert_int_equal(raw[at], '0' + (int)*seen);
		++*seen;
	}
	yyjson_obj_foreach(value, i, max, key, item)
	{
		assert_places(key, raw, seen);
		assert_places(item, raw, seen);
	}
	yyjson_arr_foreach(value, i, max, item)
	{
		assert_places(item, raw, seen);
	}
}

static void a_string_stays_where_it_was_written(void **state)
{
	static const char *const texts[] = {
		"{\"0\":\"1\",\"2\":[\"3\",{\"4\":5}]}",
		" {\n \"0\\u0041\\n\" : \"1\\ud83d\\ude00\" ,\"2\": 1e999, \"3\\\"\":\"4\" } ",
		"{\"0\\ud800\":\"1\\udc00\\ud800\",\"2\\\\\":\"3\xC3\xA9\\u00e9\"}",
		"[\"0\\/\\b\\f\",[[\"1\"]],\"2\",-1.5e-3,123456789012345678901234567890,\"3\"]",
	};
	static const unsigned counts[] = {5, 5, 4, 4};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		unsigned seen = 0;

		assert_places(root_of(texts[i]), texts[i], &seen);
		assert_int_equal(seen, counts[i]);
	}
}

static void half_a_surrogate_pair_is_a_replacement_character(void **state)
{
	static const char *const pairs[][2] = {
		{"\"\\ud800\"", "\xEF\xBF\xBD"},
		{"\"\\uDFFFx\"", "\xEF\xBF\xBDx"},
		{"\"\\ud800\\ud83d\\ude00\"", "\xEF\xBF\xBD\xF0\x9F\x98\x80"},
		{"\"\\udc00\\ud800\"", "\xEF\xBF\xBD\xEF\xBF\xBD"},
		{"\"\\\\ud800\\ud800\"", "\\ud800\xEF\xBF\xBD"},
		{"\"\\uD83D\\uDE00\\ud800\"", "\xF0\x9F\x98\x80\xEF\xBF\xBD"},
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		assert_string_equal(yyjson_get_str(root_of(pairs[i][0])), pairs[i][1]);
}

static void what_is_no_json_says_where(void **state)
{
	static const char *const bad[] = {"",
	                                  "{",
	                                  "[1,]",
	                                  "\"\\ud800",
	                                  "\"\\ud800\\q\"",
	                                  "\"\\",
	                                  "\"\\u",
	                                  "\"\\ud800\xFF\"",
	                                  "tru",
	                                  "\xEF\xBB\xBF{}",
	                                  "{} {}"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		why.words[0] = '\0';
		assert_null(json_read(&reader, text_of(bad[i]), &why));
		assert_memory_equal(why.words, "not JSON: ", 10);
		assert_null(json_read(&reader, text_of(bad[i]), NULL));
	}
}

static bool number_of(const char *raw, double *out)
{
	return json_number(root_of(raw), out);
}

static void a_number_is_read_however_it_is_written(void **state)
{
	double n;

	assert_true(number_of("12", &n) && n == 12);
	assert_true(number_of("-1.5e3", &n) && n == -1500);
	assert_true(number_of("18446744073709551615", &n) && n == 18446744073709551615.0);
	assert_true(number_of("123456789012345678901234567890", &n) &&
	            n == 123456789012345678901234567890.0);
	assert_true(number_of("[1e999]", &n) == false);
	assert_false(number_of("1e999", &n));
	assert_false(number_of("-1e999", &n));
	assert_true(number_of("1e-999", &n) && n == 0);
	assert_false(number_of("\"1\"", &n));
	assert_false(number_of("null", &n));
	assert_false(json_number(NULL, &n));
}

static void a_text_is_only_of_a_string(void **state)
{
	assert_int_equal(json_text(root_of("\"a\\u0000b\"")).len, 3);
	assert_int_equal(json_text(root_of("{\"a\":1}")).len, 0);
	assert_null(json_text(NULL).at);
}

static void a_large_text_is_read_and_its_memory_given_back(void **state)
{
	size_t len = MIB;
	char *raw = must_alloc(len);

	memset(raw, '[', len);
	assert_null(json_read(&reader, (struct text){raw, len}, &why));
	for (size_t i = 0; i < len; i++)
		raw[i] = i % 2 ? ',' : '1';
	raw[0] = '[';
	raw[len - 2] = '1';
	raw[len - 1] = ']';
	raw[1] = ' ';
	assert_non_null(json_read(&reader, (struct text){raw, len}, &why));
	assert_true(reader.pool_room > MIB);
	root_of("{}");
	assert_true(reader.pool_room <= MIB);
	free(raw);
}

static void a_text_above_the_ceiling_is_refused(void **state)
{
	struct json_reader small;

	json_reader_init(&small, 8);
	assert_non_null(json_read(&small, TEXT("[1,2,34]"), &why));
	assert_null(json_read(&small, TEXT("[1,2,345]"), &why));
	assert_string_equal(why.words, "too big");
	json_reader_finish(&small);
	json_reader_finish(&small);
}

static void assert_number(double number, const char *wanted)
{
	struct buf out;

	buf_init(&out, KIB);
	assert_true(json_add_number(&out, number));
	if (!text_is(buf_text(&out), wanted))
		fail_msg("got %.*s, not %s", TEXT_ARG(buf_text(&out)), wanted);
	buf_finish(&out);
}

static void a_number_is_written_as_short_as_it_can_be(void **state)
{
	assert_number(100, "100");
	assert_number(-0.0, "0");
	assert_number(-7, "-7");
	assert_number(0.1, "0.1");
	assert_number(1 / 3.0, "0.3333333333333333");
	assert_number(999999999999999, "999999999999999");
	assert_number((double)INFINITY, "null");
	assert_number((double)NAN, "null");
}

static void a_value_is_written_as_it_was_read(void **state)
{
	static const char *const values[] = {
		"\"a \\\"b\\\" \\n\"",
		"{\"a\":[1,2.5,null,true],\"b\":{}}",
		"123456789012345678901234567890",
		"-3",
		"false",
	};
	struct buf out;

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		buf_init(&out, KIB);
		assert_true(json_add(&out, root_of(values[i])));
		if (!text_is(buf_text(&out), values[i]))
			fail_msg("got %.*s, not %s", TEXT_ARG(buf_text(&out)), values[i]);
		buf_finish(&out);
	}
	buf_init(&out, 4);
	assert_false(json_add(&out, root_of("\"abc\"")));
	assert_false(json_add(&out, root_of("[1,2,3]")));
	assert_int_equal(out.len, 0);
	buf_finish(&out);
}

static void a_document_may_have_memory_that_is_there(void **state)
{
	static const char text[] = "{\"a\":[1,2,3],\"b\":\"words\"}";
	yyjson_doc *doc = yyjson_read_opts((char *)text, sizeof(text) - 1, 0, &json_memory, NULL);

	assert_string_equal(yyjson_get_str(yyjson_obj_get(yyjson_doc_get_root(doc), "b")), "words");
	yyjson_doc_free(doc);
	assert_null(yyjson_read_opts((char *)text, sizeof(text) - 2, 0, &json_memory, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_string_stays_where_it_was_written),
		cmocka_unit_test(half_a_surrogate_pair_is_a_replacement_character),
		cmocka_unit_test(what_is_no_json_says_where),
		cmocka_unit_test(a_number_is_read_however_it_is_written),
		cmocka_unit_test(a_text_is_only_of_a_string),
		cmocka_unit_test(a_large_text_is_read_and_its_memory_given_back),
		cmocka_unit_test(a_text_above_the_ceiling_is_refused),
		cmocka_unit_test(a_number_is_written_as_short_as_it_can_be),
		cmocka_unit_test(a_value_is_written_as_it_was_read),
		cmocka_unit_test(a_document_may_have_memory_that_is_there),
	};

	return cmocka_run_group_tests(tests, start, stop);
}

/* scan_test.c - finding members of an object. */
#include "base/scan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* The members as "key=value;", with "!" behind when the object is bad. */
static void assert_members(const char *object, const char *want)
{
	struct text key, value;
	char got[200] = "";
	struct scan scan;
	size_t at = 0;

	scan_object(&scan, text_of(object));
	while (scan_member(&scan, &key, &value))
		at += (size_t)snprintf(got + at, sizeof(got) - at, "%.*s=%.*s;", TEXT_ARG(key),
		                       TEXT_ARG(value));
	if (!scan_is_over(&scan))
		snprintf(got + at, sizeof(got) - at, "!");
	assert_string_equal(got, want);
}

static void members_are_given_as_they_are_written(void **state)
{
	assert_members("{}", "");
	assert_members(" { } ", "");
	assert_members("{\"a\":1,\"b\" : \"x\" , \"c\":[1,{\"d\":2}]}",
	               "a=1;b=\"x\";c=[1,{\"d\":2}];");
	assert_members("{\"a\":{\"b\":null}\n}", "a={\"b\":null};");
	assert_members("{\"a\":true,\"a\":-1.5e3}", "a=true;a=-1.5e3;");
}

static void quotes_and_brackets_in_strings_do_not_count(void **state)
{
	assert_members("{\"a\\\"\":\"}]\\\\\",\"b\":[\"]\\\"\"]}",
	               "a\\\"=\"}]\\\\\";b=[\"]\\\"\"];");
	assert_members("{\"a\":\"\\\\\\\"\"}", "a=\"\\\\\\\"\";");
}

static void what_is_no_object_is_bad(void **state)
{
	static const char *const bad[] = {"", "[]", "{", "{\"a", "{\"a\"", "{\"a\":", "{1:2}"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_members(bad[i], "!");
	assert_members("{\"a\":\"x", "!");
	assert_members("{\"a\":[1,2", "!");
	assert_members("{\"a\":1 \"b\":2}", "a=1;!");
	assert_members("{\"a\":1,}", "a=1;!");
	assert_members("{} x", "!");
}

static void what_is_not_there_is_bad(void **state)
{
	struct text key, value;
	struct scan scan;

	scan_object(&scan, (struct text){NULL, 0});
	assert_false(scan_member(&scan, &key, &value));
	assert_false(scan_is_over(&scan));
}

static void what_is_no_json_is_given_alike_on_every_machine(void **state)
{
	assert_members("{\"a\":1\xC3\xA9,\"b\":\xFF}", "a=1\xC3\xA9;b=\xFF;");
}

static void items_of_an_array_are_given_as_they_are_written(void **state)
{
	static const char *const want[] = {"1", "\"a,]\"", "[2, 3]", "{\"b\":[]}", "null"};
	struct text item;
	struct scan scan;
	unsigned n = 0;

	scan_array(&scan, TEXT(" [1, \"a,]\" ,[2, 3],\n{\"b\":[]},null ] "));
	while (scan_item(&scan, &item)) {
		assert_true(n < 5);
		assert_true(text_is(item, want[n++]));
	}
	assert_true(scan_is_over(&scan));
	assert_int_equal(n, 5);
	scan_array(&scan, TEXT("[ ]"));
	assert_false(scan_item(&scan, &item));
	assert_true(scan_is_over(&scan));
	scan_array(&scan, TEXT("{}"));
	assert_true(scan.bad);
	scan_array(&scan, TEXT("[1 2]"));
	assert_true(scan_item(&scan, &item));
	assert_false(scan_item(&scan, &item));
	assert_true(scan.bad);
}

static void the_end_of_a_line_is_found_wherever_it_stands(void **state)
{
	char bytes[70];

	for (size_t len = 0; len <= sizeof(bytes); len++) {
		memset(bytes, ' ', sizeof(bytes));
		assert_ptr_equal(scan_line(bytes, bytes + len), bytes + len);
		for (size_t i = 0; i < len; i++) {
			memset(bytes + i, i % 2 ? '\n' : '\r', sizeof(bytes) - i);
			assert_ptr_equal(scan_line(bytes, bytes + len), bytes + i);
			memset(bytes + i, 0xFF, sizeof(bytes) - i); /* and no other byte is one */
			assert_ptr_equal(scan_line(bytes, bytes + len), bytes + len);
		}
	}
}

static void values_are_counted_as_far_as_is_asked(void **state)
{
	static char many[9000];

	assert_false(scan_has_more(TEXT(""), 1));
	assert_false(scan_has_more(TEXT("7"), 1));
	assert_true(scan_has_more(TEXT("7"), 0));
	assert_false(scan_has_more(TEXT("[1,2,3]"), 4));
	assert_true(scan_has_more(TEXT("[1,2,3]"), 3));
	assert_false(scan_has_more(TEXT("[\"a,b,[c:\\\",\"]"), 2));
	assert_true(scan_has_more(TEXT("{\"a\":{\"b\":[{},{}]}}"), 4));
	assert_false(scan_has_more(TEXT("[1,\"2,3,4"), 3)); /* it does not end */
	for (size_t len = 1; len < sizeof(many); len += 101) {
		memset(many, ',', sizeof(many));
		assert_true(scan_has_more((struct text){many, len}, len));
		assert_false(scan_has_more((struct text){many, len}, len + 1));
		many[0] = '"'; /* all is a string, or none */
		assert_false(scan_has_more((struct text){many, len}, 1));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_are_given_as_they_are_written),
		cmocka_unit_test(quotes_and_brackets_in_strings_do_not_count),
		cmocka_unit_test(what_is_no_object_is_bad),
		cmocka_unit_test(what_is_not_there_is_bad),
		cmocka_unit_test(what_is_no_json_is_given_alike_on_every_machine),
		cmocka_unit_test(items_of_an_array_are_given_as_they_are_written),
		cmocka_unit_test(the_end_of_a_line_is_found_wherever_it_stands),
		cmocka_unit_test(values_are_counted_as_far_as_is_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

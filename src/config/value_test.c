/* value_test.c - units, choices and the forms of texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"
#include "config/check.h"
#include "config/field.h"
#include "config/write.h"
#include "config/yaml.h"

static const char *const fruits[] = {"apple", "pear", NULL};

static bool sets(const struct field *field, void *at, const char *value, struct error *why)
{
	return field_set(field, at, text_of(value), why);
}

static void sizes_have_binary_units(void **state)
{
	const struct field field = {"keep", FIELD_SIZE, 0};
	size_t n = 0;

	assert_true(sets(&field, &n, "10GiB", NULL));
	assert_int_equal(n, 10ull << 30);
	assert_true(sets(&field, &n, "16KiB", NULL));
	assert_int_equal(n, 16 << 10);
	assert_true(sets(&field, &n, "7B", NULL));
	assert_int_equal(n, 7);
	assert_true(sets(&field, &n, "0", NULL));
	assert_int_equal(n, 0);
}

static void what_is_no_size_is_refused(void **state)
{
	static const char *const wrong[] = {"",
	                                    "10",
	                                    "10GB",
	                                    "10 GiB",
	                                    "-1GiB",
	                                    "1.5GiB",
	                                    "GiB",
	                                    "18446744073709551616B",
	                                    "99999999999TiB",
	                                    "0x10B"};
	const struct field field = {"keep", FIELD_SIZE, 0};
	size_t n = 42;

	for (unsigned i = 0; i < 10; i++) {
		struct error why;

		assert_false(sets(&field, &n, wrong[i], &why));
		assert_non_null(strstr(why.words, "a size like 64MiB"));
	}
	assert_int_equal(n, 42);
}

static void times_are_milliseconds(void **state)
{
	const struct field field = {"ping", FIELD_TIME, 0};
	unsigned n = 0;

	assert_true(sets(&field, &n, "5ms", NULL));
	assert_int_equal(n, 5);
	assert_true(sets(&field, &n, "20s", NULL));
	assert_int_equal(n, 20000);
	assert_true(sets(&field, &n, "2m", NULL));
	assert_int_equal(n, 120000);
	assert_true(sets(&field, &n, "1h", NULL));
	assert_int_equal(n, 3600000);
	assert_false(sets(&field, &n, "20", NULL));
	assert_false(sets(&field, &n, "2000h", NULL)); /* more than 32 bits of them */
}

static void numbers_are_plain_and_finite(void **state)
{
	static const char *const wrong[] = {"",      "inf", "nan", "1e3", "0x10",
	                                    "1.2.3", " 1",  "-1",  "."};
	const struct field field = {"speed", FIELD_NUMBER, 0};
	double n = 0;

	assert_true(sets(&field, &n, "2.5", NULL));
	assert_true(n == 2.5);
	for (unsigned i = 0; i < 9; i++)
		assert_false(sets(&field, &n, wrong[i], NULL));
}

static void a_range_is_said_when_it_is_left(void **state)
{
	const struct field field = {"depth", FIELD_COUNT, 0, .low = 4, .high = 1024};
	struct error why;
	unsigned n = 0;

	assert_true(sets(&field, &n, "4", NULL));
	assert_true(sets(&field, &n, "1024", NULL));
	assert_false(sets(&field, &n, "3", &why));
	assert_string_equal(why.words, "too small: at least 4 is wanted");
	assert_false(sets(&field, &n, "1025", &why));
	assert_string_equal(why.words, "too big: at most 1024 is allowed");
}

static void a_range_is_written_as_people_would(void **state)
{
	static const struct {
		struct field field;
		const char *words;
	} cases[] = {
		{{"a", FIELD_SIZE, .low = 512, .high = 64 * MIB}, "512B to 64MiB"},
		{{"b", FIELD_SIZE, .low = 1536, .high = 1024.0 * MIB}, "1536B to 1GiB"},
		{{"c", FIELD_TIME, .low = 100, .high = 90000}, "100ms to 90s"},
		{{"d", FIELD_TIME, .low = 0, .high = 1000}, "0 to 1s"},
		{{"e", FIELD_NUMBER, .low = 0.01, .high = 1000}, "0.01 to 1000"},
		{{"f", FIELD_COUNT, .low = 1, .high = 1e6}, "1 to 1000000"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *words = field_range(&cases[i].field);

		assert_string_equal(words, cases[i].words);
		free(words);
	}
	assert_null(field_range(&(struct field){"g", FIELD_COUNT}));
}

static void a_choice_suggests_the_near_one(void **state)
{
	const struct field field = {"fruit", FIELD_CHOICE, 0, .choices = fruits};
	struct error why;
	unsigned n = 9;

	assert_true(sets(&field, &n, "pear", NULL));
	assert_int_equal(n, 1);
	assert_false(sets(&field, &n, "aple", &why));
	assert_string_equal(why.words, "'aple' is none of apple, pear; did you mean 'apple'?");
	assert_false(sets(&field, &n, "plum", &why));
	assert_string_equal(why.words, "'plum' is none of apple, pear");
}

static void switches_are_true_or_false_or_on_or_off(void **state)
{
	const struct field field = {"query", FIELD_SWITCH, 0};
	bool on = false;

	assert_true(sets(&field, &on, "true", NULL));
	assert_true(on);
	assert_false(sets(&field, &on, "yes", NULL));
	assert_true(sets(&field, &on, "false", NULL));
	assert_false(on);
	assert_true(sets(&field, &on, "on", NULL));
	assert_true(on);
	assert_true(sets(&field, &on, "off", NULL));
	assert_false(on);
}

static void a_choice_of_true_and_false_takes_on_and_off(void **state)
{
	static const char *const answers[] = {"auto", "false", "true", NULL};
	static const char *const own[] = {"on", "off", NULL};
	const struct field field = {"enabled", FIELD_CHOICE, 0, .choices = answers};
	const struct field other = {"mode", FIELD_CHOICE, 0, .choices = own};
	struct error why;
	unsigned n = 9;

	assert_true(sets(&field, &n, "off", NULL));
	assert_int_equal(n, 1);
	assert_true(sets(&field, &n, "on", NULL));
	assert_int_equal(n, 2);
	assert_false(sets(&field, &n, "yes", &why));
	assert_string_equal(why.words, "'yes' is none of auto, false, true");
	assert_true(sets(&other, &n, "off", NULL));
	assert_int_equal(n, 1);
	assert_false(sets(&other, &n, "true", NULL));
}

static void texts_hold_no_control_characters(void **state)
{
	const struct field field = {"data", FIELD_TEXT, 0};
	char *text = NULL;

	assert_true(sets(&field, &text, "/a", NULL));
	assert_false(sets(&field, &text, "", NULL));
	assert_false(sets(&field, &text, "a\nb", NULL));
	assert_false(field_set(&field, &text, TEXT("a\0b"), NULL));
	assert_string_equal(text, "/a");
	fields_finish((struct field[]){field, {0}}, &text);
	assert_null(text);
}

static void only_loopback_addresses_are_taken(void **state)
{
	static const char *const good[] = {"127.0.0.1:7446", "127.9.9.9:0", "[::1]:1",
	                                   "localhost:65535"};
	static const char *const bad[] = {
		"0.0.0.0:7446",
		"192.168.1.2:1",
		"[::]:1",
		"[fe80::1]:1",
		"127.evil.example:1",
		"127.0.0.1",
		"127.0.0.1:65536",
		"127.0.0.1:",
		":7446",
		"[127.0.0.1]:1",
		"::1:7446",
		"127.1:7446",
		"0177.0.0.1:1",
		"localhost.evil:1",
		"[::ffff:1.2.3.4]:1",
		"[::1",
	};
	struct error why;

	for (unsigned i = 0; i < 4; i++)
		assert_true(check_local_address(text_of(good[i]), NULL));
	for (unsigned i = 0; i < 16; i++)
		assert_false(check_local_address(text_of(bad[i]), &why));
	for (unsigned i = 0; i < 4; i++) /* good ones, where TLS is spoken */
		assert_true(check_address(text_of(bad[i]), NULL));
	for (unsigned i = 4; i < 14; i++)
		assert_false(check_address(text_of(bad[i]), &why));
}

static void hosts_origins_and_names_have_their_forms(void **state)
{
	assert_true(check_host(TEXT("box.example:7446"), NULL));
	assert_false(check_host(TEXT("http://box"), NULL));
	assert_false(check_host(TEXT(""), NULL));
	assert_true(check_origin(TEXT("https://box.example"), NULL));
	assert_true(check_origin(TEXT("http://[::1]:3000"), NULL));
	assert_false(check_origin(TEXT("null"), NULL));
	assert_true(check_contact(TEXT("mailto:me+box@example.com"), NULL));
	assert_true(check_contact(TEXT("https://example.com/me"), NULL));
	assert_false(check_contact(TEXT("me@example.com"), NULL));
	assert_false(check_contact(TEXT("http://example.com"), NULL));
	assert_false(check_contact(TEXT("mailto:"), NULL));
	assert_false(check_contact(TEXT("mailto:a b"), NULL));
	assert_false(check_origin(TEXT("*"), NULL));
	assert_false(check_origin(TEXT("https://box.example/"), NULL));
	assert_true(check_name(TEXT("ci-bot_2"), NULL));
	assert_false(check_name(TEXT("../x"), NULL));
	assert_false(check_name(TEXT(".x"), NULL));
	assert_false(check_name(TEXT("a\0b"), NULL));
}

struct crop {
	char *tree, *fruit;
};
struct garden {
	struct crop *crops;
	size_t count;
};

static bool check_tree(struct text tree, struct error *why)
{
	return tree.len < 8 || error_set(why, "a long word");
}

static const struct field crop_fields[] = {
	{"tree", FIELD_TEXT, offsetof(struct crop, tree), "", .check = check_tree},
	{"fruit", FIELD_TEXT, offsetof(struct crop, fruit), "", .check = NULL},
	{0},
};
static const struct field garden_fields[] = {
	{"crops", FIELD_MAP, offsetof(struct garden, crops), "", .fields = crop_fields,
         .count = offsetof(struct garden, count), .size = sizeof(struct crop)},
	{0},
};

static void a_map_gives_a_text_to_each_key(void **state)
{
	struct garden g = {0};
	struct buf out;

	buf_init(&out, KIB);
	assert_true(yaml_read(garden_fields, &g, TEXT("crops: {a: apple, p: pear}\n"), "g", NULL));
	assert_int_equal(g.count, 2);
	assert_string_equal(g.crops[1].tree, "p");
	assert_string_equal(g.crops[1].fruit, "pear");
	field_write(garden_fields, &g, &out);
	assert_true(text_is(buf_text(&out), "{\"a\":\"apple\",\"p\":\"pear\"}"));
	assert_true(yaml_read(garden_fields, &g, TEXT("crops: {}\n"), "g", NULL));
	assert_int_equal(g.count, 0);
	fields_finish(garden_fields, &g);
	buf_finish(&out);
}

static void a_map_that_is_none_is_refused_with_its_place(void **state)
{
	static const struct {
		const char *yaml, *words;
	} rows[] = {
		{"crops: [a]\n", "g:1:8: 'crops' wants a map of texts"},
		{"crops: a\n", "g:1:8: 'crops' wants a map of texts"},
		{"crops: {a: [b]}\n", "g:1:12: 'crops' wants a map of texts"},
		{"crops: {a: }\n", "g:1:12: 'crops' wants a map of texts"},
		{"crops: {[a]: b}\n", "g:1:9: a key is a plain word"},
		{"crops: {a: b, a: c}\n", "g:1:15: crops: 'a' is given twice"},
		{"crops: {far_too_long: b}\n", "g:1:9: crops: a long word"},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct garden g = {0};
		struct error why;

		assert_false(yaml_read(garden_fields, &g, text_of(rows[i].yaml), "g", &why));
		assert_string_equal(why.words, rows[i].words);
		fields_finish(garden_fields, &g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_have_binary_units),
		cmocka_unit_test(what_is_no_size_is_refused),
		cmocka_unit_test(times_are_milliseconds),
		cmocka_unit_test(numbers_are_plain_and_finite),
		cmocka_unit_test(a_range_is_said_when_it_is_left),
		cmocka_unit_test(a_range_is_written_as_people_would),
		cmocka_unit_test(a_choice_suggests_the_near_one),
		cmocka_unit_test(a_choice_of_true_and_false_takes_on_and_off),
		cmocka_unit_test(switches_are_true_or_false_or_on_or_off),
		cmocka_unit_test(texts_hold_no_control_characters),
		cmocka_unit_test(only_loopback_addresses_are_taken),
		cmocka_unit_test(hosts_origins_and_names_have_their_forms),
		cmocka_unit_test(a_map_gives_a_text_to_each_key),
		cmocka_unit_test(a_map_that_is_none_is_refused_with_its_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

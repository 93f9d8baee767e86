/* condense_test.c - long lines in pieces: JSON stays JSON, and says what it is about. */
#include "source/transcript/condense.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <yyjson.h>

static const struct condense_limits limits = {MIB, 512 * KIB, 256 * KIB, KIB};

static void feed(struct condense *c, struct text line, size_t piece)
{
	condense_clear(c);
	while (line.len) {
		struct text part = {line.at, line.len < piece ? line.len : piece};

		condense_add(c, part);
		line = (struct text){line.at + part.len, line.len - part.len};
	}
}

static yyjson_doc *read_back(const struct condense *c)
{
	yyjson_doc *doc = yyjson_read(c->out.at, c->out.len, 0);

	assert_false(c->is_bad);
	assert_non_null(doc);
	return doc;
}

static const char *string_at(yyjson_doc *doc, const char *pointer)
{
	return yyjson_get_str(yyjson_doc_ptr_get(doc, pointer));
}

static void add_times(struct buf *out, const char *what, size_t times)
{
	for (size_t i = 0; i < times; i++)
		buf_add(out, text_of(what));
}

static void a_short_line_is_left_as_it_is(void **state)
{
	struct text line = TEXT("{\"a\": [1, {\"b\":\"x\\\"\\u00e9\\\\\"}], \"c\":\"}]\"} ");
	struct condense c;

	condense_init(&c, &limits);
	for (size_t piece = 1; piece < line.len; piece++) {
		feed(&c, line, piece);
		assert_true(text_equal(buf_text(&c.out), line));
		assert_int_equal(c.dropped, 0);
	}
	condense_finish(&c);
}

/* Of one, two, three and four bytes, and escapes of one and of two. */
static void a_long_string_ends_with_a_whole_character(void **state)
{
	static const char *const characters[] = {
		"x",    "\xc3\xa9", "\xe4\xb8\xad",   "\xf0\x9f\x98\x80",
		"\\n",  "\\u00e9",  "\\ud83d\\ude00", "a\\ud83d\\ude00",
		"\\\\", "\\\"",
	};
	struct condense c;
	struct buf line;

	condense_init(&c, &limits);
	buf_init(&line, 8 * MIB);
	for (size_t i = 0; i < sizeof(characters) / sizeof(*characters); i++)
		for (size_t piece = 4093; piece < 4100; piece++) {
			uint64_t hash;
			yyjson_doc *doc;

			buf_clear(&line);
			buf_add(&line, TEXT("{\"long\":\""));
			add_times(&line, characters[i], 300 * KIB);
			buf_add(&line, TEXT("\",\"type\":\"user\"}"));
			feed(&c, buf_text(&line), piece);
			doc = read_back(&c);
			assert_string_equal(string_at(doc, "/type"), "user");
			assert_in_range(c.out.len, limits.string, limits.string + 64);
			assert_int_equal(c.out.len + c.dropped, line.len);
			hash = condense_hash(&c);
			feed(&c, buf_text(&line), line.len);
			assert_int_equal(condense_hash(&c), hash);
			yyjson_doc_free(doc);
		}
	buf_finish(&line);
	condense_finish(&c);
}

/* A patch of a hundred thousand lines, and what stands behind it. */
static void what_is_deep_is_emptied_when_there_is_much(void **state)
{
	struct condense c;
	struct buf line;
	yyjson_doc *doc;
	yyjson_val *patch;

	condense_init(&c, &limits);
	buf_init(&line, 32 * MIB);
	buf_add(&line, TEXT("{\"toolUseResult\":{\"structuredPatch\":[{\"lines\":[\"a\""));
	add_times(&line, ",\"+ some words of a line that is changed\"", 100000);
	buf_add(&line, TEXT("],\"deep\":{\"a\":[1,{}]},\"list\":[[1,2],[3]]}]},\"message\":{"
	                    "\"content\":[{\"tool_use_id\":\"c-1\",\"is_error\":true}]}}"));
	feed(&c, buf_text(&line), 100 * KIB);
	doc = read_back(&c);
	patch = yyjson_doc_ptr_get(doc, "/toolUseResult/structuredPatch/0");
	assert_int_equal(yyjson_arr_size(yyjson_obj_get(patch, "lines")), 100001);
	assert_string_equal(string_at(doc, "/toolUseResult/structuredPatch/0/lines/100000"), "+");
	assert_int_equal(yyjson_obj_size(yyjson_obj_get(patch, "deep")), 0);
	assert_int_equal(yyjson_arr_size(yyjson_obj_get(patch, "list")), 0);
	assert_string_equal(string_at(doc, "/message/content/0/tool_use_id"), "c-1");
	yyjson_doc_free(doc);
	buf_finish(&line);
	condense_finish(&c);
}

static void what_is_too_much_is_bad_and_the_next_is_not(void **state)
{
	struct condense c;
	struct buf line;

	condense_init(&c, &limits);
	buf_init(&line, 32 * MIB);
	buf_add(&line, TEXT("[1"));
	add_times(&line, ",1", MIB);
	feed(&c, buf_text(&line), 100 * KIB);
	assert_true(c.is_bad);
	feed(&c, TEXT("[1]"), 1);
	assert_true(text_is(buf_text(&c.out), "[1]") && !c.is_bad);
	feed(&c, TEXT("]]}}[\"\\u12\"\\"), 1);
	buf_finish(&line);
	condense_finish(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_short_line_is_left_as_it_is),
		cmocka_unit_test(a_long_string_ends_with_a_whole_character),
		cmocka_unit_test(what_is_deep_is_emptied_when_there_is_much),
		cmocka_unit_test(what_is_too_much_is_bad_and_the_next_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

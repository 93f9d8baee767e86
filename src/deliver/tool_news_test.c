/* tool_news_test.c - what is told of tools. */
#include "deliver/tool_news.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "signal/json.h"

static struct tool_news words;
static struct json_reader reader;

static int make_words(void **state)
{
	words = (struct tool_news){0};
	json_reader_init(&reader, MIB);
	return 0;
}

static int end_words(void **state)
{
	tool_news_finish(&words);
	json_reader_finish(&reader);
	return 0;
}

static yyjson_val *json_of(const char *json)
{
	return yyjson_doc_get_root(json_read(&reader, text_of(json), NULL));
}

static void begin(const char *call, const char *tool, const char *input)
{
	tool_news_begin(&words, text_of(call), text_of(tool), json_of(input));
}

static void assert_end(const char *call, const char *output, bool has_failed, const char *wish)
{
	struct tool_end end = {text_of(call), TEXT("Tool"), output ? json_of(output) : NULL,
	                       has_failed};
	struct buf out;

	buf_init(&out, 16 * KIB);
	tool_news_end(&words, &end, &out);
	buf_add_char(&out, '\0');
	assert_string_equal(out.at, wish);
	buf_finish(&out);
}

static void a_call_is_named_by_the_first_text_of_its_input(void **state)
{
	begin("a", "Read", "{\"limit\":3,\"empty\":\"\",\"path\":\"notes.txt\"}");
	begin("b", "Bash", "{\"command\":\"make\\nmake test\"}");
	begin("c", "List", "{}");
	assert_end("b", NULL, true, "Bash: make make test (failed)");
	assert_end("a", NULL, false, "Read: notes.txt");
	assert_end("c", NULL, false, "List");
	assert_end("c", NULL, false, "Tool");
}

static void what_it_gave_stands_below_it_in_lines(void **state)
{
	begin("a", "Bash", "{\"command\":\"ls\"}");
	assert_end("a", "\"one\\ntwo\\u0007\\n\"", false, "Bash: ls\none\ntwo\xef\xbf\xbd");
	assert_end("b", "{\"n\":[1,2]}", false, "Tool\n{\"n\":[1,2]}");
	assert_end("c", "null", false, "Tool");
}

static void what_is_long_is_cut(void **state)
{
	char output[TOOL_NEWS_OUTPUT + 16] = {'"'}, wish[TOOL_NEWS_OUTPUT + 16] = "Tool\n";

	memset(output + 1, 'x', TOOL_NEWS_OUTPUT + 5);
	output[TOOL_NEWS_OUTPUT + 6] = '"';
	memset(wish + 5, 'x', TOOL_NEWS_OUTPUT);
	memcpy(wish + 5 + TOOL_NEWS_OUTPUT, " ...", 5);
	assert_end("a", output, false, wish);
}

static void calls_without_end_are_forgotten(void **state)
{
	begin("first", "Read", "{\"path\":\"one\"}");
	for (unsigned i = 0; i < TOOL_NEWS_OPEN; i++)
		begin("more", "Read", "{\"path\":\"two\"}");
	assert_end("first", NULL, false, "Tool");
	assert_end("more", NULL, false, "Read: two");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_words, end_words)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_call_is_named_by_the_first_text_of_its_input),
		TEST(what_it_gave_stands_below_it_in_lines),
		TEST(what_is_long_is_cut),
		TEST(calls_without_end_are_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

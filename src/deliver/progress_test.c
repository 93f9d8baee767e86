/* progress_test.c - the lines of a status message. */
#include "deliver/progress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "deliver/chunk.h"

static struct progress_note progress;

static int open_progress(void **state)
{
	progress_init(&progress, TEXT("builder"));
	return 0;
}

static int close_progress(void **state)
{
	progress_finish(&progress);
	return 0;
}

static void plan(const char *json)
{
	yyjson_doc *doc = yyjson_read(json, strlen(json), 0);

	assert_non_null(doc);
	progress_plan(&progress, yyjson_doc_get_root(doc), 7);
	yyjson_doc_free(doc);
}

static void shows(const char *wanted)
{
	struct buf out;

	buf_init(&out, 64 * KIB);
	progress_put(&progress, &out);
	buf_add_char(&out, '\0');
	assert_string_equal(out.at, wanted);
	buf_finish(&out);
}

static void it_says_agent_tool_plan_and_question(void **state)
{
	assert_false(progress.has_work);
	progress_tool(&progress, TEXT("Bash"), 5);
	assert_true(progress.has_work && progress.since_ms == 5);
	plan("{\"whole\":true,\"items\":[{\"id\":\"1\",\"text\":\"read\",\"status\":\"completed\"},"
	     "{\"id\":\"2\",\"text\":\"write\\nit\",\"status\":\"in_progress\"},"
	     "{\"id\":\"3\",\"text\":\"test\",\"status\":\"pending\"}]}");
	progress_ask(&progress, TEXT("p1"), TEXT("May I?"), 8);
	shows("builder asks, 1 of 3 steps are done\ntool: Bash\n✓ read\n▶ write it\n○ test\n"
	      "? May I?");
	plan("{\"items\":[{\"id\":\"2\",\"status\":\"completed\"}]}");
	progress_answered(&progress, TEXT("p1"));
	progress_tool(&progress, TEXT(""), 9);
	shows("builder works, 2 of 3 steps are done\n✓ read\n✓ write it\n○ test");
	assert_int_equal(progress.since_ms, 5);
}

static void it_is_eight_lines_of_120_characters(void **state)
{
	struct buf json, out;
	unsigned lines = 1;

	buf_init(&json, MIB);
	buf_add(&json, TEXT("{\"whole\":true,\"items\":["));
	for (unsigned i = 0; i < 100; i++)
		buf_print(&json, "%s{\"text\":\"%u %0500d\",\"status\":\"%s\"}", i ? "," : "", i, 0,
		          i < 40 ? "completed" : "pending");
	buf_add(&json, TEXT("]}"));
	buf_add_char(&json, '\0');
	plan(json.at);
	progress_tool(&progress, TEXT("Read"), 1);
	progress_ask(&progress, TEXT(""), TEXT("\x1b[31mred\r\nand more"), 1);
	buf_init(&out, 64 * KIB);
	progress_put(&progress, &out);
	for (size_t i = 0; i < out.len; i++)
		lines += out.at[i] == '\n';
	assert_int_equal(lines, PROGRESS_LINES);
	assert_null(memchr(out.at, '\x1b', out.len));
	assert_non_null(memmem(out.at, out.len, "\xE2\x97\x8B 40 ", 7));
	for (struct text rest = buf_text(&out); rest.at;)
		assert_true(chunk_length(CHUNK_POINTS, text_cut(rest, '\n', &rest)) <=
		            PROGRESS_CHARS);
	buf_finish(&json);
	buf_finish(&out);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_progress, close_progress)
	const struct CMUnitTest tests[] = {
		TEST(it_says_agent_tool_plan_and_question),
		TEST(it_is_eight_lines_of_120_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

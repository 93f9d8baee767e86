/* tool_words_test.c - that nothing of a tool's input is hidden. */
#include "parse/tool_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct buf words_of(const char *input, size_t max)
{
	yyjson_doc *doc = input ? yyjson_read(input, strlen(input), 0) : NULL;
	struct buf out;

	assert_true(!input || doc);
	buf_init(&out, MIB);
	tool_words(&out, TEXT("Tool"), yyjson_doc_get_root(doc), max);
	yyjson_doc_free(doc);
	buf_add_char(&out, '\0');
	return out;
}

static void assert_words(const char *input, const char *wanted)
{
	struct buf out = words_of(input, 4 * KIB);

	assert_string_equal(out.at, wanted);
	buf_finish(&out);
}

static void a_command_stands_behind_the_name(void **state)
{
	assert_words("{\"command\":\"make\"}", "Tool: make");
	assert_words(NULL, "Tool");
	assert_words("{}", "Tool");
	assert_words("\"text\"", "Tool: text");
	assert_words("7", "Tool: 7");
}

static void every_member_has_a_line(void **state)
{
	assert_words("{\"description\":\"d\",\"command\":\"make\","
	             "\"dangerouslyDisableSandbox\":true,\"n\":1.5,\"none\":null,\"empty\":\"\"}",
	             "Tool: make\ndescription: d\ndangerouslyDisableSandbox: true\nn: 1.5\n"
	             "none: null\nempty: \"\"");
	assert_words("{\"edits\":[{\"old\":\"a\",\"new\":\"b\"},[]],\"env\":{\"CC\":\"clang\"}}",
	             "Tool\nedits[0].old: a\nedits[0].new: b\nedits[1]: []\nenv.CC: clang");
	assert_words("[1,{\"a\":2}]", "Tool\n[0]: 1\n[1].a: 2");
}

static void no_text_passes_for_a_member(void **state)
{
	assert_words("{\"command\":\"ls\\n\\n\\nrm -rf ~\\nsafe: yes\"}",
	             "Tool\ncommand:\n  | ls\n  | \n  | \n  | rm -rf ~\n  | safe: yes");
	assert_words("{\"a\\nb\":1,\"c: d\":2,\"\":3}", "Tool\n\"a\\nb\": 1\n\"c: d\": 2\n\"\": 3");
}

static void what_cannot_be_seen_is_made_visible(void **state)
{
	struct buf out =
		words_of("{\"command\":\"ls\\u0000; rm\",\"x\\u0000y\":\"a\\u001bb\"}", KIB);

	assert_int_equal(strlen(out.at), out.len - 1); /* no NUL within */
	assert_non_null(strstr(out.at, "; rm"));
	assert_null(strchr(out.at, '\x1b'));
	assert_non_null(strstr(out.at, "\"x\\u0000y\": "));
	buf_finish(&out);
}

static void what_is_cut_says_how_much(void **state)
{
	static char input[3000] = "{\"command\":\"";
	size_t n = strlen(input), missing;
	struct buf out;
	char *note;

	memset(input + n, 'x', 2000);
	memcpy(input + n + 2000, "\"}", 3);
	out = words_of(input, KIB);
	assert_true(out.len - 1 <= KIB);
	note = strstr(out.at, "\n... AND ");
	assert_non_null(note);
	missing = strtoul(note + 9, NULL, 10);
	assert_int_equal((size_t)(note - out.at) + missing, strlen("Tool: ") + 2000);
	assert_non_null(strstr(note, " BYTES MORE THAT ARE NOT SHOWN"));
	buf_finish(&out);
}

/* Of a depth at which a walk by recursion would hurt. */
static void what_is_deep_is_shown_as_json(void **state)
{
	assert_words("[[[[[[[[[[[1]]]]]]]]]]]", "Tool\n[0][0][0][0][0][0][0][0]: [[[1]]]");
}

static void a_long_path_is_marked(void **state)
{
	static char input[4000] = "{\"", *at;
	struct buf out;

	memset(input + 2, 'k', 1500);
	at = input + strlen(input);
	memcpy(at, "\":{\"a\":1}}", 11);
	out = words_of(input, 4 * KIB);
	assert_non_null(strstr(out.at, "...: {\"a\":1}"));
	buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_command_stands_behind_the_name),
		cmocka_unit_test(every_member_has_a_line),
		cmocka_unit_test(no_text_passes_for_a_member),
		cmocka_unit_test(what_cannot_be_seen_is_made_visible),
		cmocka_unit_test(what_is_cut_says_how_much),
		cmocka_unit_test(what_is_deep_is_shown_as_json),
		cmocka_unit_test(a_long_path_is_marked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* guess_test.c - command lines and what they print. */
#include "cli/guess.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define GUESS(...) \
	guess_protocol((const char *const[]){__VA_ARGS__}, \
	               sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void claude_streams_when_it_is_told_to(void **state)
{
	assert_string_equal(GUESS("claude", "-p", "--output-format", "stream-json", "hi"),
	                    "claude-stream");
	assert_string_equal(GUESS("/opt/bin/claude", "--output-format=stream-json"),
	                    "claude-stream");
	assert_string_equal(GUESS("claude", "-p", "hi"), "lines");
	assert_string_equal(GUESS("claude", "--output-format", "json"), "lines");
	assert_string_equal(GUESS("claude", "--output-format"), "lines");
	assert_string_equal(GUESS("claude", "--output-formats=stream-json"), "lines");
}

static void codex_streams_when_it_is_told_to(void **state)
{
	assert_string_equal(GUESS("codex", "exec", "--json", "hi"), "codex");
	assert_string_equal(GUESS("codex", "--json"), "lines");
	assert_string_equal(GUESS("codex", "exec"), "lines");
}

static void anything_else_is_lines(void **state)
{
	assert_string_equal(GUESS("my-claude", "--output-format", "stream-json"), "lines");
	assert_string_equal(GUESS("ls"), "lines");
}

static void claude_has_hooks_where_its_output_is_not_read(void **state)
{
	const char *const claude[] = {"/usr/bin/claude"}, *const other[] = {"my-claude"};

	assert_true(guess_has_hooks(claude, "lines"));
	assert_false(guess_has_hooks(claude, "claude-stream"));
	assert_false(guess_has_hooks(other, "lines"));
}

static void a_program_is_called_without_its_directories(void **state)
{
	assert_string_equal(guess_name("/a/b/c"), "c");
	assert_string_equal(guess_name("c"), "c");
	assert_string_equal(guess_name("/"), "/");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(claude_streams_when_it_is_told_to),
		cmocka_unit_test(codex_streams_when_it_is_told_to),
		cmocka_unit_test(anything_else_is_lines),
		cmocka_unit_test(claude_has_hooks_where_its_output_is_not_read),
		cmocka_unit_test(a_program_is_called_without_its_directories),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

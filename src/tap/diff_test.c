/* diff_test.c - what a diff says, line by line. */
#include "tap/diff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/must.h"

#define HEAD "--- f\n+++ f\n"

/* NULL: there is no such text. */
static char *diff(const char *before, const char *after)
{
	struct diff_side a = {"f", text_of(before), before != NULL};
	struct diff_side b = {"f", text_of(after), after != NULL};
	struct buf out;
	char *said;

	buf_init(&out, 4 * MIB);
	diff_add(&out, &a, &b);
	said = text_dup(buf_text(&out));
	buf_finish(&out);
	return said;
}

static void check(const char *before, const char *after, const char *want)
{
	char *said = diff(before, after);

	assert_string_equal(said, want);
	free(said);
}

static void the_same_texts_differ_in_nothing(void **state)
{
	check("a\nb\n", "a\nb\n", "");
	check("", "", "");
	check(NULL, NULL, "");
}

static void lines_that_come_and_go_are_told_with_three_around_them(void **state)
{
	check("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
	      HEAD "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
	check("a\nb\n", "a\nx\nb\n", HEAD "@@ -1,2 +1,3 @@\n a\n+x\n b\n");
	check("a\nx\nb\n", "a\nb\n", HEAD "@@ -1,3 +1,2 @@\n a\n-x\n b\n");
}

static void changes_far_from_one_another_are_told_apart(void **state)
{
	check("a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n",
	      HEAD "@@ -1,8 +1,8 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+B\n");
	check("a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n",
	      HEAD "@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n"
	           "@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n");
}

static void a_file_that_is_not_there_is_called_so(void **state)
{
	check(NULL, "a\n", "--- /dev/null\n+++ f\n@@ -0,0 +1,1 @@\n+a\n");
	check("a\n", NULL, "--- f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n");
	check("", "a\n", HEAD "@@ -0,0 +1,1 @@\n+a\n");
}

static void a_missing_newline_is_told(void **state)
{
	check("a\nb", "a\nb\n", HEAD "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n");
	check("a\nb", "A\nb", HEAD "@@ -1,2 +1,2 @@\n-a\n+A\n b\n\\ No newline at end of file\n");
}

/* Every other line is another: far more than is searched for. */
static void too_many_differences_are_told_all_the_same(void **state)
{
	struct buf before, after;
	size_t gone = 0, come = 0;
	char *said;

	buf_init(&before, MIB);
	buf_init(&after, MIB);
	for (unsigned i = 0; i < 3000; i++) {
		buf_print(&before, "%u\n", i);
		buf_print(&after, i % 2 ? "%u\n" : "new %u\n", i);
	}
	buf_add_char(&before, '\0');
	buf_add_char(&after, '\0');
	said = diff(before.at, after.at);
	assert_non_null(strstr(said, "@@ -1,3000 +1,3000 @@\n-0\n"));
	for (const char *line = said; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		gone += *line == '-';
		come += *line == '+';
	}
	assert_int_equal(gone, 1 + 2999); /* with the names; the last line is in both */
	assert_int_equal(come, 1 + 2999);
	free(said);
	buf_finish(&before);
	buf_finish(&after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_texts_differ_in_nothing),
		cmocka_unit_test(lines_that_come_and_go_are_told_with_three_around_them),
		cmocka_unit_test(changes_far_from_one_another_are_told_apart),
		cmocka_unit_test(a_file_that_is_not_there_is_called_so),
		cmocka_unit_test(a_missing_newline_is_told),
		cmocka_unit_test(too_many_differences_are_told_all_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

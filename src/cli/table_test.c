/* table_test.c - columns, and nothing that a terminal would obey. */
#include "cli/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static char *shown(const char *const *cells, unsigned columns, size_t most)
{
	struct table table;
	struct out out;
	char *dup;

	out_init(&out, STDOUT_FILENO);
	table_init(&table, columns);
	for (unsigned i = 0; cells[i]; i++)
		table_add(&table, text_of(cells[i]), most);
	table_show(&table, &out);
	table_finish(&table);
	dup = text_dup(buf_text(&out.bytes));
	buf_finish(&out.bytes);
	return dup;
}

static void columns_are_as_wide_as_their_widest(void **state)
{
	static const char *const cells[] = {"A", "BB", "\xc3\xa4\xc3\xb6\xc3\xbc", "x", "",
	                                    "y", NULL};
	char *got = shown(cells, 2, 10);

	assert_string_equal(got, "A    BB\n\xc3\xa4\xc3\xb6\xc3\xbc  x\n-    y\n");
	free(got);
}

static void a_long_cell_is_cut_at_a_character(void **state)
{
	static const char *const cells[] = {"abcdefghij",
	                                    "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", NULL};
	char *got = shown(cells, 1, 4);

	assert_string_equal(got, "a...\n\xc3\xa4...\n");
	free(got);
}

static void no_escape_comes_through(void **state)
{
	static const char *const cells[] = {"\033[31mred\033[0m\r\nnext\x07", "\xff\xe2\x80\xae",
	                                    NULL};
	char *got = shown(cells, 1, 40);

	for (const char *c = got; *c; c++)
		assert_true(*c == '\n' || (unsigned char)*c >= 0x20);
	assert_null(strstr(got, "\xe2\x80\xae"));
	assert_null(strstr(got, "\xff"));
	free(got);
}

static void a_list_is_one_cell_and_a_time_is_read_here(void **state)
{
	yyjson_doc *doc = yyjson_read("[\"a\",\"b\\u001bc\"]", 16, 0);
	struct table table;

	setenv("TZ", "UTC", 1);
	table_init(&table, 3);
	table_add_list(&table, yyjson_doc_get_root(doc), 40);
	table_add_list(&table, NULL, 40);
	table_add_time(&table, 1500);
	assert_string_equal(table.cells.at, "a,b\xef\xbf\xbd"
	                                    "c");
	assert_string_equal(table.cells.at + table.cells.len - 20, "1970-01-01 00:00:01");
	table_finish(&table);
	yyjson_doc_free(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_is_one_cell_and_a_time_is_read_here),
		cmocka_unit_test(columns_are_as_wide_as_their_widest),
		cmocka_unit_test(a_long_cell_is_cut_at_a_character),
		cmocka_unit_test(no_escape_comes_through),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

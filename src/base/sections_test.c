/* sections_test.c - pieces are found again, and damage is not taken for one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sections.h"

static void add(struct buf *out, const char *name, struct text bytes)
{
	size_t begun = section_begin(out, name);

	buf_add(out, bytes);
	section_end(out, begun);
}

static void assert_piece(const struct buf *all, const char *name, struct text bytes)
{
	assert_true(text_equal(section_find(buf_text(all), name), bytes));
}

static void pieces_are_found_by_name(void **state)
{
	struct buf all;

	buf_init(&all, KIB);
	add(&all, "one", (struct text){"a\0b", 3});
	add(&all, "none", TEXT(""));
	add(&all, "two", TEXT("second"));
	assert_piece(&all, "one", (struct text){"a\0b", 3});
	assert_piece(&all, "none", TEXT(""));
	assert_piece(&all, "two", TEXT("second"));
	assert_piece(&all, "three", TEXT(""));
	buf_finish(&all);
}

static void what_is_cut_short_is_not_found(void **state)
{
	struct buf all;
	size_t whole;

	buf_init(&all, KIB);
	add(&all, "one", TEXT("first"));
	whole = all.len;
	add(&all, "two", TEXT("second"));
	for (all.len--; all.len >= whole; all.len--) {
		assert_piece(&all, "one", TEXT("first"));
		assert_piece(&all, "two", TEXT(""));
	}
	for (; all.len > 0; all.len--)
		assert_piece(&all, "one", TEXT(""));
	buf_finish(&all);
}

static void a_full_buffer_is_left_alone(void **state)
{
	struct buf all;

	buf_init(&all, 4);
	add(&all, "window", TEXT("bytes"));
	assert_true(all.full);
	buf_finish(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_are_found_by_name),
		cmocka_unit_test(what_is_cut_short_is_not_found),
		cmocka_unit_test(a_full_buffer_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

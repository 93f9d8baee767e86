/* sse_test.c - events as a browser would read them. */
#include "net/sse.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void check(struct buf *out, const char *wanted)
{
	assert_true(text_is(buf_text(out), wanted));
	buf_finish(out);
}

static void an_event_has_its_fields_in_order(void **state)
{
	struct buf out;

	buf_init(&out, KIB);
	assert_true(sse_add_event(&out, TEXT("1-2"), TEXT("gap"), TEXT("{}")));
	check(&out, "id: 1-2\nevent: gap\ndata: {}\n\n");
	assert_true(sse_add_event(&out, TEXT(""), TEXT(""), TEXT("")));
	check(&out, "data: \n\n");
}

static void every_kind_of_line_end_starts_another_data_line(void **state)
{
	struct buf out;

	buf_init(&out, KIB);
	assert_true(sse_add_event(&out, TEXT(""), TEXT(""), TEXT("a\nb\rc\r\nd\n\re\n")));
	check(&out, "data: a\ndata: b\ndata: c\ndata: d\ndata: \ndata: e\ndata: \n\n");
}

static void an_id_or_event_cannot_end_its_line(void **state)
{
	static const struct text bad[] = {{"a\nb", 3}, {"a\r", 2}, {"a\0b", 3}, {"\n", 1}};
	struct buf out;

	buf_init(&out, KIB);
	for (int i = 0; i < 4; i++) {
		assert_false(sse_add_event(&out, bad[i], TEXT("x"), TEXT("y")));
		assert_false(sse_add_event(&out, TEXT("x"), bad[i], TEXT("y")));
	}
	assert_int_equal(out.len, 0);
	buf_finish(&out);
}

static void comments_and_retries_are_whole_blocks(void **state)
{
	struct buf out;

	buf_init(&out, KIB);
	assert_true(sse_add_comment(&out, TEXT("")));
	assert_true(sse_add_comment(&out, TEXT("two\nlines")));
	assert_true(sse_add_retry(&out, 3000));
	check(&out, ": \n\n: two\n: lines\n\nretry: 3000\n\n");
}

static void what_does_not_fit_leaves_nothing_behind(void **state)
{
	struct buf out;

	buf_init(&out, 12);
	assert_false(sse_add_event(&out, TEXT("1"), TEXT(""), TEXT("too long")));
	assert_int_equal(out.len, 0);
	assert_false(sse_add_comment(&out, TEXT("a\nb\nc\nd\ne")));
	assert_int_equal(out.len, 0);
	buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_event_has_its_fields_in_order),
		cmocka_unit_test(every_kind_of_line_end_starts_another_data_line),
		cmocka_unit_test(an_id_or_event_cannot_end_its_line),
		cmocka_unit_test(comments_and_retries_are_whole_blocks),
		cmocka_unit_test(what_does_not_fit_leaves_nothing_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* places_test.c - items are found again by how they are written. */
#include "signal/places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* The places of the items of `was` in `is`, as digits; '-' is nowhere. */
static void assert_places(const char *was, const char *is, const char *wanted)
{
	yyjson_doc *before = yyjson_read(was, strlen(was), 0);
	yyjson_doc *after = yyjson_read(is, strlen(is), 0);
	yyjson_doc *signs;
	struct places places;
	struct buf text, found;

	buf_init(&text, KIB);
	buf_init(&found, KIB);
	places_sign(yyjson_doc_get_root(before), &text);
	signs = yyjson_read(text.at, text.len, 0);
	places_init(&places, yyjson_doc_get_root(signs), yyjson_doc_get_root(after));
	assert_int_equal(places.count, yyjson_arr_size(yyjson_doc_get_root(before)));
	for (size_t i = 0; i < places.count; i++)
		buf_add_char(&found,
		             places.at[i] == PLACES_NONE ? '-' : (char)('0' + places.at[i]));
	assert_true(text_is(buf_text(&found), wanted));
	assert_true(places_of(&places, places.count) == PLACES_NONE);
	places_finish(&places);
	buf_finish(&text);
	buf_finish(&found);
	yyjson_doc_free(signs);
	yyjson_doc_free(before);
	yyjson_doc_free(after);
}

static void an_item_is_where_it_is_written_now(void **state)
{
	assert_places("[{\"id\":1},{\"id\":2},{\"id\":3}]",
	              "[{\"id\":3},{\"id\":1,\"n\":0},{ \"id\" : 2 }]", "-20");
}

static void items_that_are_alike_keep_their_order(void **state)
{
	assert_places("[7,8,7,7]", "[7,7,8]", "021-");
}

static void nothing_is_nowhere(void **state)
{
	assert_places("[]", "[1]", "");
	assert_places("[1]", "[]", "-");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_item_is_where_it_is_written_now),
		cmocka_unit_test(items_that_are_alike_keep_their_order),
		cmocka_unit_test(nothing_is_nowhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

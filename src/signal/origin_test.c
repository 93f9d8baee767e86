/* origin_test.c - what is cut, and what only looks like it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "signal/origin.h"

static void assert_cut(const char *line, const char *plain)
{
	struct text head, tail;
	char out[256];

	origin_cut(text_of(line), &head, &tail);
	snprintf(out, sizeof(out), "%.*s%.*s", TEXT_ARG(head), TEXT_ARG(tail));
	assert_string_equal(out, plain);
}

static void an_origin_is_left_out(void **state)
{
	assert_cut(
		"{\"seq\":1,\"payload\":{},\"metadata\":{\"a\":1,\"origin\":{\"dialect\":\"run\","
		"\"frame\":{\"kind\": \"x\"}}}}",
		"{\"seq\":1,\"payload\":{},\"metadata\":{\"a\":1}}");
}

static void metadata_of_nothing_else_are_left_out_with_it(void **state)
{
	assert_cut("{\"seq\":1,\"payload\":{},\"metadata\":{\"origin\":{\"dialect\":\"run\"}}}",
	           "{\"seq\":1,\"payload\":{}}");
}

static void what_only_looks_like_one_stays(void **state)
{
	static const char *const lines[] = {
		"",
		"}}}",
		"{\"seq\":1,\"payload\":{}}",
		"{\"seq\":1,\"payload\":{\"origin\":{\"dialect\":\"run\"}}}",
		"{\"seq\":1,\"payload\":{\"metadata\":{\"origin\":{\"dialect\":\"run\"}}}}",
		"{\"metadata\":{\"origin\":{\"dialect\":\"run\"}},\"payload\":{\"a\":{}}}",
		"{\"seq\":1,\"metadata\":{\"origin\":{\"dialect\":\"run\"},\"b\":{}}}",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		assert_cut(lines[i], lines[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_origin_is_left_out),
		cmocka_unit_test(metadata_of_nothing_else_are_left_out_with_it),
		cmocka_unit_test(what_only_looks_like_one_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

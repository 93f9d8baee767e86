/* hook_stub_test.c - what is left of a payload that is too long. */
#include "source/claude/hook_stub.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <yyjson.h>

#include "base/must.h"

static void expect_bytes(yyjson_val *root, uint64_t bytes)
{
	yyjson_val *cut = yyjson_obj_get(root, "cut");

	assert_true(yyjson_get_uint(yyjson_obj_get(cut, "bytes")) == bytes);
	assert_true(yyjson_get_len(yyjson_obj_get(cut, "first")) <= HOOK_STUB_FIRST);
}

static void what_is_short_stays_and_what_is_long_goes(void **state)
{
	struct buf payload, stub;
	yyjson_doc *doc;
	yyjson_val *root;

	buf_init(&payload, 4 * MIB);
	buf_add(&payload, TEXT("{\"hook_event_name\":\"PreToolUse\",\"session_id\":\"s\","
	                       "\"tool_input\":{\"content\":\""));
	for (unsigned i = 0; i < 1500000; i++)
		buf_add_char(&payload, 'x');
	buf_add(&payload, TEXT("\"},\"tool_use_id\":\"t\"}"));
	assert_true(hook_stub(&stub, buf_text(&payload), 0));
	doc = yyjson_read(stub.at, stub.len, 0);
	root = yyjson_doc_get_root(doc);
	assert_true(yyjson_equals_str(yyjson_obj_get(root, "hook_event_name"), "PreToolUse"));
	assert_true(yyjson_equals_str(yyjson_obj_get(root, "tool_use_id"), "t"));
	assert_true(yyjson_is_obj(yyjson_obj_get(root, "tool_input")));
	expect_bytes(root, payload.len);
	assert_true(stub.len < 80 * KIB);
	yyjson_doc_free(doc);
	buf_finish(&stub);
	buf_finish(&payload);
}

static void what_is_deep_goes_and_its_text_stays(void **state)
{
	struct buf payload, stub;
	yyjson_doc *doc;
	yyjson_val *root;

	buf_init(&payload, MIB);
	buf_add(&payload, TEXT("{\"hook_event_name\":\"PreToolUse\",\"tool_input\":{\"a\":"));
	for (unsigned i = 0; i < 70; i++)
		buf_add_char(&payload, '[');
	for (unsigned i = 0; i < 70; i++)
		buf_add_char(&payload, ']');
	buf_add(&payload, TEXT("},\"flat\":{\"b\":[1]}}"));
	assert_true(hook_stub(&stub, buf_text(&payload), 0));
	doc = yyjson_read(stub.at, stub.len, 0);
	root = yyjson_doc_get_root(doc);
	assert_true(yyjson_is_true(yyjson_obj_get(yyjson_obj_get(root, "tool_input"), "cut")));
	assert_non_null(yyjson_obj_get(yyjson_obj_get(root, "flat"), "b"));
	expect_bytes(root, payload.len);
	assert_true(yyjson_equals_strn(yyjson_obj_get(yyjson_obj_get(root, "cut"), "first"),
	                               payload.at, payload.len));
	yyjson_doc_free(doc);
	buf_finish(&stub);
	buf_finish(&payload);
}

static void what_is_not_understood_has_its_size_all_the_same(void **state)
{
	struct buf stub;
	yyjson_doc *doc;

	assert_false(hook_stub(&stub, TEXT("{\"hook_event_name\":\"Stop"), 77777777));
	doc = yyjson_read(stub.at, stub.len, 0);
	assert_true(yyjson_is_str(yyjson_obj_get(yyjson_doc_get_root(doc), "hook_event_name")));
	expect_bytes(yyjson_doc_get_root(doc), 77777777);
	yyjson_doc_free(doc);
	buf_finish(&stub);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_short_stays_and_what_is_long_goes),
		cmocka_unit_test(what_is_deep_goes_and_its_text_stays),
		cmocka_unit_test(what_is_not_understood_has_its_size_all_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

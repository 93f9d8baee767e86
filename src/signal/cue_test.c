/* cue_test.c - what a path finds, and pointers to faults. */
#include "signal/cue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "signal/json.h"
#include "signal/pointer.h"

static yyjson_doc *doc;
static struct cue cue;

static int start(void **state)
{
	static const char payload[] =
		"{\"s\":\"words\",\"n\":5,\"nul\":null,\"type\":\"mine\",\"\":\"empty\",\"a.b\":1,"
		"\"list\":[7,{\"name\":\"x\"},[]],\"deep\":{\"list\":[{\"name\":\"y\"}],"
		"\"length\":\"long\",\"0\":\"zero\"}}";

	doc = yyjson_read(payload, sizeof(payload) - 1, 0);
	assert_non_null(doc);
	cue = (struct cue){.type = TEXT("tool_call"), .payload = yyjson_doc_get_root(doc)};
	return 0;
}

static int finish(void **state)
{
	yyjson_doc_free(doc);
	return 0;
}

static yyjson_val *at(const char *path)
{
	return cue_at(&cue, text_of(path));
}

static void a_path_leads_through_objects_and_arrays(void **state)
{
	assert_string_equal(yyjson_get_str(at("s")), "words");
	assert_int_equal(yyjson_get_int(at("list.0")), 7);
	assert_string_equal(yyjson_get_str(at("list.1.name")), "x");
	assert_string_equal(yyjson_get_str(at("deep.list.0.name")), "y");
	assert_true(yyjson_is_null(at("nul")));
	assert_true(yyjson_is_obj(at("deep")));
}

static void an_array_has_a_length_and_plain_indices(void **state)
{
	assert_int_equal(yyjson_get_int(at("list.length")), 3);
	assert_int_equal(yyjson_get_int(at("list.2.length")), 0);
	assert_null(at("list.3"));
	assert_null(at("list.00"));
	assert_null(at("list.01"));
	assert_null(at("list.-1"));
	assert_null(at("list."));
	assert_null(at("list.18446744073709551616"));
	assert_null(at("list.length.x"));
}

static void an_object_has_members_and_nothing_else(void **state)
{
	assert_string_equal(yyjson_get_str(at("deep.length")), "long");
	assert_string_equal(yyjson_get_str(at("deep.0")), "zero");
	assert_string_equal(yyjson_get_str(at("")), "empty");
	assert_null(at("length"));
	assert_null(at("a.b"));
	assert_null(at("none"));
	assert_null(at("none.more"));
	assert_null(at("s.length"));
	assert_null(at("nul.x"));
	assert_null(at("deep..list"));
	assert_null(at("s."));
}

static void the_type_is_the_signals_own(void **state)
{
	struct cue nameless = {.payload = cue.payload};

	assert_true(text_is(json_text(at("type")), "tool_call"));
	assert_null(at("type.x"));
	assert_int_equal(yyjson_get_len(cue_at(&nameless, TEXT("type"))), 0);
	assert_true(yyjson_is_str(cue_at(&nameless, TEXT("type"))));
}

static void a_type_and_a_length_can_be_held_together(void **state)
{
	yyjson_val *type = at("type"), *length = at("list.length");

	assert_true(text_is(json_text(type), "tool_call"));
	assert_int_equal(yyjson_get_int(length), 3);
}

static void the_prefix_is_cut_off_once(void **state)
{
	struct text path = TEXT("signal.signal.x"), bare = TEXT("signal"), none = TEXT("");

	assert_true(cue_path(&path));
	assert_true(text_is(path, "signal.x"));
	assert_false(cue_path(&bare));
	assert_true(text_is(bare, "signal"));
	assert_false(cue_path(&none));
}

static void a_pointer_grows_towards_the_root(void **state)
{
	struct error why;

	assert_false(pointer_fault(&why, "a %s is wanted", "number"));
	assert_false(pointer_member(&why, TEXT("a/b~c")));
	assert_false(pointer_item(&why, 12));
	assert_false(pointer_member(&why, TEXT("wires")));
	assert_string_equal(why.words, "/wires/12/a~1b~0c: a number is wanted");
	assert_false(pointer_fault(NULL, "nobody asks"));
	assert_false(pointer_item(NULL, 1));
	assert_false(pointer_member(NULL, TEXT("x")));
}

static void a_long_name_does_not_push_the_words_out(void **state)
{
	struct error why;
	char name[500];

	memset(name, '/', sizeof(name));
	pointer_fault(&why, "is wrong");
	pointer_member(&why, (struct text){name, sizeof(name)});
	assert_int_equal(strlen(why.words), 1 + 120 + strlen(": is wrong"));
	assert_non_null(strstr(why.words, "~1: is wrong"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_leads_through_objects_and_arrays),
		cmocka_unit_test(an_array_has_a_length_and_plain_indices),
		cmocka_unit_test(an_object_has_members_and_nothing_else),
		cmocka_unit_test(the_type_is_the_signals_own),
		cmocka_unit_test(a_type_and_a_length_can_be_held_together),
		cmocka_unit_test(the_prefix_is_cut_off_once),
		cmocka_unit_test(a_pointer_grows_towards_the_root),
		cmocka_unit_test(a_long_name_does_not_push_the_words_out),
	};

	return cmocka_run_group_tests(tests, start, finish);
}

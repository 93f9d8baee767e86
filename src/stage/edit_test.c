/* edit_test.c - one item changes, and the rest of the document is what it was. */
#include "stage/edit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct show *small;
static struct buf out, id;
static struct error why;

static int load(void **state)
{
	FILE *file = fopen("tests/fixtures/show/small.json", "r");
	struct buf text;

	if (!file)
		return -1;
	buf_init(&text, SHOW_MAX);
	for (int c; (c = getc(file)) != EOF;)
		buf_add_char(&text, (char)c);
	fclose(file);
	small = show_read(buf_text(&text), NULL);
	buf_finish(&text);
	buf_init(&out, SHOW_MAX);
	buf_init(&id, KIB);
	return small ? 0 : -1;
}

static int unload(void **state)
{
	show_destroy(small);
	buf_finish(&out);
	buf_finish(&id);
	return 0;
}

static enum edit_answer edit(enum edit_verb verb, enum edit_part part, const char *which,
                             const char *item)
{
	struct show_edit e = {verb, part, text_of(which), text_of(item)};

	buf_clear(&out);
	buf_clear(&id);
	why.words[0] = '\0';
	return edit_show(small, &e, &out, &id, &why);
}

/* What came out, which must be a show. */
static struct show *result(void)
{
	struct show *show = show_read(buf_text(&out), &why);

	if (!show)
		fail_msg("%s", why.words);
	return show;
}

static void assert_item(const struct show *show, enum edit_part part, const char *which,
                        const char *json)
{
	struct buf got;

	buf_init(&got, SHOW_MAX);
	assert_int_equal(edit_get(show, part, text_of(which), &got), EDIT_DONE);
	buf_add_char(&got, '\0');
	assert_string_equal(got.at, json);
	buf_finish(&got);
}

static bool has(const struct show *show, enum edit_part part, const char *which)
{
	struct buf got;
	enum edit_answer answer;

	buf_init(&got, SHOW_MAX);
	answer = edit_get(show, part, text_of(which), &got);
	buf_finish(&got);
	return answer == EDIT_DONE;
}

/* Are all other members the same, and in the same order? */
static void assert_rest(const struct show *show, const char *changed)
{
	yyjson_obj_iter a = yyjson_obj_iter_with(small->root);
	yyjson_obj_iter b = yyjson_obj_iter_with(show->root);
	yyjson_val *key, *other;

	while ((key = yyjson_obj_iter_next(&a))) {
		other = yyjson_obj_iter_next(&b);
		assert_string_equal(yyjson_get_str(key), yyjson_get_str(other));
		if (!yyjson_equals_str(key, changed))
			assert_true(yyjson_equals(yyjson_obj_iter_get_val(key),
			                          yyjson_obj_iter_get_val(other)));
	}
	assert_null(yyjson_obj_iter_next(&b));
}

#define FROM "\"fromZone\":\"signal-type\",\"fromId\":\"x\""
#define WIRE FROM ",\"toZone\":\"choreographer\",\"toId\":\"send\""

static void a_part_is_found_by_its_name(void **state)
{
	enum edit_part part;

	assert_true(edit_part_find(TEXT("entities"), &part));
	assert_int_equal(part, EDIT_ENTITIES);
	assert_true(edit_part_find(TEXT("wires"), &part));
	assert_int_equal(part, EDIT_WIRES);
	assert_false(edit_part_find(TEXT("wire"), &part));
	assert_false(edit_part_find(TEXT(""), &part));
}

static void an_item_is_got_by_its_id(void **state)
{
	assert_item(small, EDIT_WIRES, "w3",
	            "{\"id\":\"w3\",\"fromZone\":\"choreographer\",\"fromId\":\"work\","
	            "\"toZone\":\"theme\",\"toId\":\"slot\"}");
	assert_false(has(small, EDIT_WIRES, "w4"));
	assert_false(has(small, EDIT_BINDINGS, "w3"));
	assert_true(has(small, EDIT_ENTITIES, "e2"));
	assert_true(has(small, EDIT_CHOREOGRAPHIES, ""));
}

static void an_item_is_added_at_the_end(void **state)
{
	struct show *show;

	assert_int_equal(edit(EDIT_ADD, EDIT_WIRES, "", "{\"id\":\"new\"," WIRE "}"), EDIT_DONE);
	assert_true(text_is(buf_text(&id), "new"));
	show = result();
	assert_int_equal(yyjson_arr_size(show->wires), 4);
	assert_item(show, EDIT_WIRES, "new", "{\"id\":\"new\"," WIRE "}");
	assert_rest(show, "wires");
	show_destroy(show);
}

static void an_item_without_an_id_gets_one_that_is_free(void **state)
{
	struct show *show, *first = small;

	assert_int_equal(edit(EDIT_ADD, EDIT_WIRES, "", "{" WIRE "}"), EDIT_DONE);
	assert_true(text_is(buf_text(&id), "wire-4"));
	assert_int_equal(edit(EDIT_ADD, EDIT_WIRES, "", "{\"id\":\"wire-5\"," WIRE "}"), EDIT_DONE);
	small = result();
	assert_int_equal(
		edit(EDIT_ADD, EDIT_WIRES, "",
	             "{\"fromZone\":\"signal\",\"fromId\":\"x\",\"toZone\":\"signal-type\","
	             "\"toId\":\"y\"}"),
		EDIT_DONE);
	assert_true(text_is(buf_text(&id), "wire-6"));
	show = result();
	assert_item(show, EDIT_WIRES, "wire-6",
	            "{\"id\":\"wire-6\",\"fromZone\":\"signal\",\"fromId\":\"x\","
	            "\"toZone\":\"signal-type\",\"toId\":\"y\"}");
	show_destroy(show);
	show_destroy(small);
	small = first;
}

static void an_id_is_added_only_once(void **state)
{
	assert_int_equal(edit(EDIT_ADD, EDIT_WIRES, "", "{\"id\":\"w1\"," WIRE "}"), EDIT_EXISTS);
	assert_int_equal(out.len, 0);
}

static void an_item_is_replaced_where_it_is(void **state)
{
	const char *item = "{\"entityId\":\"letter\",\"x\":7,\"y\":8.5,\"layerId\":\"front\","
			   "\"semanticId\":\"mail\"}";
	struct show *show;

	assert_int_equal(edit(EDIT_REPLACE, EDIT_ENTITIES, "e2", item), EDIT_DONE);
	show = result();
	assert_item(show, EDIT_ENTITIES, "e2",
	            "{\"id\":\"e2\",\"entityId\":\"letter\",\"x\":7,\"y\":8.5,"
	            "\"layerId\":\"front\",\"semanticId\":\"mail\"}");
	assert_true(yyjson_equals(yyjson_arr_get_first(yyjson_obj_get(show->scene, "entities")),
	                          yyjson_arr_get_first(yyjson_obj_get(small->scene, "entities"))));
	assert_rest(show, "scene");
	show_destroy(show);
}

static void an_item_keeps_its_id(void **state)
{
	assert_int_equal(edit(EDIT_REPLACE, EDIT_WIRES, "w1", "{\"id\":\"w9\"," WIRE "}"),
	                 EDIT_INVALID);
	assert_string_equal(why.words, "/wires/0/id: not the one that is replaced");
	assert_int_equal(edit(EDIT_REPLACE, EDIT_WIRES, "w1", "{\"id\":1," WIRE "}"), EDIT_INVALID);
	assert_int_equal(edit(EDIT_REPLACE, EDIT_WIRES, "w1", "{\"id\":\"w1\"," WIRE "}"),
	                 EDIT_DONE);
}

static void an_item_is_removed(void **state)
{
	struct show *show;

	assert_int_equal(edit(EDIT_REMOVE, EDIT_BINDINGS, "b3", ""), EDIT_DONE);
	show = result();
	assert_false(has(show, EDIT_BINDINGS, "b3"));
	assert_int_equal(yyjson_arr_size(show->bindings), 4);
	assert_rest(show, "bindings");
	show_destroy(show);
}

static void what_is_not_there_is_neither_replaced_nor_removed(void **state)
{
	assert_int_equal(edit(EDIT_REPLACE, EDIT_WIRES, "w9", "{" WIRE "}"), EDIT_UNKNOWN);
	assert_int_equal(edit(EDIT_REMOVE, EDIT_WIRES, "w9", ""), EDIT_UNKNOWN);
	assert_int_equal(edit(EDIT_REMOVE, EDIT_WIRES, "", ""), EDIT_UNKNOWN);
}

static void what_is_no_item_is_refused(void **state)
{
	assert_int_equal(edit(EDIT_ADD, EDIT_WIRES, "", "[]"), EDIT_INVALID);
	assert_string_equal(why.words, "/wires/3: an object is needed");
	assert_int_equal(edit(EDIT_ADD, EDIT_WIRES, "", "{"), EDIT_INVALID);
	assert_memory_equal(why.words, "not JSON", 8);
	assert_int_equal(edit(EDIT_ADD, EDIT_WIRES, "", ""), EDIT_INVALID);
	assert_int_equal(out.len, 0);
}

/* The item is put in as it was sent; the document is where faults are found. */
static void a_fault_of_the_item_is_found_in_the_document(void **state)
{
	assert_int_equal(edit(EDIT_ADD, EDIT_WIRES, "", "{\"a\":1,\"a\":2}"), EDIT_DONE);
	assert_null(show_read(buf_text(&out), &why));
	assert_memory_equal(why.words, "/wires/3", 8);
	assert_int_equal(edit(EDIT_REMOVE, EDIT_CHOREOGRAPHIES, "work", ""), EDIT_DONE);
	assert_null(show_read(buf_text(&out), &why));
	assert_memory_equal(why.words, "/wires/1/toId: ", 15);
}

static void a_list_that_is_not_there_is_made(void **state)
{
	static const char bare[] =
		"{\"version\":1,\"scene\":{\"dimensions\":{\"width\":9,\"height\":9},"
		"\"layers\":[{\"id\":\"l\",\"order\":0}],\"entities\":[]}}";
	struct show *full = small, *show;

	small = show_read(text_of(bare), &why);
	assert_non_null(small);
	assert_item(small, EDIT_CHOREOGRAPHIES, "", "[]");
	assert_int_equal(edit(EDIT_ADD, EDIT_CHOREOGRAPHIES, "", "{\"on\":\"x\",\"steps\":[]}"),
	                 EDIT_DONE);
	show = result();
	assert_item(show, EDIT_CHOREOGRAPHIES, "choreography-1",
	            "{\"id\":\"choreography-1\",\"on\":\"x\",\"steps\":[]}");
	show_destroy(show);
	show_destroy(small);
	small = full;
}

static void a_document_does_not_grow_without_end(void **state)
{
	struct show_edit e = {EDIT_ADD, EDIT_WIRES, TEXT(""), TEXT("{" WIRE "}")};
	struct buf narrow;

	buf_init(&narrow, 1000);
	assert_int_equal(edit_show(small, &e, &narrow, &id, &why), EDIT_INVALID);
	assert_string_equal(why.words, ": larger than 4194304 bytes");
	buf_finish(&narrow);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_part_is_found_by_its_name),
		cmocka_unit_test(an_item_is_got_by_its_id),
		cmocka_unit_test(an_item_is_added_at_the_end),
		cmocka_unit_test(an_item_without_an_id_gets_one_that_is_free),
		cmocka_unit_test(an_id_is_added_only_once),
		cmocka_unit_test(an_item_is_replaced_where_it_is),
		cmocka_unit_test(an_item_keeps_its_id),
		cmocka_unit_test(an_item_is_removed),
		cmocka_unit_test(what_is_not_there_is_neither_replaced_nor_removed),
		cmocka_unit_test(what_is_no_item_is_refused),
		cmocka_unit_test(a_fault_of_the_item_is_found_in_the_document),
		cmocka_unit_test(a_list_that_is_not_there_is_made),
		cmocka_unit_test(a_document_does_not_grow_without_end),
	};

	return cmocka_run_group_tests(tests, load, unload);
}

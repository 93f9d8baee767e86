/* wire_test.c - who hears what, and wires that lead nowhere. */
#include "wire/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"
#include "signal/json.h"

#define TWO "[{\"id\":\"a\",\"on\":\"task\"},{\"id\":\"b\",\"on\":\"error\"}]"
#define ENDS(id, from_zone, from, to_zone, to) \
	"\"id\":\"" id "\",\"fromZone\":\"" from_zone "\",\"fromId\":\"" from "\"," \
	"\"toZone\":\"" to_zone "\",\"toId\":\"" to "\""
#define WIRE(id, from_zone, from, to_zone, to) "{" ENDS(id, from_zone, from, to_zone, to) "}"
#define SOURCE(id, source, type) WIRE(id, "signal", source, "signal-type", type)
#define TYPE_ENDS(id, type, part) ENDS(id, "signal-type", type, "choreographer", part)
#define TYPE(id, type, part) "{" TYPE_ENDS(id, type, part) "}"
#define FILTERED(id, type, part, filters) \
	"{" TYPE_ENDS(id, type, part) ",\"filters\":[" filters "]}"
#define OK_IS(op) "{\"type\":\"when\",\"clause\":{\"ok\":" op "}}"
#define MAP(from, to) "{\"type\":\"map\",\"mappings\":[{\"from\":\"" from "\",\"to\":\"" to "\"}]}"
#define LONG_16 "0123456789abcdef"
#define LONG_64 LONG_16 LONG_16 LONG_16 LONG_16
#define LONG_256 LONG_64 LONG_64 LONG_64 LONG_64
#define LONG_512 LONG_256 LONG_256
#define SECOND "{\"type\":\"sample\",\"every\":2}"

static struct error why;

struct show {
	yyjson_doc *wires, *choreographies;
	struct wiring *wiring;
	struct buf heard; /* "index:type:payload " for each */
};

static void show_init(struct show *s, const char *wires, const char *choreographies)
{
	s->wires = wires ? yyjson_read(wires, strlen(wires), 0) : NULL;
	s->choreographies = yyjson_read(choreographies, strlen(choreographies), 0);
	s->wiring = wiring_create(yyjson_doc_get_root(s->wires),
	                          yyjson_doc_get_root(s->choreographies), &why);
	buf_init(&s->heard, 64 * KIB);
	if (!s->wiring)
		fail_msg("%s", why.words);
}

static void show_finish(struct show *s)
{
	wiring_destroy(s->wiring);
	yyjson_doc_free(s->wires);
	yyjson_doc_free(s->choreographies);
	buf_finish(&s->heard);
}

static void hear(void *self, size_t index, const struct cue *cue)
{
	struct buf *heard = self;
	char *payload = yyjson_val_write(cue->payload, 0, NULL);

	buf_print(heard, "%zu:%.*s:%s ", index, TEXT_ARG(cue->type), payload);
	free(payload);
}

/* What is heard of one signal with this payload. */
static const char *heard_of(struct show *s, const char *type, const char *source,
                            const char *payload)
{
	yyjson_doc *doc = yyjson_read(payload, strlen(payload), 0);
	struct cue cue = {
		.type = text_of(type),
		.source = text_of(source),
		.payload = yyjson_doc_get_root(doc),
	};

	buf_clear(&s->heard);
	wiring_route(s->wiring, &cue, 0, hear, &s->heard);
	buf_add_char(&s->heard, '\0');
	yyjson_doc_free(doc);
	return s->heard.at;
}

static const char *heard(struct show *s, const char *type)
{
	return heard_of(s, type, "src", "{}");
}

static void without_wires_a_choreography_hears_its_own_type(void **state)
{
	struct show s;

	show_init(&s, NULL, TWO);
	assert_string_equal(heard(&s, "task"), "0:task:{} ");
	assert_string_equal(heard(&s, "error"), "1:error:{} ");
	assert_string_equal(heard(&s, "other"), "");
	assert_true(wiring_wants(s.wiring, TEXT("task")));
	assert_false(wiring_wants(s.wiring, TEXT("other")));
	assert_false(wiring_wants(s.wiring, TEXT("")));
	show_finish(&s);
}

static void a_wire_takes_the_place_of_the_own_type(void **state)
{
	struct show s;

	show_init(&s, "[" TYPE("1", "error", "a") "," TYPE("2", "thinking", "a") "]", TWO);
	assert_string_equal(heard(&s, "task"), "");
	assert_false(wiring_wants(s.wiring, TEXT("task")));
	assert_string_equal(heard(&s, "error"), "0:error:{} 1:error:{} ");
	assert_string_equal(heard(&s, "thinking"), "0:thinking:{} ");
	show_finish(&s);
}

static void they_hear_in_the_order_of_the_document(void **state)
{
	struct show s;

	show_init(&s, "[" TYPE("1", "x", "c") "," TYPE("2", "x", "a") "]",
	          "[{\"id\":\"a\",\"on\":\"y\"},{\"id\":\"b\",\"on\":\"x\"},"
	          "{\"id\":\"c\"},{\"on\":\"x\"}]");
	assert_string_equal(heard(&s, "x"), "0:x:{} 1:x:{} 2:x:{} 3:x:{} ");
	assert_string_equal(heard(&s, "y"), "");
	show_finish(&s);
}

static void only_wired_sources_feed_a_type_that_has_any(void **state)
{
	struct show s;

	show_init(&s, "[" SOURCE("1", "ada", "task") "," SOURCE("2", "bela", "task") "]", TWO);
	assert_string_equal(heard_of(&s, "task", "ada", "{}"), "0:task:{} ");
	assert_string_equal(heard_of(&s, "task", "bela", "{}"), "0:task:{} ");
	assert_string_equal(heard_of(&s, "task", "carl", "{}"), "");
	assert_string_equal(heard_of(&s, "task", "", "{}"), "");
	assert_string_equal(heard_of(&s, "error", "carl", "{}"), "1:error:{} ");
	show_finish(&s);
}

static void a_wire_from_a_source_may_filter_for_all(void **state)
{
	struct show s;

	show_init(&s,
	          "[{" ENDS("1", "signal", "ada", "signal-type",
	                    "task") ",\"filters\":[" SECOND
	                            "," MAP("v", "w") "]}," SOURCE("2", "bela", "task") "," TYPE(
					    "3", "task", "a") "," TYPE("4", "task", "b") "]",
	          TWO);
	assert_string_equal(heard_of(&s, "task", "ada", "{\"v\":1}"), "");
	assert_string_equal(heard_of(&s, "task", "bela", "{\"v\":1}"),
	                    "0:task:{\"v\":1} 1:task:{\"v\":1} ");
	assert_string_equal(heard_of(&s, "task", "ada", "{\"v\":2}"),
	                    "0:task:{\"v\":2,\"w\":2} 1:task:{\"v\":2,\"w\":2} ");
	show_finish(&s);
}

static void filters_give_a_type_of_its_own(void **state)
{
	struct show s;

	show_init(&s,
	          "[" FILTERED("1", "task", "a",
	                       SECOND) "," TYPE("2", "error", "a") "," TYPE("3", "task", "b") "]",
	          TWO);
	assert_string_equal(heard(&s, "task"), "1:task:{} ");
	assert_string_equal(heard(&s, "task"), "0:__f:a:{} 1:task:{} ");
	assert_string_equal(heard(&s, "error"), "0:__f:a:{} "); /* all that it hears */
	assert_string_equal(heard(&s, "__f:a"), "");            /* nobody can send it */
	show_finish(&s);
}

static void a_map_changes_what_one_hears_and_not_the_others(void **state)
{
	struct show s;

	show_init(&s,
	          "[" FILTERED("1", "task", "a", MAP("v", "deep.v")) "," TYPE("2", "task", "b") "]",
	          TWO);
	assert_string_equal(heard_of(&s, "task", "x", "{\"v\":1}"),
	                    "0:__f:a:{\"v\":1,\"deep\":{\"v\":1}} 1:task:{\"v\":1} ");
	show_finish(&s);
}

static void wires_split_by_opposite_conditions(void **state)
{
	struct show s;

	show_init(&s,
	          "[" FILTERED("1", "task", "a", OK_IS("{\"equals\":true}")) "," FILTERED(
			  "2", "task", "b", OK_IS("{\"not\":{\"equals\":true}}")) "]",
	          TWO);
	assert_string_equal(heard_of(&s, "task", "x", "{\"ok\":true}"), "0:__f:a:{\"ok\":true} ");
	assert_string_equal(heard_of(&s, "task", "x", "{}"), "1:__f:b:{} ");
	show_finish(&s);
}

static void every_wire_counts_what_passed_and_what_did_not(void **state)
{
	struct show s;
	struct buf out;

	show_init(&s,
	          "[" SOURCE("\\\"s\\\"", "src", "task") "," FILTERED(
			  "2", "task", "a", SECOND) "," TYPE("3", "task", "b") "]",
	          TWO);
	for (int i = 0; i < 5; i++)
		heard(&s, "task");
	heard_of(&s, "task", "elsewhere", "{}");
	buf_init(&out, KIB);
	wiring_counts(s.wiring, &out);
	buf_add_char(&out, '\0');
	assert_string_equal(out.at, "[{\"id\":\"\\\"s\\\"\",\"passed\":5,\"dropped\":0},"
	                            "{\"id\":\"2\",\"passed\":2,\"dropped\":3},"
	                            "{\"id\":\"3\",\"passed\":5,\"dropped\":0}]");
	buf_finish(&out);
	show_finish(&s);
}

#define NINTH FILTERED("1", "task", "a", "{\"type\":\"throttle\",\"intervalMs\":9}")
#define DELTA "{\"type\":\"delta\",\"path\":\"n\",\"threshold\":1}"
#define CHAIN FILTERED("2", "task", "b", SECOND "," DELTA)

static void after_a_reset_filters_begin_anew_and_the_counts_go_on(void **state)
{
	struct show s;
	struct buf out;

	show_init(&s, "[" NINTH "," CHAIN "]", TWO);
	for (int i = 0; i < 2; i++) {
		assert_string_equal(heard_of(&s, "task", "src", "{\"n\":1}"), "0:__f:a:{\"n\":1} ");
		assert_string_equal(heard_of(&s, "task", "src", "{\"n\":1}"), "1:__f:b:{\"n\":1} ");
		assert_string_equal(heard_of(&s, "task", "src", "{\"n\":1}"), "");
		wiring_reset(s.wiring);
	}
	buf_init(&out, KIB);
	wiring_counts(s.wiring, &out);
	buf_add_char(&out, '\0');
	assert_string_equal(out.at, "[{\"id\":\"1\",\"passed\":2,\"dropped\":4},"
	                            "{\"id\":\"2\",\"passed\":2,\"dropped\":4}]");
	buf_finish(&out);
	show_finish(&s);
}

static void wires_past_the_choreographies_are_known_and_carry_nothing(void **state)
{
	struct show s;

	show_init(&s,
	          "[{" ENDS("1", "choreographer", "a", "shader", "s:u") ",\"mapping\":{}}," WIRE(
			  "2", "choreographer", "a", "theme",
			  "task") "," WIRE("3", "choreographer", "b", "p5", "p5:x:y") "]",
	          TWO);
	assert_string_equal(heard(&s, "task"), "0:task:{} ");
	show_finish(&s);
}

static void the_longest_names_can_be_wired(void **state)
{
	struct show s;

	show_init(&s,
	          "[" SOURCE(LONG_512, LONG_512, LONG_512) "," TYPE("2", LONG_512, LONG_512) "]",
	          "[{\"id\":\"" LONG_512 "\"}]");
	assert_string_equal(heard_of(&s, LONG_512, LONG_512, "{}"), "0:" LONG_512 ":{} ");
	show_finish(&s);
}

static void nothing_is_heard_of_an_empty_show(void **state)
{
	struct show s;

	show_init(&s, "null", "null");
	assert_string_equal(heard(&s, "task"), "");
	show_finish(&s);
	show_init(&s, "[" SOURCE("1", "ada", "task") "]", "[]");
	assert_string_equal(heard_of(&s, "task", "ada", "{}"), "");
	show_finish(&s);
	wiring_destroy(NULL);
}

#define STRING_FAULT "a string is wanted, of 1 to 512 bytes"

static const struct {
	const char *wires, *choreographies, *fault;
} faults[] = {
	{"{}", TWO, "/wires: a list of wires is wanted"},
	{"[5]", TWO, "/wires/0: a wire is wanted, an object"},
	{"[{}]", TWO, "/wires/0/id: it is missing"},
	{"[{\"id\":5}]", TWO, "/wires/0/id: " STRING_FAULT},
	{"[{\"id\":\"\"}]", TWO, "/wires/0/id: " STRING_FAULT},
	{"[{\"id\":\"" LONG_512 "!\"}]", TWO, "/wires/0/id: " STRING_FAULT},
	{"[{\"id\":\"1\"}]", TWO, "/wires/0/fromZone: it is missing"},
	{"[{\"id\":\"1\",\"fromZone\":\"signl\"}]", TWO,
         "/wires/0/fromZone: there is no such zone; signal?"},
	{"[{\"id\":\"1\",\"fromZone\":\"nowhere at all\"}]", TWO,
         "/wires/0/fromZone: signal, signal-type, choreographer, theme, shader or p5 is wanted"},
	{"[{\"id\":\"1\",\"fromZone\":\"signal\"}]", TWO, "/wires/0/fromId: it is missing"},
	{"[{\"id\":\"1\",\"fromZone\":\"signal\",\"fromId\":\"x\"}]", TWO,
         "/wires/0/toZone: it is missing"},
	{"[{\"id\":\"1\",\"fromZone\":\"signal\",\"fromId\":\"x\",\"toZone\":\"signal-type\"}]",
         TWO, "/wires/0/toId: it is missing"},
	{"[" WIRE("1", "signal", "x", "theme", "y") "]", TWO,
         "/wires/0/toZone: no wire leads there from signal"},
	{"[" WIRE("1", "theme", "x", "signal", "y") "]", TWO,
         "/wires/0/toZone: no wire leads there from theme"},
	{"[" TYPE("1", "task", "a") "," TYPE("2", "task", "c") "]", TWO,
         "/wires/1/toId: no choreography has this id"},
	{"[{\"id\":\"1\",\"fromZone\":\"choreographer\",\"fromId\":\"x\",\"toZone\":\"p5\","
         "\"toId\":\"y\"}]",
         TWO, "/wires/0/fromId: no choreography has this id"},
	{"[{\"id\":\"1\",\"fromZone\":\"choreographer\",\"fromId\":\"a\",\"toZone\":\"p5\","
         "\"toId\":\"y\",\"filters\":[" SECOND "]}]",
         TWO, "/wires/0/filters: no signals pass here that could be filtered"},
	{"[" TYPE("1", "task", "a") "," TYPE("1", "task", "b") "]", TWO,
         "/wires/1/id: /wires/0 has it already"},
	{"[" TYPE("1", "task", "b") "," TYPE("2", "task", "a") "," TYPE("3", "task", "b") "]", TWO,
         "/wires/2: /wires/0 joins the same"},
	{"[{" TYPE_ENDS("1", "task", "a") ",\"filters\":{}}]", TWO,
         "/wires/0/filters: a list of filters is wanted"},
	{"[" FILTERED("1", "task", "a", SECOND ",{\"type\":\"sample\",\"every\":0}") "]", TWO,
         "/wires/0/filters/1/every: a number is wanted, 1 or more"},
	{"[]", "{}", "/choreographies: a list of choreographies is wanted"},
	{"[]", "[{\"id\":\"a\"},{\"id\":\"b\"},{\"id\":\"a\"}]",
         "/choreographies/2/id: another choreography has it already"},
};

static void faults_are_pointed_at(void **state)
{
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		yyjson_doc *wires = yyjson_read(faults[i].wires, strlen(faults[i].wires), 0);
		yyjson_doc *choreographies =
			yyjson_read(faults[i].choreographies, strlen(faults[i].choreographies), 0);

		assert_non_null(wires);
		assert_null(wiring_create(yyjson_doc_get_root(wires),
		                          yyjson_doc_get_root(choreographies), &why));
		assert_string_equal(why.words, faults[i].fault);
		assert_null(wiring_create(yyjson_doc_get_root(wires),
		                          yyjson_doc_get_root(choreographies), NULL));
		yyjson_doc_free(wires);
		yyjson_doc_free(choreographies);
	}
}

static void there_are_no_more_wires_than_allowed(void **state)
{
	struct buf list;
	yyjson_doc *doc;

	buf_init(&list, MIB);
	buf_add(&list, TEXT("[0"));
	for (int i = 0; i < 16384; i++)
		buf_add(&list, TEXT(",0"));
	buf_add_char(&list, ']');
	doc = yyjson_read(list.at, list.len, 0);
	assert_null(wiring_create(yyjson_doc_get_root(doc), NULL, &why));
	assert_string_equal(why.words, "/wires: more than 16384 wires");
	yyjson_doc_free(doc);
	buf_finish(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_wires_a_choreography_hears_its_own_type),
		cmocka_unit_test(a_wire_takes_the_place_of_the_own_type),
		cmocka_unit_test(they_hear_in_the_order_of_the_document),
		cmocka_unit_test(only_wired_sources_feed_a_type_that_has_any),
		cmocka_unit_test(a_wire_from_a_source_may_filter_for_all),
		cmocka_unit_test(filters_give_a_type_of_its_own),
		cmocka_unit_test(a_map_changes_what_one_hears_and_not_the_others),
		cmocka_unit_test(wires_split_by_opposite_conditions),
		cmocka_unit_test(every_wire_counts_what_passed_and_what_did_not),
		cmocka_unit_test(after_a_reset_filters_begin_anew_and_the_counts_go_on),
		cmocka_unit_test(wires_past_the_choreographies_are_known_and_carry_nothing),
		cmocka_unit_test(the_longest_names_can_be_wired),
		cmocka_unit_test(nothing_is_heard_of_an_empty_show),
		cmocka_unit_test(faults_are_pointed_at),
		cmocka_unit_test(there_are_no_more_wires_than_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

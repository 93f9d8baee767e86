/* make_test.c - envelopes, whatever bytes they are made of. */
#include "parse/make.h"

#include <stdio.h>

#include "parse/fixture.h"
#include "parse/inside.h"

#define HEAD "{\"type\":\"x\",\"source\":\"src\",\"correlationId\":\"run\","

static const struct parse_kind *made_by(void (*make)(struct parse *, const struct parse_event *))
{
	static struct parse_kind kind = {.name = "x", .framing = FRAMING_WHOLE};

	kind.event = make;
	return &kind;
}

static struct taken t;

static void makes(void (*make)(struct parse *, const struct parse_event *), struct text data,
                  const char *envelope)
{
	taken_init(&t, made_by(make));
	taken_read(&t, data);
	assert_line(&t, 0, envelope);
	taken_finish(&t);
}

static void all_members(struct parse *p, const struct parse_event *event)
{
	yyjson_val *root = parse_json(p, event->data);

	parse_begin(p, "x");
	make_text(&p->make, "text", TEXT("a\"\n\xff"));
	make_given(&p->make, "given", TEXT("g"));
	make_given(&p->make, "absent", (struct text){NULL, 0});
	make_u64(&p->make, "n", UINT64_MAX);
	make_bool(&p->make, "yes", true);
	make_json(&p->make, "json", yyjson_obj_get(root, "array"));
	make_json(&p->make, "none", yyjson_obj_get(root, "no such"));
	make_raw(&p->make, "raw", TEXT("[1,\r\n2]"));
	make_object(&p->make, "object", root);
	make_object(&p->make, "wrapped", yyjson_obj_get(root, "array"));
	make_metadata(&p->make);
	make_members(&p->make, root);
	make_text(&p->make, "last", TEXT(""));
	parse_give(p);
}

static void members_come_in_their_order(void **state)
{
	makes(all_members, TEXT("{\"array\":[1e999,\"\\u0000\"]}"),
	      HEAD "\"payload\":{\"text\":\"a\\\"\\n\xEF\xBF\xBD\",\"given\":\"g\","
	           "\"n\":18446744073709551615,\"yes\":true,\"json\":[1e999,\"\\u0000\"],"
	           "\"raw\":[1,  2],\"object\":{\"array\":[1e999,\"\\u0000\"]},"
	           "\"wrapped\":{\"value\":[1e999,\"\\u0000\"]}},"
	           "\"metadata\":{\"array\":[1e999,\"\\u0000\"],\"last\":\"\"}}");
}

static void joined(struct parse *p, const struct parse_event *event)
{
	parse_begin(p, "x");
	parse_add_input(p, "input", event->data);
	make_bool(&p->make, "more", true);
	parse_give(p);
}

static void joined_text_becomes_an_object(void **state)
{
	makes(joined, TEXT(" {\"a\":\n1} "),
	      HEAD "\"payload\":{\"input\":{\"a\": 1},\"more\":true}}");
	makes(joined, TEXT("[1]"), HEAD "\"payload\":{\"input\":{\"value\":[1]},\"more\":true}}");
	makes(joined, TEXT("{\"a"),
	      HEAD "\"payload\":{\"input\":{\"value\":\"{\\\"a\"},\"more\":true}}");
	makes(joined, TEXT(" "), HEAD "\"payload\":{\"input\":{},\"more\":true}}");
}

static void own_head(struct parse *p, const struct parse_event *event)
{
	const struct make_head head = {
		.type_text = event->data, .source = TEXT("me"), .correlation = TEXT("c")};

	parse_begin_as(p, &head);
	parse_give(p);
}

static void the_bytes_may_name_the_head(void **state)
{
	makes(own_head, TEXT("a\"b"),
	      "{\"type\":\"a\\\"b\",\"source\":\"me\",\"correlationId\":\"c\",\"payload\":{}}");
}

static double at_ms;
static struct buf last;

static void at_a_time(struct parse *p, const struct parse_event *event)
{
	parse_begin_as(p, &(struct make_head){.type = "x", .id = TEXT("i"), .at_ms = at_ms});
	parse_give(p);
}

static void keep(void *self, struct text envelope)
{
	buf_clear(&last);
	buf_add(&last, envelope);
}

static int64_t seven(void)
{
	return 7;
}

static void a_time_is_written_as_it_is(void **state)
{
	static const struct {
		double at;
		const char *written;
	} cases[] = {
		{0, "7,"},   {1700000000000, "1700000000000,"},  {0.5, "0.5,"},
		{-3, "-3,"}, {0x1p60, "1.152921504606847e+18,"}, {1.0 / 0.0, "7,"},
	};
	const struct parse_options options = {.signal = keep, .now_ms = seven};
	struct parse *p = parse_create(made_by(at_a_time), &options);

	buf_init(&last, KIB);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char expected[80];

		at_ms = cases[i].at;
		parse_message(p, TEXT("x"));
		snprintf(expected, sizeof(expected),
		         "{\"id\":\"i\",\"type\":\"x\",\"timestamp\":%s", cases[i].written);
		assert_true(text_starts(buf_text(&last), text_of(expected)));
	}
	buf_finish(&last);
	parse_destroy(p);
}

static void wrapped(struct parse *p, const struct parse_event *event)
{
	parse_begin(p, "x");
	make_object(&p->make, "o", parse_json(p, event->data));
	parse_give(p);
}

static void named(struct parse *p, const struct parse_event *event)
{
	parse_begin_as(p, &(struct make_head){.type_text = TEXT("a\0b"),
	                                      .source = TEXT("\0"),
	                                      .correlation = TEXT("c\0d")});
	parse_give(p);
}

static void a_nul_in_a_name_is_written_out(void **state)
{
	taken_init(&t, made_by(named));
	taken_read(&t, TEXT("{}"));
	assert_true(taken_has(&t, "\"type\":\"a\\\\u0000b\""));
	assert_true(taken_has(&t, "\"source\":\"\\\\u0000\""));
	assert_true(taken_has(&t, "\"correlationId\":\"c\\\\u0000d\""));
	taken_finish(&t);
}

static void renamed(struct parse *p, const struct parse_event *event)
{
	parse_set_correlation(p, event->data);
	parse_begin(p, "x");
	parse_give(p);
}

static void what_belongs_to_another_piece_of_work_says_so(void **state)
{
	taken_init(&t, made_by(renamed));
	parse_message(t.parse, TEXT("one"));
	parse_message(t.parse, TEXT("one"));
	parse_message(t.parse, TEXT("t\"wo"));
	assert_line(&t, 0,
	            "{\"type\":\"x\",\"source\":\"src\",\"correlationId\":\"one\",\"payload\":{}}");
	assert_line(&t, 1,
	            "{\"type\":\"x\",\"source\":\"src\",\"correlationId\":\"one\",\"payload\":{}}");
	assert_line(
		&t, 2,
		"{\"type\":\"x\",\"source\":\"src\",\"correlationId\":\"t\\\"wo\",\"payload\":{}}");
	taken_finish(&t);
}

static const char *type;

static void of_a_type(struct parse *p, const struct parse_event *event)
{
	parse_begin_as(p, &(struct make_head){.type = type, .at_ms = at_ms});
	make_text(&p->make, "a", TEXT("b"));
	parse_give(p);
}

static void a_signal_does_not_depend_on_those_before(void **state)
{
	static const char *const types[] = {"x", "text_delta", "text", "a\"b",
	                                    "x\",\"timestamp\":"};
	static const double times[] = {1,   9,   10, 1767225600123, 1767225600124,
	                               0.5, 2.5, -3, 1e15,          7};
	const struct parse_options options = {.source = TEXT("s"), .signal = keep};
	struct parse *old = parse_create(made_by(of_a_type), &options);
	struct buf of_old;
	unsigned random = 1;

	buf_init(&of_old, KIB);
	buf_init(&last, KIB);
	for (unsigned i = 0; i < 5000; i++) {
		struct parse *new = parse_create(made_by(of_a_type), &options);

		random = random * 1103515245 + 12345;
		type = types[(random >> 16) % 5];
		at_ms = times[(random >> 20) % 10];
		parse_set_correlation(old, random >> 28 ? TEXT("c") : TEXT("d\"e"));
		parse_set_correlation(new, random >> 28 ? TEXT("c") : TEXT("d\"e"));
		parse_set_seed(old, i + 1);
		parse_set_seed(new, i + 1);
		parse_message(old, TEXT("1"));
		buf_clear(&of_old);
		buf_add(&of_old, buf_text(&last));
		parse_message(new, TEXT("1"));
		if (!text_equal(buf_text(&last), buf_text(&of_old)))
			fail_msg("%.*s instead of %.*s", TEXT_ARG(buf_text(&of_old)),
			         TEXT_ARG(buf_text(&last)));
		parse_destroy(new);
	}
	parse_destroy(old);
	buf_finish(&of_old);
	buf_finish(&last);
}

static void too_deep_a_value_is_bad(void **state)
{
	char deep[122];

	memset(deep, '[', 61);
	memset(deep + 61, ']', 61);
	taken_init(&t, made_by(wrapped));
	parse_message(t.parse, (struct text){deep, 122});
	assert_int_equal(t.bads, 1);
	assert_int_equal(t.signals, 0);
	parse_message(t.parse, (struct text){deep + 1, 120});
	assert_int_equal(t.signals, 1);
	taken_finish(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_come_in_their_order),
		cmocka_unit_test(joined_text_becomes_an_object),
		cmocka_unit_test(the_bytes_may_name_the_head),
		cmocka_unit_test(a_time_is_written_as_it_is),
		cmocka_unit_test(too_deep_a_value_is_bad),
		cmocka_unit_test(a_signal_does_not_depend_on_those_before),
		cmocka_unit_test(what_belongs_to_another_piece_of_work_says_so),
		cmocka_unit_test(a_nul_in_a_name_is_written_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

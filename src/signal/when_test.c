/* when_test.c - every operator, how they are joined, and clauses that are none. */
#include "signal/when.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "signal/json.h"

#define VECTORS "../shared/vectors/when.json"

static yyjson_doc *payload;
static struct cue cue;
static struct error why;

static int start(void **state)
{
	static const char words[] =
		"{\"s\":\"hello world\",\"n\":5,\"z\":0,\"b\":true,\"f\":false,\"nul\":null,"
		"\"e\":\"\","
		"\"o\":{\"k\":[1,{\"m\":\"q\"}]},\"list\":[],\"signal\":{\"s\":\"inner\"},"
		"\"big\":123456789012345678901234567890}";

	payload = yyjson_read(words, sizeof(words) - 1, YYJSON_READ_BIGNUM_AS_RAW);
	cue = (struct cue){.type = TEXT("tool_call"), .payload = yyjson_doc_get_root(payload)};
	return 0;
}

static int finish(void **state)
{
	yyjson_doc_free(payload);
	return 0;
}

static bool holds_in(const char *clause, enum when_prefix prefix)
{
	yyjson_doc *doc = yyjson_read(clause, strlen(clause), 0);
	struct when *when = when_create(yyjson_doc_get_root(doc), prefix, &why);
	bool yes;

	assert_non_null(doc);
	if (!when)
		fail_msg("%s: %s", clause, why.words);
	yes = when_holds(when, &cue);
	when_destroy(when);
	yyjson_doc_free(doc);
	return yes;
}

static bool holds(const char *clause)
{
	return holds_in(clause, WHEN_PREFIX_NEEDED);
}

static void nothing_asked_is_always_true(void **state)
{
	struct when *when = when_create(NULL, WHEN_PREFIX_NEEDED, &why);

	assert_true(when_holds(when, &cue));
	when_destroy(when);
	when_destroy(NULL);
	assert_true(holds("null"));
	assert_true(holds("{}"));
	assert_true(holds("[]"));
	assert_true(holds("[{}]"));
	assert_true(holds("{\"signal.none\":{}}"));
}

static void equals_is_strict(void **state)
{
	assert_true(holds("{\"signal.s\":{\"equals\":\"hello world\"}}"));
	assert_false(holds("{\"signal.s\":{\"equals\":\"hello\"}}"));
	assert_true(holds("{\"signal.n\":{\"equals\":5.0}}"));
	assert_false(holds("{\"signal.n\":{\"equals\":\"5\"}}"));
	assert_true(holds("{\"signal.f\":{\"equals\":false}}"));
	assert_false(holds("{\"signal.z\":{\"equals\":false}}"));
	assert_false(holds("{\"signal.e\":{\"equals\":null}}"));
	assert_true(holds("{\"signal.nul\":{\"equals\":null}}"));
	assert_false(holds("{\"signal.none\":{\"equals\":null}}"));
	assert_false(holds("{\"signal.o\":{\"equals\":{\"k\":[1,{\"m\":\"q\"}]}}}"));
	assert_false(holds("{\"signal.list\":{\"equals\":[]}}"));
	assert_true(holds("{\"signal.type\":{\"equals\":\"tool_call\"}}"));
	assert_true(holds("{\"signal.o.k.length\":{\"equals\":2}}"));
}

static void contains_and_matches_are_of_strings(void **state)
{
	assert_true(holds("{\"signal.s\":{\"contains\":\"o w\"}}"));
	assert_false(holds("{\"signal.s\":{\"contains\":\"World\"}}"));
	assert_true(holds("{\"signal.e\":{\"contains\":\"\"}}"));
	assert_false(holds("{\"signal.n\":{\"contains\":\"5\"}}"));
	assert_false(holds("{\"signal.list\":{\"contains\":\"\"}}"));
	assert_true(holds("{\"signal.s\":{\"matches\":\"^h.*o w\"}}"));
	assert_false(holds("{\"signal.n\":{\"matches\":\"5\"}}"));
	assert_false(holds("{\"signal.s\":{\"matches\":\"(\"}}"));
	assert_true(holds("{\"signal.s\":{\"not\":{\"matches\":\"(\"}}}"));
	assert_true(holds("{\"signal.type\":{\"matches\":\"^tool_\"}}"));
}

static void gt_and_lt_are_of_numbers_and_strict(void **state)
{
	assert_true(holds("{\"signal.n\":{\"gt\":4.5,\"lt\":5.5}}"));
	assert_false(holds("{\"signal.n\":{\"gt\":5}}"));
	assert_false(holds("{\"signal.n\":{\"lt\":5}}"));
	assert_true(holds("{\"signal.big\":{\"gt\":1e29}}"));
	assert_false(holds("{\"signal.s\":{\"gt\":0}}"));
	assert_false(holds("{\"signal.nul\":{\"lt\":1}}"));
	assert_false(holds("{\"signal.none\":{\"lt\":1}}"));
	assert_false(holds("{\"signal.b\":{\"gt\":0}}"));
}

static void what_is_empty_exists_and_null_does_not(void **state)
{
	assert_true(holds("{\"signal.z\":{\"exists\":true}}"));
	assert_true(holds("{\"signal.e\":{\"exists\":true}}"));
	assert_true(holds("{\"signal.f\":{\"exists\":true}}"));
	assert_false(holds("{\"signal.nul\":{\"exists\":true}}"));
	assert_true(holds("{\"signal.nul\":{\"exists\":false}}"));
	assert_true(holds("{\"signal.none\":{\"exists\":false}}"));
	assert_false(holds("{\"signal.s\":{\"exists\":false}}"));
}

static void not_turns_round_and_stands_alone(void **state)
{
	assert_true(holds("{\"signal.n\":{\"not\":{\"gt\":5}}}"));
	assert_false(holds("{\"signal.n\":{\"not\":{\"equals\":5}}}"));
	assert_true(holds("{\"signal.n\":{\"not\":{\"not\":{\"equals\":5}}}}"));
	assert_true(holds("{\"signal.n\":{\"equals\":99,\"not\":{\"gt\":5}}}"));
	assert_false(holds("{\"signal.n\":{\"not\":{}}}"));
	assert_true(holds("{\"signal.n\":{\"not\":{\"gt\":1,\"lt\":3}}}"));
}

static void an_object_is_and_and_an_array_is_or(void **state)
{
	assert_true(holds("{\"signal.n\":{\"gt\":1},\"signal.b\":{\"equals\":true}}"));
	assert_false(holds("{\"signal.n\":{\"gt\":1},\"signal.b\":{\"equals\":false}}"));
	assert_true(holds("[{\"signal.n\":{\"gt\":9}},{\"signal.b\":{\"equals\":true}}]"));
	assert_false(holds("[{\"signal.n\":{\"gt\":9}},{\"signal.b\":{\"equals\":false}}]"));
}

static void operators_that_nobody_knows_are_passed_over(void **state)
{
	assert_true(holds("{\"signal.s\":{\"unknownOp\":1}}"));
	assert_false(holds("{\"signal.n\":{\"unknownOp\":1,\"gt\":9}}"));
}

static void the_prefix_is_needed_where_it_is(void **state)
{
	assert_false(holds("{\"s\":{\"contains\":\"hello\"}}"));
	assert_true(holds("{\"s\":{\"exists\":false}}"));
	assert_true(holds("{\"s\":{}}"));
	assert_true(holds_in("{\"s\":{\"contains\":\"hello\"}}", WHEN_PREFIX_OPTIONAL));
	assert_true(holds_in("{\"signal.s\":{\"contains\":\"hello\"}}", WHEN_PREFIX_OPTIONAL));
	assert_true(holds_in("{\"signal.signal.s\":{\"equals\":\"inner\"}}", WHEN_PREFIX_OPTIONAL));
	assert_true(holds_in("{\"type\":{\"equals\":\"tool_call\"}}", WHEN_PREFIX_OPTIONAL));
}

static void faults_are_pointed_at(void **state)
{
	static const struct {
		const char *clause, *fault;
	} cases[] = {
		{"5", ": a condition is wanted, as {\"signal.x\":{\"gt\":1}}"},
		{"\"x\"", ": a condition is wanted, as {\"signal.x\":{\"gt\":1}}"},
		{"[{},[]]", "/1: a condition is wanted, as {\"signal.x\":{\"gt\":1}}"},
		{"{\"field\":\"x\"}", "/field: operators are wanted, as {\"equals\":1}"},
		{"{\"a/b\":{\"gt\":\"5\"}}", "/a~1b/gt: a number is wanted"},
		{"[{\"x\":{\"lt\":null}}]", "/0/x/lt: a number is wanted"},
		{"{\"x\":{\"contains\":5}}", "/x/contains: a string is wanted"},
		{"{\"x\":{\"matches\":5}}",
	         "/x/matches: a regular expression is wanted, in a string"},
		{"{\"x\":{\"exists\":1}}", "/x/exists: true or false is wanted"},
		{"{\"x\":{\"not\":5}}", "/x/not: operators are wanted, as {\"equals\":1}"},
		{"{\"x\":{\"gt\":1},\"y\":{\"not\":{\"not\":{\"matches\":\"a\",\"gt\":{}}}}}",
	         "/y/not/not/gt: a number is wanted"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		yyjson_doc *doc = yyjson_read(cases[i].clause, strlen(cases[i].clause), 0);

		assert_null(when_create(yyjson_doc_get_root(doc), WHEN_PREFIX_NEEDED, &why));
		assert_string_equal(why.words, cases[i].fault);
		assert_null(when_create(yyjson_doc_get_root(doc), WHEN_PREFIX_NEEDED, NULL));
		yyjson_doc_free(doc);
	}
}

static void a_deep_chain_of_nots_takes_no_stack(void **state)
{
	const size_t depth = 100001; /* odd: turned round */
	struct buf clause;

	buf_init(&clause, 4 * MIB);
	buf_add(&clause, TEXT("{\"signal.n\":"));
	for (size_t i = 0; i < depth; i++)
		buf_add(&clause, TEXT("{\"not\":"));
	buf_add(&clause, TEXT("{\"gt\":1}"));
	for (size_t i = 0; i < depth; i++)
		buf_add_char(&clause, '}');
	buf_add(&clause, (struct text){"}", 2}); /* with its end */
	assert_false(holds(clause.at));
	buf_finish(&clause);
}

static void try_vector(yyjson_val *vector, size_t index)
{
	yyjson_val *signal = yyjson_obj_get(vector, "signal");
	struct when *when = when_create(yyjson_obj_get(vector, "when"), WHEN_PREFIX_NEEDED, &why);
	struct cue heard = {
		.type = json_text_at(signal, "type"),
		.payload = yyjson_obj_get(signal, "payload"),
	};

	if (!when)
		fail_msg("vector %zu: %s", index, why.words);
	if (when_holds(when, &heard) != yyjson_get_bool(yyjson_obj_get(vector, "result")))
		fail_msg("vector %zu is judged otherwise", index);
	when_destroy(when);
}

static void the_vectors_are_judged_as_they_say(void **state)
{
	yyjson_doc *doc = yyjson_read_file(VECTORS, 0, NULL, NULL);
	yyjson_val *vectors = yyjson_doc_get_root(doc);

	if (!doc) {
		print_message("# skipped: %s is not there\n", VECTORS);
		skip();
		return;
	}
	assert_true(yyjson_arr_size(vectors) >= 20);
	for (size_t i = 0; i < yyjson_arr_size(vectors); i++)
		try_vector(yyjson_arr_get(vectors, i), i);
	yyjson_doc_free(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_asked_is_always_true),
		cmocka_unit_test(equals_is_strict),
		cmocka_unit_test(contains_and_matches_are_of_strings),
		cmocka_unit_test(gt_and_lt_are_of_numbers_and_strict),
		cmocka_unit_test(what_is_empty_exists_and_null_does_not),
		cmocka_unit_test(not_turns_round_and_stands_alone),
		cmocka_unit_test(an_object_is_and_and_an_array_is_or),
		cmocka_unit_test(operators_that_nobody_knows_are_passed_over),
		cmocka_unit_test(the_prefix_is_needed_where_it_is),
		cmocka_unit_test(faults_are_pointed_at),
		cmocka_unit_test(a_deep_chain_of_nots_takes_no_stack),
		cmocka_unit_test(the_vectors_are_judged_as_they_say),
	};

	return cmocka_run_group_tests(tests, start, finish);
}

/* chain_test.c - what each filter lets pass, and what holds for every chain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"
#include "signal/json.h"
#include "wire/filter.h"

static struct error why;

/* A chain with the document it was read from. */
struct fixture {
	yyjson_doc *doc;
	struct chain *chain;
};

static struct fixture a_chain(const char *filters)
{
	struct fixture f = {.doc = yyjson_read(filters, strlen(filters), 0)};
	bool good;

	assert_non_null(f.doc);
	f.chain = chain_create(yyjson_doc_get_root(f.doc), &good, &why);
	if (!good)
		fail_msg("%s: %s", filters, why.words);
	return f;
}

static void finish(struct fixture *f)
{
	chain_destroy(f->chain);
	yyjson_doc_free(f->doc);
}

/* What comes out of the chain for a payload, as JSON; NULL when it is dropped. */
static char *out_of(struct fixture *f, const char *payload, double now_ms)
{
	yyjson_doc *doc = yyjson_read(payload, strlen(payload), 0);
	struct cue cue = {.type = TEXT("x"), .payload = yyjson_doc_get_root(doc)};
	char *out = NULL, *before = yyjson_write(doc, 0, NULL), *after;

	if (chain_passes(f->chain, &cue, now_ms))
		out = yyjson_val_write(cue.payload, 0, NULL);
	after = yyjson_write(doc, 0, NULL);
	assert_string_equal(before, after); /* the producer's payload stays */
	free(before);
	free(after);
	yyjson_doc_free(doc);
	return out;
}

static bool passes(struct fixture *f, const char *payload, double now_ms)
{
	char *out = out_of(f, payload, now_ms);
	bool yes = out;

	free(out);
	return yes;
}

static void assert_out(const char *filters, const char *payload, const char *want)
{
	struct fixture f = a_chain(filters);
	char *out = out_of(&f, payload, 0);

	assert_non_null(out);
	assert_string_equal(out, want);
	free(out);
	finish(&f);
}

/* --- each kind ------------------------------------------------------------ */

static void no_filters_let_everything_pass(void **state)
{
	bool good = false;
	struct fixture f = a_chain("[]");

	assert_null(f.chain);
	assert_true(passes(&f, "{}", 0));
	finish(&f);
	assert_null(chain_create(NULL, &good, &why));
	assert_true(good);
}

static void throttle_lets_the_first_pass_and_then_one_an_interval(void **state)
{
	struct fixture f = a_chain("[{\"type\":\"throttle\",\"intervalMs\":100}]");

	assert_true(passes(&f, "{}", -50));
	assert_false(passes(&f, "{}", 49.9));
	assert_true(passes(&f, "{}", 50));
	assert_false(passes(&f, "{}", 149));
	assert_true(passes(&f, "{}", 1000));
	assert_false(passes(&f, "{}", 1000));
	finish(&f);
}

static void throttle_of_nothing_lets_everything_pass(void **state)
{
	struct fixture f = a_chain("[{\"type\":\"throttle\",\"intervalMs\":0}]");

	assert_true(passes(&f, "{}", 5));
	assert_true(passes(&f, "{}", 5));
	finish(&f);
}

static void sample_lets_the_nth_pass(void **state)
{
	struct fixture f = a_chain("[{\"type\":\"sample\",\"every\":3}]");

	for (int round = 0; round < 4; round++) {
		assert_false(passes(&f, "{}", 0));
		assert_false(passes(&f, "{}", 0));
		assert_true(passes(&f, "{}", 0));
	}
	finish(&f);
}

static void sample_of_one_lets_everything_pass(void **state)
{
	struct fixture f = a_chain("[{\"type\":\"sample\",\"every\":1}]");

	assert_true(passes(&f, "{}", 0));
	assert_true(passes(&f, "{}", 0));
	finish(&f);
}

static void delta_compares_with_what_passed_last(void **state)
{
	struct fixture f = a_chain("[{\"type\":\"delta\",\"path\":\"stats.cpu\",\"threshold\":5}]");

	assert_true(passes(&f, "{\"stats\":{\"cpu\":10}}", 0));
	assert_false(passes(&f, "{\"stats\":{\"cpu\":14.9}}", 0));
	assert_false(passes(&f, "{\"stats\":{\"cpu\":5.1}}", 0));
	assert_true(passes(&f, "{\"stats\":{\"cpu\":15}}", 0));
	assert_true(passes(&f, "{\"stats\":{\"cpu\":10}}", 0));
	finish(&f);
}

static void delta_drops_what_is_no_number(void **state)
{
	struct fixture f = a_chain("[{\"type\":\"delta\",\"path\":\"signal.v\",\"threshold\":0}]");

	assert_false(passes(&f, "{\"v\":\"1\"}", 0));
	assert_false(passes(&f, "{\"v\":null}", 0));
	assert_false(passes(&f, "{}", 0));
	assert_true(passes(&f, "{\"v\":1}", 0));
	assert_true(passes(&f, "{\"v\":1}", 0)); /* 0 is as far as the threshold */
	finish(&f);
}

static void when_lets_pass_what_holds(void **state)
{
	struct fixture f =
		a_chain("[{\"type\":\"when\",\"clause\":{\"status\":{\"equals\":\"done\"},"
	                "\"signal.n\":{\"gt\":1}}}]");

	assert_true(passes(&f, "{\"status\":\"done\",\"n\":2}", 0));
	assert_false(passes(&f, "{\"status\":\"done\",\"n\":1}", 0));
	assert_false(passes(&f, "{\"n\":2}", 0));
	finish(&f);
}

static void map_copies_and_keeps(void **state)
{
	assert_out("[{\"type\":\"map\",\"mappings\":[{\"from\":\"a\",\"to\":\"b\"}]}]", "{\"a\":1}",
	           "{\"a\":1,\"b\":1}");
	assert_out("[{\"type\":\"map\",\"mappings\":[{\"from\":\"o.list.1\",\"to\":\"v\"},"
	           "{\"from\":\"signal.o\",\"to\":\"signal.copy\"}]}]",
	           "{\"o\":{\"list\":[1,\"two\"]}}",
	           "{\"o\":{\"list\":[1,\"two\"]},\"v\":\"two\",\"copy\":{\"list\":[1,\"two\"]}}");
	assert_out("[{\"type\":\"map\",\"mappings\":[{\"from\":\"type\",\"to\":\"kind\"},"
	           "{\"from\":\"list.length\",\"to\":\"n\"}]}]",
	           "{\"list\":[4,4]}", "{\"list\":[4,4],\"kind\":\"x\",\"n\":2}");
}

static void map_writes_deep_and_over(void **state)
{
	assert_out("[{\"type\":\"map\",\"mappings\":[{\"from\":\"a\",\"to\":\"x.y.z\"},"
	           "{\"from\":\"b\",\"to\":\"x.y.w\"}]}]",
	           "{\"a\":1,\"b\":[2]}", "{\"a\":1,\"b\":[2],\"x\":{\"y\":{\"z\":1,\"w\":[2]}}}");
	assert_out("[{\"type\":\"map\",\"mappings\":[{\"from\":\"a\",\"to\":\"x.y\"}]}]",
	           "{\"x\":7,\"a\":1}", "{\"x\":{\"y\":1},\"a\":1}");
	assert_out("[{\"type\":\"map\",\"mappings\":[{\"from\":\"a\",\"to\":\"b\"}]}]",
	           "{\"a\":1,\"b\":2}", "{\"a\":1,\"b\":1}");
}

static void map_reads_the_payload_as_it_came(void **state)
{
	assert_out("[{\"type\":\"map\",\"mappings\":[{\"from\":\"a\",\"to\":\"b\"},"
	           "{\"from\":\"b\",\"to\":\"a\"}]}]",
	           "{\"a\":1,\"b\":2}", "{\"a\":2,\"b\":1}");
	assert_out("[{\"type\":\"map\",\"mappings\":[{\"from\":\"a\",\"to\":\"a.inner\"}]}]",
	           "{\"a\":{\"v\":1}}", "{\"a\":{\"v\":1,\"inner\":{\"v\":1}}}");
}

static void map_leaves_out_what_is_not_there(void **state)
{
	assert_out("[{\"type\":\"map\",\"mappings\":[{\"from\":\"none\",\"to\":\"b.c\"},"
	           "{\"from\":\"nul\",\"to\":\"d\"}]}]",
	           "{\"nul\":null}", "{\"nul\":null,\"d\":null}");
	assert_out("[{\"type\":\"map\",\"mappings\":[]}]", "{}", "{}");
}

static void map_takes_large_payloads_and_small_ones_again(void **state)
{
	struct fixture f =
		a_chain("[{\"type\":\"map\",\"mappings\":[{\"from\":\"a\",\"to\":\"b\"}]}]");
	struct buf large;
	char *out;

	buf_init(&large, 2 * MIB);
	buf_add(&large, TEXT("{\"a\":[0"));
	while (large.len < MIB)
		buf_add(&large, TEXT(",1,\"text\""));
	buf_add(&large, (struct text){"]}", 3}); /* with its end */
	for (int round = 0; round < 3; round++) {
		out = out_of(&f, large.at, 0);
		assert_int_equal(strlen(out), 2 * strlen(large.at) - 1);
		free(out);
		out = out_of(&f, "{\"a\":1}", 0);
		assert_string_equal(out, "{\"a\":1,\"b\":1}");
		free(out);
	}
	buf_finish(&large);
	finish(&f);
}

/* --- chains --------------------------------------------------------------- */

static void the_first_that_drops_ends_the_chain(void **state)
{
	struct fixture f = a_chain("[{\"type\":\"when\",\"clause\":{\"go\":{\"equals\":true}}},"
	                           "{\"type\":\"sample\",\"every\":2}]");

	assert_false(passes(&f, "{\"go\":false}", 0)); /* not counted by what follows */
	assert_false(passes(&f, "{\"go\":true}", 0));
	assert_false(passes(&f, "{\"go\":false}", 0));
	assert_true(passes(&f, "{\"go\":true}", 0));
	finish(&f);
}

static void a_filter_sees_what_the_one_before_made(void **state)
{
	assert_out("[{\"type\":\"map\",\"mappings\":[{\"from\":\"a\",\"to\":\"b\"}]},"
	           "{\"type\":\"when\",\"clause\":{\"b\":{\"equals\":1}}},"
	           "{\"type\":\"map\",\"mappings\":[{\"from\":\"b\",\"to\":\"c\"}]}]",
	           "{\"a\":1}", "{\"a\":1,\"b\":1,\"c\":1}");
}

static void each_filter_has_a_memory_of_its_own(void **state)
{
	struct fixture one = a_chain("[{\"type\":\"throttle\",\"intervalMs\":10}]");
	struct fixture two = a_chain("[{\"type\":\"throttle\",\"intervalMs\":10}]");

	assert_true(passes(&one, "{}", 0));
	assert_true(passes(&two, "{}", 5));
	assert_false(passes(&one, "{}", 9));
	assert_true(passes(&one, "{}", 10));
	assert_false(passes(&two, "{}", 10));
	finish(&one);
	finish(&two);
}

static void faults_are_pointed_at(void **state)
{
	static const struct {
		const char *filters, *fault;
	} cases[] = {
		{"{}", ": a list of filters is wanted"},
		{"[1]", "/0: a filter is wanted, as {\"type\":\"sample\",\"every\":2}"},
		{"[{}]", "/0/type: throttle, sample, delta, when or map is wanted"},
		{"[{\"type\":\"throtle\"}]", "/0/type: there is no such filter; throttle?"},
		{"[{\"type\":\"throttle\"}]", "/0/intervalMs: a number is wanted, 0 or more"},
		{"[{\"type\":\"throttle\",\"intervalMs\":-1}]",
	         "/0/intervalMs: a number is wanted, 0 or more"},
		{"[{\"type\":\"throttle\",\"intervalMs\":1,\"interval\":1}]",
	         "/0/interval: throttle has no such parameter"},
		{"[{\"type\":\"sample\",\"every\":0}]", "/0/every: a number is wanted, 1 or more"},
		{"[{\"type\":\"sample\",\"every\":\"2\"}]",
	         "/0/every: a number is wanted, 1 or more"},
		{"[{\"type\":\"sample\",\"every\":1.5}]",
	         "/0/every: a whole number up to 1000000000 is wanted"},
		{"[{\"type\":\"sample\",\"every\":1e300}]",
	         "/0/every: a whole number up to 1000000000 is wanted"},
		{"[{\"type\":\"delta\",\"threshold\":1}]", "/0/path: a string is wanted"},
		{"[{\"type\":\"delta\",\"path\":\"\",\"threshold\":1}]",
	         "/0/path: a string is wanted"},
		{"[{\"type\":\"delta\",\"path\":\"x\",\"threshold\":-0.5}]",
	         "/0/threshold: a number is wanted, 0 or more"},
		{"[{\"type\":\"when\"}]", "/0/clause: a condition is wanted"},
		{"[{\"type\":\"sample\",\"every\":1},{\"type\":\"when\",\"clause\":[{\"x\":{\"gt\":"
	         "\"1\"}}]}]",
	         "/1/clause/0/x/gt: a number is wanted"},
		{"[{\"type\":\"map\"}]",
	         "/0/mappings: a list of {\"from\":..,\"to\":..} is wanted"},
		{"[{\"type\":\"map\",\"mappings\":[1]}]",
	         "/0/mappings/0: {\"from\":..,\"to\":..} is wanted"},
		{"[{\"type\":\"map\",\"mappings\":[{\"from\":\"a\",\"to\":\"b\"},{\"to\":\"b\"}]}]",
	         "/0/mappings/1/from: a string is wanted"},
		{"[{\"type\":\"map\",\"mappings\":[{\"from\":\"a\",\"to\":3}]}]",
	         "/0/mappings/0/to: a string is wanted"},
		{"[{\"type\":\"map\",\"mappings\":[{\"from\":\"a\",\"to\":\"b..c\"}]}]",
	         "/0/mappings/0/to: a name is missing beside a dot"},
		{"[{\"type\":\"map\",\"mappings\":[{\"from\":\"a\",\"to\":\"signal.\"}]}]",
	         "/0/mappings/0/to: a name is missing beside a dot"},
		{"[{\"type\":\"map\",\"mappings\":[{\"from\":\"a\",\"to\":\"1.2.3.4.5.6.7.8.9.10."
	         "11.12.13.14.15.16.17\"}]}]",
	         "/0/mappings/0/to: more than 16 names"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		yyjson_doc *doc = yyjson_read(cases[i].filters, strlen(cases[i].filters), 0);
		bool good = true;

		assert_null(chain_create(yyjson_doc_get_root(doc), &good, &why));
		assert_false(good);
		assert_string_equal(why.words, cases[i].fault);
		yyjson_doc_free(doc);
	}
}

static void many_of(struct buf *out, const char *head, const char *item, unsigned count)
{
	buf_clear(out);
	buf_add(out, text_of(head));
	for (unsigned i = 0; i < count; i++)
		buf_print(out, "%s%s", i ? "," : "", item);
}

static void there_is_a_ceiling_to_everything(void **state)
{
	struct buf filters;
	yyjson_doc *doc;
	bool good;

	buf_init(&filters, 16 * KIB);
	many_of(&filters, "[", "{\"type\":\"sample\",\"every\":1}", FILTER_CHAIN_MAX + 1);
	buf_add_char(&filters, ']');
	doc = yyjson_read(filters.at, filters.len, 0);
	assert_null(chain_create(yyjson_doc_get_root(doc), &good, &why));
	assert_string_equal(why.words, ": more than 64 filters");
	yyjson_doc_free(doc);

	many_of(&filters, "[{\"type\":\"map\",\"mappings\":[", "{\"from\":\"a\",\"to\":\"b\"}", 65);
	buf_add(&filters, TEXT("]}]"));
	doc = yyjson_read(filters.at, filters.len, 0);
	assert_null(chain_create(yyjson_doc_get_root(doc), &good, &why));
	assert_string_equal(why.words, "/0/mappings: more than 64 mappings");
	assert_false(good);
	yyjson_doc_free(doc);
	buf_finish(&filters);
}

/* --- what always holds ---------------------------------------------------- */

/* The same numbers in every run. */
static unsigned rolled(unsigned *seed, unsigned sides)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) % sides;
}

static void throttle_never_lets_two_pass_within_its_interval(void **state)
{
	for (unsigned seed = 0; seed < 200; seed++) {
		unsigned dice = seed, interval = rolled(&dice, 50);
		char filters[80];
		double now = 0, last = -1e9;
		struct fixture f;

		snprintf(filters, sizeof(filters), "[{\"type\":\"throttle\",\"intervalMs\":%u}]",
		         interval);
		f = a_chain(filters);
		for (int i = 0; i < 200; i++) {
			struct cue cue = {0};
			bool due = now - last >= interval;

			assert_int_equal(chain_passes(f.chain, &cue, now), due);
			if (due)
				last = now;
			now += rolled(&dice, 20);
		}
		finish(&f);
	}
}

static void sample_lets_pass_exactly_every_nth(void **state)
{
	for (unsigned every = 1; every < 40; every++) {
		char filters[80];
		struct fixture f;

		snprintf(filters, sizeof(filters), "[{\"type\":\"sample\",\"every\":%u}]", every);
		f = a_chain(filters);
		for (unsigned i = 1; i <= 500; i++) {
			struct cue cue = {0};

			assert_int_equal(chain_passes(f.chain, &cue, i), i % every == 0);
		}
		finish(&f);
	}
}

/* Any filters, in any order. */
static struct fixture any_chain(unsigned *dice)
{
	static const char *const some[] = {
		"{\"type\":\"throttle\",\"intervalMs\":3}",
		"{\"type\":\"sample\",\"every\":2}",
		"{\"type\":\"delta\",\"path\":\"v\",\"threshold\":4}",
		"{\"type\":\"when\",\"clause\":[{\"v\":{\"lt\":60}},{\"v\":{\"gt\":70}}]}",
		"{\"type\":\"map\",\"mappings\":[{\"from\":\"v\",\"to\":\"deep.w\"}]}",
		"{\"type\":\"map\",\"mappings\":[{\"from\":\"deep\",\"to\":\"d\"}]}",
	};
	struct buf filters;
	struct fixture f;

	buf_init(&filters, 4 * KIB);
	buf_add_char(&filters, '[');
	for (unsigned i = 0, count = 1 + rolled(dice, 5); i < count; i++)
		buf_print(&filters, "%s%s", i ? "," : "", some[rolled(dice, 6)]);
	buf_add(&filters, (struct text){"]", 2}); /* with its end */
	f = a_chain(filters.at);
	buf_finish(&filters);
	return f;
}

static void a_chain_never_reorders_or_repeats(void **state)
{
	unsigned passed = 0;

	for (unsigned seed = 0; seed < 300; seed++) {
		unsigned dice = seed;
		struct fixture f = any_chain(&dice);
		double now = 0, number, last = -1;

		for (unsigned i = 0; i < 100; i++, now += rolled(&dice, 4)) {
			char payload[64];
			char *out;
			yyjson_doc *doc;

			snprintf(payload, sizeof(payload), "{\"n\":%u,\"v\":%u}", i,
			         rolled(&dice, 100));
			out = out_of(&f, payload, now);
			if (!out)
				continue;
			doc = yyjson_read(out, strlen(out), 0);
			number = yyjson_get_num(yyjson_obj_get(yyjson_doc_get_root(doc), "n"));
			assert_true(number == i && number > last);
			last = number;
			passed++;
			yyjson_doc_free(doc);
			free(out);
		}
		finish(&f);
	}
	assert_true(passed > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_filters_let_everything_pass),
		cmocka_unit_test(throttle_lets_the_first_pass_and_then_one_an_interval),
		cmocka_unit_test(throttle_of_nothing_lets_everything_pass),
		cmocka_unit_test(sample_lets_the_nth_pass),
		cmocka_unit_test(sample_of_one_lets_everything_pass),
		cmocka_unit_test(delta_compares_with_what_passed_last),
		cmocka_unit_test(delta_drops_what_is_no_number),
		cmocka_unit_test(when_lets_pass_what_holds),
		cmocka_unit_test(map_copies_and_keeps),
		cmocka_unit_test(map_writes_deep_and_over),
		cmocka_unit_test(map_reads_the_payload_as_it_came),
		cmocka_unit_test(map_leaves_out_what_is_not_there),
		cmocka_unit_test(map_takes_large_payloads_and_small_ones_again),
		cmocka_unit_test(the_first_that_drops_ends_the_chain),
		cmocka_unit_test(a_filter_sees_what_the_one_before_made),
		cmocka_unit_test(each_filter_has_a_memory_of_its_own),
		cmocka_unit_test(faults_are_pointed_at),
		cmocka_unit_test(there_is_a_ceiling_to_everything),
		cmocka_unit_test(throttle_never_lets_two_pass_within_its_interval),
		cmocka_unit_test(sample_lets_pass_exactly_every_nth),
		cmocka_unit_test(a_chain_never_reorders_or_repeats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

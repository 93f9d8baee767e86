/* json5_test.c - what people write into configuration files by hand. */
#include "source/openclaw/json5.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* The text as JSON without any white space; the caller frees it. */
static char *read_as_json(const char *text)
{
	struct error why;
	yyjson_doc *doc = json5_read(text_of(text), &why);
	char *out = doc ? yyjson_write(doc, 0, NULL) : NULL;

	yyjson_doc_free(doc);
	return out;
}

static void check(const char *text, const char *json)
{
	char *got = read_as_json(text);

	assert_non_null(got);
	assert_string_equal(got, json);
	free(got);
}

static void plain_json_stays_what_it_is(void **state)
{
	check("{\"a\":[1,-2.5e3,true,false,null,\"x\\n\\\"\\u00e9\"],\"b\":{}}",
	      "{\"a\":[1,-2500.0,true,false,null,\"x\\n\\\"é\"],\"b\":{}}");
}

static void comments_mean_nothing(void **state)
{
	check("// 'one\n{ /* \"two */ \"a\" /**/ : 1, // three\n}", "{\"a\":1}");
}

static void trailing_commas_are_fine(void **state)
{
	check("{\"a\":[1,2,],}", "{\"a\":[1,2]}");
}

static void keys_need_no_quotes(void **state)
{
	check("{gateway: {auth /* here */ : {$token_1: true}}, e1: 2e1}",
	      "{\"gateway\":{\"auth\":{\"$token_1\":true}},\"e1\":20.0}");
}

static void single_quotes_quote_too(void **state)
{
	check("{'a': 'it\\'s \"so\" // not a comment'}",
	      "{\"a\":\"it's \\\"so\\\" // not a comment\"}");
}

static void escapes_of_javascript_are_known(void **state)
{
	check("'\\x41\\v\\0\\q\\\n.'", "\"A\\u000B\\u0000q.\"");
}

static void a_mark_at_the_beginning_is_skipped(void **state)
{
	check("\xef\xbb\xbf{a:1}", "{\"a\":1}");
}

static void what_is_broken_is_refused(void **state)
{
	static const char *const broken[] = {"",      "{",     "{a}",      "'a",      "\"a",
	                                     "{a:b}", "/* a",  "// a",     "{a:'b",   "[,]",
	                                     "'\\",   "'\\x",  "{a:1}}",   "'\\u12'", "{\"a\":}",
	                                     "[1 2]", "0x10z", "{a:1 b:2}"};

	for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
		struct error why = {0};

		assert_null(json5_read(text_of(broken[i]), &why));
		assert_true(text_starts(text_of(why.words), TEXT("it is not JSON5")));
	}
}

static const char *env(const char *name)
{
	if (text_is(text_of(name), "TOKEN_1"))
		return "secret";
	return text_is(text_of(name), "EMPTY") ? "" : NULL;
}

static void check_expanded(const char *value, const char *expected)
{
	struct buf out;

	buf_init(&out, 64);
	assert_true(json5_expand(text_of(value), env, &out));
	assert_int_equal(out.len, strlen(expected));
	assert_memory_equal(out.at, expected, out.len);
	buf_finish(&out);
}

static void names_of_the_environment_are_replaced(void **state)
{
	check_expanded("plain", "plain");
	check_expanded("${TOKEN_1}", "secret");
	check_expanded("a-${TOKEN_1}-${TOKEN_1}$", "a-secret-secret$");
	check_expanded("$${TOKEN_1}", "${TOKEN_1}");
	check_expanded("$$ ${lower} ${} ${1A} ${OPEN", "$$ ${lower} ${} ${1A} ${OPEN");
}

static void a_name_that_nobody_knows_is_a_failure(void **state)
{
	struct buf out;

	buf_init(&out, 64);
	assert_false(json5_expand(TEXT("${MISSING}"), env, &out));
	assert_false(json5_expand(TEXT("${EMPTY}"), env, &out));
	buf_finish(&out);
	buf_init(&out, 3);
	assert_false(json5_expand(TEXT("${TOKEN_1}"), env, &out));
	buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_json_stays_what_it_is),
		cmocka_unit_test(comments_mean_nothing),
		cmocka_unit_test(trailing_commas_are_fine),
		cmocka_unit_test(keys_need_no_quotes),
		cmocka_unit_test(single_quotes_quote_too),
		cmocka_unit_test(escapes_of_javascript_are_known),
		cmocka_unit_test(a_mark_at_the_beginning_is_skipped),
		cmocka_unit_test(what_is_broken_is_refused),
		cmocka_unit_test(names_of_the_environment_are_replaced),
		cmocka_unit_test(a_name_that_nobody_knows_is_a_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

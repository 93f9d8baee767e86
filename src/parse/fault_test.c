/* fault_test.c - the words of servers that refuse. */
#include "parse/fault.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/must.h"

static void expect(int status, const char *body, const char *words, const char *code)
{
	struct fault fault;

	fault_read(&fault, status, text_of(body));
	assert_string_equal(fault.words, words);
	assert_string_equal(fault.code, code);
}

static void a_server_is_quoted_wherever_its_words_are(void **state)
{
	expect(401, "{\"error\":{\"message\":\"bad key\",\"type\":\"auth\",\"code\":\"no_key\"}}",
	       "401 Unauthorized: bad key", "no_key");
	expect(529,
	       "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"o\"}}",
	       "529 Overloaded: o", "overloaded_error");
	expect(404, "{\"error\":\"model 'x' not found\"}", "404 Not Found: model 'x' not found",
	       "http_404");
	expect(422, "{\"detail\":\"no\"}", "422 Unprocessable Content: no", "http_422");
	expect(500, "it broke\nand more", "500 Internal Server Error: it broke", "http_500");
}

static void a_server_without_words_is_a_number(void **state)
{
	expect(502, "<html>", "502 Bad Gateway", "http_502");
	expect(599, "", "599", "http_599");
	expect(400, "{\"error\":{\"message\":7,\"code\":7}}", "400 Bad Request", "http_400");
	expect(400, "{\"error\":", "400 Bad Request", "http_400");
	expect(400, "[]", "400 Bad Request", "http_400");
}

static void long_words_are_cut(void **state)
{
	static char body[4096];
	struct fault fault;

	memset(body, 'x', sizeof(body) - 1);
	fault_read(&fault, 503, text_of(body));
	assert_in_range(strlen(fault.words), 200, 300);
}

static void only_a_wrong_credential_is_for_good(void **state)
{
	assert_true(fault_is_for_good(401));
	assert_true(fault_is_for_good(403));
	assert_false(fault_is_for_good(404));
	assert_false(fault_is_for_good(429));
	assert_false(fault_is_for_good(503));
}

static void hide(const char *words, const char *secret, const char *left)
{
	char *copy = must_dup(words);

	fault_hide(copy, secret);
	assert_string_equal(copy, left);
	free(copy);
}

static void a_credential_that_is_quoted_is_hidden(void **state)
{
	hide("bad key-4711, no key-4711!", "key-4711", "bad ********, no ********!");
	hide("it was cut: key-4711-a", "key-4711-and-more", "it was cut: **********");
	hide("key-4711key-4711-", "key-4711", "****************-");
	hide("********!", "********", "********!");
	hide("no model", "a model", "no model");
	hide("no ollama here", "ollama", "no ollama here");
	hide("", "key-4711", "");
	hide("key-4711", NULL, "key-4711");
	fault_hide(NULL, "key-4711");
}

int main(void)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(a_server_is_quoted_wherever_its_words_are),
		cmocka_unit_test(a_server_without_words_is_a_number),
		cmocka_unit_test(long_words_are_cut),
		cmocka_unit_test(a_credential_that_is_quoted_is_hidden),
		cmocka_unit_test(only_a_wrong_credential_is_for_good),
	};

	return cmocka_run_group_tests(all, NULL, NULL);
}

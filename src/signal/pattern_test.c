/* pattern_test.c - JavaScript's regular expressions, and those that would never end. */
#include "signal/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <time.h>

#include <cmocka.h>

#include "base/buf.h"

static int64_t cpu_ms(void)
{
	return (int64_t)clock() * 1000 / CLOCKS_PER_SEC;
}

static bool is_in(const char *pattern, struct text text)
{
	struct pattern *p = pattern_create(text_of(pattern));
	bool yes;

	assert_non_null(p);
	yes = pattern_is_in(p, text);
	assert_int_equal(pattern_is_in(p, text), yes);
	pattern_destroy(p);
	return yes;
}

static void it_is_found_anywhere(void **state)
{
	assert_true(is_in("wor", TEXT("hello world")));
	assert_true(is_in("", TEXT("")));
	assert_true(is_in("", TEXT("x")));
	assert_false(is_in("World", TEXT("hello world")));
	assert_true(is_in("(?:time.?out|refused)", TEXT("connection refused")));
	assert_true(is_in("^h.*d$", TEXT("hello world")));
	assert_true(is_in("^\\d{4}-\\d{2}$", TEXT("2026-11")));
	assert_true(is_in("(\\w)\\1", TEXT("hello")));
	assert_true(is_in("a(?=b)(?!bc)", TEXT("abd")));
}

static void it_is_javascripts_dialect(void **state)
{
	assert_false(is_in("d$", TEXT("d\n")));    /* the very end */
	assert_false(is_in("^b", TEXT("a\nb")));   /* the very start */
	assert_false(is_in("a.b", TEXT("a\nb")));  /* a dot is no new line */
	assert_false(is_in("a.b", TEXT("a\rb")));  /* of either kind */
	assert_true(is_in("a[^]b", TEXT("a\nb"))); /* not nothing */
	assert_false(is_in("[]", TEXT("a]")));     /* nothing */
	assert_true(is_in("\\u00e9", TEXT("caf\xc3\xa9")));
	assert_true(is_in("^\\u{3}$", TEXT("uuu"))); /* without a flag it is only a u */
	assert_true(is_in("^(?:(x)|y)\\1z", TEXT("yz")));
	assert_false(is_in("\\w", TEXT("\xc3\xa9"))); /* \w is of ASCII */
}

static void a_character_is_one_however_many_bytes(void **state)
{
	assert_true(is_in("^.$", TEXT("\xf0\x9f\x9a\x82")));
	assert_true(is_in("^caf\xc3\xa9?$", TEXT("caf")));
	assert_true(is_in("[\xc3\xa0-\xc3\xbf]", TEXT("\xc3\xa9")));
	assert_false(is_in(".", TEXT("\xff\xfe"))); /* not text: nothing is in it */
}

static void a_bad_pattern_is_none(void **state)
{
	static char big[PATTERN_LEN_MAX + 1];

	memset(big, 'x', sizeof(big));
	assert_null(pattern_create(TEXT("(")));
	assert_null(pattern_create(TEXT("*")));
	assert_null(pattern_create(TEXT("[a")));
	assert_null(pattern_create(TEXT("a{2,1}")));
	assert_null(pattern_create(TEXT("\\")));
	assert_null(pattern_create(TEXT("\xff")));
	assert_null(pattern_create(TEXT("\\X{2}")));
	assert_null(pattern_create(TEXT("\\C")));
	assert_null(pattern_create((struct text){big, sizeof(big)}));
	pattern_destroy(NULL);
}

static void a_backslash_before_an_x_is_one(void **state)
{
	assert_true(is_in("\\\\X", TEXT("a\\X")));
}

/* Each of these takes minutes to ages where nobody counts. */
static void no_pattern_is_a_catastrophe(void **state)
{
	static const char *const patterns[] = {
		"(a+)+[xc]",
		"^(a|aa)+$",
		"(a*)*[xc]",
		"a*a*a*a*[xc]",
		"a*[xc]",
		"(?=a*)[xc]",
		"(a*)\\1[xc]",
		"(?:a{100}){100}[xc]",
		"a{60000}[xc]",
		"[^x]{ 60000}[xc]",
		"(?<=a{60000})[xb]",
		"(a?){60}a{60}[xc]",
		"(?:(?:(?:a|b)*)*)*[xc]",
		"((?R)|a)*x",
	};
	static char text[MIB];
	int64_t start = cpu_ms();

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = i % 81 == 80 ? 'b' : 'a';
	text[sizeof(text) - 1] = 'd';
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		struct pattern *p = pattern_create(text_of(patterns[i]));

		assert_true(!p || !pattern_is_in(p, (struct text){text, sizeof(text)}));
		pattern_destroy(p);
	}
	assert_true(cpu_ms() - start < 5000);
}

static void a_plain_search_goes_through_a_long_text(void **state)
{
	static char text[100 * KIB];

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)(i % 7 == 6 ? ' ' : 'a' + (i * i + i / 13) % 26);
	memcpy(text + sizeof(text) - 8, "timeout!", 8);
	assert_true(is_in("timeout", (struct text){text, sizeof(text)}));
	assert_true(is_in("(?:time.?out|refused|denied)!$", (struct text){text, sizeof(text)}));
	assert_true(is_in(".out", (struct text){text, sizeof(text)}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_found_anywhere),
		cmocka_unit_test(it_is_javascripts_dialect),
		cmocka_unit_test(a_character_is_one_however_many_bytes),
		cmocka_unit_test(a_bad_pattern_is_none),
		cmocka_unit_test(a_backslash_before_an_x_is_one),
		cmocka_unit_test(no_pattern_is_a_catastrophe),
		cmocka_unit_test(a_plain_search_goes_through_a_long_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

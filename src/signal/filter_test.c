/* filter_test.c - what passes, and which words are none. */
#include "signal/filter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static struct filter a_filter(const char *type, const char *source, const char *correlation)
{
	struct filter f;

	filter_init(&f);
	if (type)
		assert_true(filter_add_type(&f, text_of(type), NULL));
	if (source)
		assert_true(filter_add_source(&f, text_of(source), NULL));
	if (correlation)
		assert_true(filter_set_correlation(&f, text_of(correlation), NULL));
	return f;
}

static struct signal a_signal(const char *type, const char *source, const char *correlation)
{
	return (struct signal){
		.type = text_of(type),
		.source = text_of(source),
		.correlation = text_of(correlation),
	};
}

static bool passes(const char *type, const char *source, const char *correlation,
                   const struct signal *s)
{
	struct filter f = a_filter(type, source, correlation);
	bool yes = filter_passes(&f, s);

	filter_finish(&f);
	return yes;
}

static void all_conditions_must_hold(void **state)
{
	struct signal s = a_signal("tool_call", "ada", "run-1");

	assert_true(passes(NULL, NULL, NULL, &s));
	assert_true(passes("tool_call", NULL, NULL, &s));
	assert_true(passes("tool_*", "ada", "run-1", &s));
	assert_true(passes("*", NULL, NULL, &s));
	assert_false(passes("tool", NULL, NULL, &s));
	assert_false(passes("tool_call", "bela", NULL, &s));
	assert_false(passes("tool_*", "ada", "run-2", &s));
	assert_false(passes("tool_call_", NULL, NULL, &s));
}

static void words_that_can_never_match_are_refused(void **state)
{
	struct filter f;
	struct error why;
	char big[FILTER_WORD_LEN_MAX + 1];

	memset(big, 'x', sizeof(big));
	filter_init(&f);
	assert_false(filter_add_type(&f, TEXT(""), &why));
	assert_string_equal(why.words, "an empty type matches nothing");
	assert_false(filter_add_source(&f, (struct text){big, sizeof(big)}, &why));
	assert_false(filter_set_correlation(&f, (struct text){"a\0b", 3}, &why));
	for (int i = 0; i < FILTER_WORDS_MAX; i++) {
		char word[8];

		snprintf(word, sizeof(word), "t%d", i);
		assert_true(filter_add_type(&f, text_of(word), &why));
	}
	assert_true(filter_add_type(&f, TEXT("t5"), &why)); /* known already */
	assert_false(filter_add_type(&f, TEXT("one more"), &why));
	filter_finish(&f);
}

static void the_order_of_words_makes_no_other_key(void **state)
{
	struct filter a = a_filter("x", "s", "c"), b = a_filter("y", "s", "c");
	struct buf ka, kb;

	assert_true(filter_add_type(&a, TEXT("y"), NULL));
	assert_true(filter_add_type(&b, TEXT("x"), NULL));
	buf_init(&ka, KIB);
	buf_init(&kb, KIB);
	filter_key(&a, &ka);
	filter_key(&b, &kb);
	assert_true(text_equal(buf_text(&ka), buf_text(&kb)));
	filter_finish(&a);
	filter_finish(&b);
	buf_finish(&ka);
	buf_finish(&kb);
}

static void a_list_is_its_words(void **state)
{
	struct filter f;
	struct error why;

	filter_init(&f);
	assert_true(filter_add_types(&f, TEXT("b,a,b*"), &why));
	assert_int_equal(f.type_count, 3);
	assert_string_equal(f.types[0], "a");
	assert_true(filter_has_pattern(&f));
	assert_true(filter_add_sources(&f, TEXT("s"), &why));
	assert_false(filter_add_types(&f, TEXT(""), &why));
	assert_false(filter_add_types(&f, TEXT("a,"), &why));
	assert_false(filter_add_sources(&f, TEXT("s,,t"), &why));
	filter_finish(&f);
	assert_true(filter_is_all(&f));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_conditions_must_hold),
		cmocka_unit_test(words_that_can_never_match_are_refused),
		cmocka_unit_test(the_order_of_words_makes_no_other_key),
		cmocka_unit_test(a_list_is_its_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

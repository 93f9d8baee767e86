/* near_test.c - suggestions. */
#include "base/near.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void a_slip_is_counted_once(void **state)
{
	assert_int_equal(near_slips(TEXT("listen"), TEXT("listen")), 0);
	assert_int_equal(near_slips(TEXT("lisen"), TEXT("listen")), 1);
	assert_int_equal(near_slips(TEXT("listeen"), TEXT("listen")), 1);
	assert_int_equal(near_slips(TEXT("lixten"), TEXT("listen")), 1);
	assert_int_equal(near_slips(TEXT("litsen"), TEXT("listen")), 1);
	assert_int_equal(near_slips(TEXT(""), TEXT("listen")), 6);
	assert_int_equal(near_slips(TEXT("kitten"), TEXT("sitting")), 3);
}

static void slips_are_the_same_in_both_directions(void **state)
{
	static const char *const words[] = {"", "a", "ab", "ba", "serve", "sevre", "verses"};

	for (unsigned i = 0; i < 7; i++)
		for (unsigned j = 0; j < 7; j++)
			assert_int_equal(near_slips(text_of(words[i]), text_of(words[j])),
			                 near_slips(text_of(words[j]), text_of(words[i])));
}

static const char *best_of(const char *word)
{
	static const char *const names[] = {"serve", "emit", "tail", "status", "token"};
	struct near near;

	near_init(&near, text_of(word));
	for (unsigned i = 0; i < 5; i++)
		near_offer(&near, names[i]);
	return near_best(&near);
}

static void the_nearest_name_is_suggested(void **state)
{
	assert_string_equal(best_of("sevre"), "serve");
	assert_string_equal(best_of("emti"), "emit");
	assert_string_equal(best_of("statsu"), "status");
	assert_string_equal(best_of("tails"), "tail");
}

static void a_name_too_far_away_is_not_suggested(void **state)
{
	assert_null(best_of("frobnicate"));
	assert_null(best_of("tilt"));
	assert_null(best_of("sever"));
	assert_null(best_of("x"));
	assert_null(best_of(""));
}

static void a_very_long_word_is_cut(void **state)
{
	char word[500];

	memset(word, 'x', sizeof(word));
	assert_int_equal(near_slips((struct text){word, sizeof(word)}, TEXT("x")), 47);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slip_is_counted_once),
		cmocka_unit_test(slips_are_the_same_in_both_directions),
		cmocka_unit_test(the_nearest_name_is_suggested),
		cmocka_unit_test(a_name_too_far_away_is_not_suggested),
		cmocka_unit_test(a_very_long_word_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

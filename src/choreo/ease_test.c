/* ease_test.c - both sets of curves, by name. */
#include "choreo/ease.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "choreo/fixture.h"
#include "signal/json.h"

static void a_curve_is_found_by_its_name(void **state)
{
	for (unsigned i = 0; i < EASES; i++)
		assert_int_equal(ease_find(text_of(ease_name((enum ease)i))), i);
	assert_int_equal(ease_find(TEXT("easeInOut")), EASE_IN_OUT);
	assert_int_equal(ease_find(TEXT("bouncy")), EASE_LINEAR);
	assert_int_equal(ease_find(TEXT("")), EASE_LINEAR);
	assert_int_equal(ease_find(TEXT("EASEIN")), EASE_LINEAR);
}

static void assert_near(double got, double wanted)
{
	if (!(fabs(got - wanted) < 1e-12))
		fail_msg("got %.17g, not %.17g", got, wanted);
}

static void every_curve_begins_at_0_and_ends_at_1_but_the_arc(void **state)
{
	for (unsigned i = 0; i < EASES; i++) {
		double end = i == EASE_ARC ? 0 : 1;

		assert_near(ease_step((enum ease)i, 0), 0);
		assert_near(ease_step((enum ease)i, 1), end);
		assert_near(ease_binding((enum ease)i, 0), 0);
		assert_near(ease_binding((enum ease)i, 1), end);
	}
}

static void the_two_sets_differ_where_they_should(void **state)
{
	assert_near(ease_step(EASE_LINEAR, 0.3), 0.3);
	assert_near(ease_step(EASE_IN, 0.3), 0.09);
	assert_near(ease_step(EASE_OUT, 0.3), 0.51);
	assert_near(ease_step(EASE_IN_OUT, 0.25), 0.0625);
	assert_near(ease_step(EASE_IN_OUT, 0.75), 0.9375);
	assert_near(ease_step(EASE_ARC, 0.25), 0.75);
	assert_near(ease_binding(EASE_LINEAR, 0.3), 0.3);
	assert_near(ease_binding(EASE_IN, 0.3), 0.09);
	assert_near(ease_binding(EASE_OUT, 0.3), 0.51);
	assert_near(ease_binding(EASE_IN_OUT, 0.25), 0.125);
	assert_near(ease_binding(EASE_IN_OUT, 0.75), 0.875);
	assert_near(ease_binding(EASE_ARC, 0.25), sqrt(0.5));
	assert_near(ease_binding(EASE_ARC, 0.5), 1);
}

static void steps_go_as_the_vectors_say(void **state)
{
	yyjson_doc *doc = vectors_read("easing.json");
	yyjson_obj_iter at = yyjson_obj_iter_with(yyjson_doc_get_root(doc));
	yyjson_val *name;
	unsigned count = 0;

	while ((name = yyjson_obj_iter_next(&at))) {
		yyjson_arr_iter points = yyjson_arr_iter_with(yyjson_obj_iter_get_val(name));
		yyjson_val *point;

		while ((point = yyjson_arr_iter_next(&points))) {
			double t, wanted, got;

			assert_true(json_number(yyjson_arr_get(point, 0), &t));
			assert_true(json_number(yyjson_arr_get(point, 1), &wanted));
			got = ease_step(ease_find(json_text(name)), t);
			if (got != wanted)
				fail_msg("%s %.17g: %.17g, not %.17g", yyjson_get_str(name), t, got,
				         wanted);
			count++;
		}
	}
	assert_true(count >= 45);
	yyjson_doc_free(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_curve_is_found_by_its_name),
		cmocka_unit_test(every_curve_begins_at_0_and_ends_at_1_but_the_arc),
		cmocka_unit_test(the_two_sets_differ_where_they_should),
		cmocka_unit_test(steps_go_as_the_vectors_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* scope_test.c - the names of the scopes. */
#include "base/scope.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void a_list_of_names_becomes_bits(void **state)
{
	unsigned scopes;

	assert_true(scope_parse(TEXT("observe"), &scopes, NULL));
	assert_int_equal(scopes, SCOPE_OBSERVE);
	assert_true(scope_parse(TEXT(" observe, emit "), &scopes, NULL));
	assert_int_equal(scopes, SCOPE_OBSERVE | SCOPE_EMIT);
	assert_true(scope_parse(TEXT("none"), &scopes, NULL));
	assert_int_equal(scopes, 0);
	assert_true(scope_parse(TEXT("all"), &scopes, NULL));
	assert_int_equal(scopes, SCOPE_ALL);
}

static void a_wrong_list_changes_nothing(void **state)
{
	static const char *const lists[] = {"", "observ", "observe,", "observe,none", "OBSERVE"};
	struct error why;

	for (unsigned i = 0; i < 5; i++) {
		unsigned scopes = 99;

		assert_false(scope_parse(text_of(lists[i]), &scopes, &why));
		assert_int_equal(scopes, 99);
	}
}

static void each_scope_has_its_name(void **state)
{
	assert_string_equal(scope_name(SCOPE_OBSERVE), "observe");
	assert_string_equal(scope_name(SCOPE_ADMIN), "admin");
	assert_null(scope_name(SCOPE_ALL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_of_names_becomes_bits),
		cmocka_unit_test(a_wrong_list_changes_nothing),
		cmocka_unit_test(each_scope_has_its_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

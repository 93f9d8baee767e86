/* kind_test.c - every well-known name is its kind, and nothing else is. */
#include "signal/kind.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void every_name_is_its_kind(void **state)
{
	for (enum signal_kind kind = KIND_OTHER + 1; kind < KIND_COUNT; kind++)
		assert_int_equal(kind_of(text_of(kind_name(kind))), kind);
	assert_int_equal(kind_of(TEXT("tool_call")), KIND_TOOL_CALL);
	assert_int_equal(kind_of(TEXT("user.point")), KIND_USER_POINT);
	assert_string_equal(kind_name(KIND_OTHER), "");
}

static void a_name_that_is_nearly_one_is_another(void **state)
{
	char name[32];

	for (enum signal_kind kind = KIND_OTHER + 1; kind < KIND_COUNT; kind++) {
		size_t len = strlen(kind_name(kind));

		for (size_t i = 0; i < len; i++) {
			memcpy(name, kind_name(kind), len);
			name[i] ^= 1;
			assert_int_equal(kind_of((struct text){name, len}), KIND_OTHER);
			name[i] ^= 1;
			assert_int_equal(kind_of((struct text){name, i}), KIND_OTHER);
		}
	}
	assert_int_equal(kind_of(TEXT("")), KIND_OTHER);
	assert_int_equal(kind_of((struct text){NULL, 0}), KIND_OTHER);
	assert_int_equal(kind_of(TEXT("event")), KIND_OTHER);
	assert_int_equal(kind_of(TEXT("\xFF\xFE")), KIND_OTHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_name_is_its_kind),
		cmocka_unit_test(a_name_that_is_nearly_one_is_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

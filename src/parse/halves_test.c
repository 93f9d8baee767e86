/* halves_test.c - torn characters, and what looks like them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "parse/halves.h"

static struct halves h;

static void begin(void)
{
	h = (struct halves){0};
	buf_init(&h.out, KIB);
}

static void check(const char *event, const char *expected)
{
	struct text got = halves_join(&h, text_of(event));

	assert_int_equal(got.len, strlen(expected));
	assert_memory_equal(got.at, expected, got.len);
}

static void both_kinds_of_halves_are_joined(void **state)
{
	begin();
	check("{\"text\":\"a\\ud83d\"}", "{\"text\":\"a\"}");
	check("{\"text\":\"\\ude00b\"}", "{\"text\":\"\\ud83d\\ude00b\"}");
	check("{ \"text\" : \"\xE2\" }", "{ \"text\" : \"\" }");
	check("{\"text\":\"\x82\"}", "{\"text\":\"\"}");
	check("{\"text\":\"\xAC!\"}", "{\"text\":\"\xE2\x82\xAC!\"}");
	buf_finish(&h.out);
}

static void whole_characters_stay_as_they_are(void **state)
{
	begin();
	check("{\"text\":\"\\ud83d\\ude00\"}", "{\"text\":\"\\ud83d\\ude00\"}");
	check("{\"text\":\"\\\\ud83d\"}", "{\"text\":\"\\\\ud83d\"}");
	check("{\"name\":\"\\ud83d\"}", "{\"name\":\"\\ud83d\"}");
	check("{\"text\":\"\\ude00\"}", "{\"text\":\"\\ude00\"}");
	check("\"\\ud83d", "\"\\ud83d");
	check("{\"text\":\"é\"}", "{\"text\":\"é\"}");
	buf_finish(&h.out);
}

static void a_half_waits_for_its_own_member_and_index(void **state)
{
	begin();
	check("{\"index\":10,\"text\":\"\\ud83d\"}", "{\"index\":10,\"text\":\"\"}");
	check("{\"index\":1,\"text\":\"b\"}", "{\"index\":1,\"text\":\"b\"}");
	check("{\"index\":10,\"thinking\":\"c\"}", "{\"index\":10,\"thinking\":\"c\"}");
	check("{\"index\":10,\"text\":\"\"}", "{\"index\":10,\"text\":\"\"}");
	check("{\"index\":10,\"text\":\"\\ude00\"}", "{\"index\":10,\"text\":\"\\ud83d\\ude00\"}");
	buf_finish(&h.out);
}

static void a_half_without_the_other_is_shown_as_one(void **state)
{
	begin();
	check("{\"text\":\"\\ud83d\"}", "{\"text\":\"\"}");
	check("{\"text\":\"b\"}", "{\"text\":\"\\ufffdb\"}");
	check("{\"text\":\"c\"}", "{\"text\":\"c\"}");
	buf_finish(&h.out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_kinds_of_halves_are_joined),
		cmocka_unit_test(whole_characters_stay_as_they_are),
		cmocka_unit_test(a_half_waits_for_its_own_member_and_index),
		cmocka_unit_test(a_half_without_the_other_is_shown_as_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

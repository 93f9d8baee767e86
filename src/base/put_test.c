/* put_test.c - what is written is JSON, with a comma wherever one belongs. */
#include "base/put.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct buf out;

static int start(void **state)
{
	buf_init(&out, KIB);
	return 0;
}

static int stop(void **state)
{
	buf_finish(&out);
	return 0;
}

static void members_of_every_kind_stand_behind_commas(void **state)
{
	put_object(&out, NULL);
	put_word(&out, "a", "x{");
	put_text(&out, "b", TEXT("\"\n"));
	put_u64(&out, "c", UINT64_MAX);
	put_i64(&out, "d", INT64_MIN);
	put_bool(&out, "e", true);
	put_bool(&out, "f", false);
	put_word(&out, "g", NULL);
	put_json(&out, "h", TEXT("[1]"));
	put_key(&out, "i");
	buf_add_char(&out, '7');
	put_object(&out, "j");
	put_end(&out);
	put_end(&out);
	assert_true(text_is(buf_text(&out),
	                    "{\"a\":\"x{\",\"b\":\"\\\"\\n\",\"c\":18446744073709551615,"
	                    "\"d\":-9223372036854775808,\"e\":true,\"f\":false,\"g\":null,"
	                    "\"h\":[1],\"i\":7,\"j\":{}}"));
}

static void items_have_no_keys(void **state)
{
	put_list(&out, NULL);
	for (unsigned i = 0; i < 2; i++) {
		put_object(&out, NULL);
		put_list(&out, "l");
		put_u64(&out, NULL, i);
		put_word(&out, NULL, "");
		put_list_end(&out);
		put_end(&out);
	}
	put_list_end(&out);
	assert_true(text_is(buf_text(&out), "[{\"l\":[0,\"\"]},{\"l\":[1,\"\"]}]"));
}

static void a_comma_that_is_there_is_enough(void **state)
{
	buf_add(&out, TEXT("data: "));
	put_object(&out, NULL);
	put_u64(&out, "a", 1);
	buf_add_char(&out, ',');
	put_u64(&out, "b", 2);
	put_end(&out);
	buf_add_char(&out, '\n');
	put_object(&out, NULL);
	put_end(&out);
	assert_true(text_is(buf_text(&out), "data: {\"a\":1,\"b\":2}\n{}"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(members_of_every_kind_stand_behind_commas),
		TEST(items_have_no_keys),
		TEST(a_comma_that_is_there_is_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

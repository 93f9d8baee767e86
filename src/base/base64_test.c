/* base64_test.c - the vectors of RFC 4648, and what is none. */
#include "base/base64.h"

#include "base/fixture.h"

static struct buf out;

static const struct {
	const char *bytes, *text;
} vectors[] = {
	{"", ""},
	{"f", "Zg=="},
	{"fo", "Zm8="},
	{"foo", "Zm9v"},
	{"foob", "Zm9vYg=="},
	{"fooba", "Zm9vYmE="},
	{"foobar", "Zm9vYmFy"},
	{"\xff\xef\xbf", "/++/"},
};

static int set_up(void **state)
{
	buf_init(&out, KIB);
	return 0;
}

static int take_down(void **state)
{
	buf_finish(&out);
	return 0;
}

static void assert_out(const char *expected)
{
	assert_int_equal(out.len, strlen(expected));
	if (out.len)
		assert_memory_equal(out.at, expected, out.len);
	buf_clear(&out);
}

static void bytes_are_written_and_read(void **state)
{
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		base64_add(&out, text_of(vectors[i].bytes));
		assert_out(vectors[i].text);
		assert_true(base64_read(text_of(vectors[i].text), &out));
		assert_out(vectors[i].bytes);
	}
}

static void something_else_is_refused(void **state)
{
	static const char *const bad[] = {
		"Z",    "Zg",   "Zg=",    "Zg==Zg==", "Zh==", "Zm9=",
		"Z===", "====", "Zm9v\n", "Zm-_",     "Zm9 ", "\xff\xff\xff\xff"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		buf_add(&out, TEXT("kept"));
		assert_false(base64_read(text_of(bad[i]), &out));
		assert_out("kept");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(bytes_are_written_and_read, set_up, take_down),
		cmocka_unit_test_setup_teardown(something_else_is_refused, set_up, take_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

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

/* Characters by escapes and by bytes, and what looks like escapes; each may be torn behind any
 * byte of UTF-8 and between the escapes of a pair. */
static void a_text_is_whole_again_however_it_was_torn(void **state)
{
	static const char *const units[] = {
		"\\ud83d", "\\ude00", "\\uD83D", "\\uDE00", "a",    "\\n",    "\\\\",       "ud83d",
		"\xE2",    "\x82",    "\xAC",    "\\u00e9", "\\\"", "\\\\ud", "0123456789",
	};
	static const unsigned texts[][4] = {{0, 1, 4, 4},  {2, 3, 5, 6},  {8, 9, 10, 4},
	                                    {6, 7, 12, 4}, {13, 4, 0, 1}, {11, 8, 9, 10},
	                                    {14, 2, 1, 6}, {4, 14, 14, 5}};
	struct buf whole, joined, event;
	unsigned random = 1;

	buf_init(&whole, KIB);
	buf_init(&joined, KIB);
	buf_init(&event, KIB);
	for (unsigned round = 0; round < 20000; round++) {
		const unsigned *text = texts[round % 8];

		begin();
		buf_clear(&whole);
		buf_clear(&joined);
		for (unsigned i = 0; i < 4;) {
			struct text got;

			buf_clear(&event);
			buf_add(&event, TEXT("{\"text\":\""));
			do {
				buf_add(&event, text_of(units[text[i]]));
				buf_add(&whole, text_of(units[text[i++]]));
				random = random * 1103515245 + 12345;
			} while (i < 4 && random >> 31);
			buf_add(&event, TEXT("\"}"));
			got = halves_join(&h, buf_text(&event));
			buf_add(&joined, (struct text){got.at + 9, got.len - 11});
		}
		assert_int_equal(joined.len, whole.len);
		assert_memory_equal(joined.at, whole.at, whole.len);
		buf_finish(&h.out);
	}
	buf_finish(&whole);
	buf_finish(&joined);
	buf_finish(&event);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_kinds_of_halves_are_joined),
		cmocka_unit_test(whole_characters_stay_as_they_are),
		cmocka_unit_test(a_half_waits_for_its_own_member_and_index),
		cmocka_unit_test(a_half_without_the_other_is_shown_as_one),
		cmocka_unit_test(a_text_is_whole_again_however_it_was_torn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* strip_test.c - frames for several screens, against a list of all that were ever added. */
#include "hub/strip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static void put(struct strip *s, uint64_t place, const char *json)
{
	struct strip_frame frame = {.place = place, .number = place * 10, .is_numbered = true};

	strip_add(s, &frame, text_of(json));
}

static struct stretch taken(const struct strip *s, uint64_t place)
{
	struct stretch out;

	assert_true(strip_from(s, place, &out));
	return out;
}

static void assert_bytes(struct text bytes, const char *expected, size_t len)
{
	assert_int_equal(bytes.len, len);
	assert_memory_equal(bytes.at, expected, len);
}

static void who_stands_in_a_hole_gets_what_follows(void **state)
{
	struct strip s;

	strip_init(&s, KIB, 5);
	put(&s, 5, "a");
	put(&s, 9, "bb");
	assert_bytes(taken(&s, 5).bytes,
	             "\x81\x01"
	             "a"
	             "\x81\x02"
	             "bb",
	             7);
	assert_bytes(taken(&s, 6).bytes,
	             "\x81\x02"
	             "bb",
	             4);
	assert_bytes(taken(&s, 9).bytes,
	             "\x81\x02"
	             "bb",
	             4);
	assert_int_equal(taken(&s, 10).bytes.len, 0);
	assert_int_equal(taken(&s, 6).number, 90);
	assert_false(taken(&s, 10).has_number);
	strip_finish(&s);
}

static void what_was_before_it_is_not_on_it(void **state)
{
	struct stretch out;
	struct strip s;

	strip_init(&s, KIB, 5);
	assert_false(strip_from(&s, 4, &out));
	assert_true(strip_from(&s, 5, &out));
	assert_int_equal(out.bytes.len, 0);
	put(&s, 7, "a");
	assert_false(strip_from(&s, 4, &out));
	strip_drop_before(&s, 8);
	assert_false(strip_from(&s, 7, &out));
	assert_true(strip_from(&s, 8, &out));
	strip_finish(&s);
}

static void a_frame_without_a_number_hides_none(void **state)
{
	struct strip_frame end = {.place = 2, .is_end = true};
	struct strip s;

	strip_init(&s, KIB, 0);
	put(&s, 1, "a");
	strip_add(&s, &end, TEXT("end"));
	assert_int_equal(taken(&s, 1).number, 10);
	assert_true(taken(&s, 1).has_end);
	assert_true(taken(&s, 2).has_end);
	assert_false(taken(&s, 2).has_number);
	put(&s, 3, "b");
	assert_false(taken(&s, 3).has_end);
	strip_finish(&s);
}

static void a_frame_too_long_for_it_is_left_to_others(void **state)
{
	char big[200];
	struct stretch out;
	struct strip s;

	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = 0;
	strip_init(&s, 128, 0);
	put(&s, 1, "a");
	put(&s, 2, big);
	assert_false(strip_from(&s, 2, &out));
	assert_int_equal(taken(&s, 3).bytes.len, 0);
	put(&s, 3, "c");
	assert_bytes(taken(&s, 3).bytes,
	             "\x81\x01"
	             "c",
	             3);
	strip_finish(&s);
}

/* Whatever is dropped: from a place on it has all that was added, or says that it has not. */
static void it_is_whole_or_says_so(void **state)
{
	enum { FRAMES = 3000 };
	static size_t ends[FRAMES + 1];
	struct stretch out;
	struct strip s;
	struct buf all;
	unsigned chance = 7, whole = 0;

	buf_init(&all, MIB);
	strip_init(&s, 700, 0);
	for (uint64_t place = 0; place < FRAMES; place++) {
		char json[400];

		chance = chance * 1103515245u + 12345u;
		snprintf(json, sizeof(json), "%0*u", (int)(chance >> 16) % 120 + 1, chance);
		json[120] = 0; /* one length of header */
		put(&s, place, json);
		buf_add(&all, (struct text){(char[]){(char)0x81, (char)strlen(json)}, 2});
		buf_add(&all, text_of(json));
		ends[place + 1] = all.len;
		if (chance % 11 == 0)
			strip_drop_before(&s, place - chance % 3 * (place > 2));
		assert_true(s.bytes.len <= s.bytes.max);
		for (uint64_t from = place > 20 ? place - 20 : 0; from <= place; from++)
			if (strip_from(&s, from, &out)) {
				whole++;
				assert_bytes(out.bytes, all.at + ends[from], all.len - ends[from]);
			}
	}
	assert_true(whole > FRAMES);
	strip_finish(&s);
	buf_finish(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_stands_in_a_hole_gets_what_follows),
		cmocka_unit_test(what_was_before_it_is_not_on_it),
		cmocka_unit_test(a_frame_without_a_number_hides_none),
		cmocka_unit_test(a_frame_too_long_for_it_is_left_to_others),
		cmocka_unit_test(it_is_whole_or_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

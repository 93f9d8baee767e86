/* small_test.c - the small things of base: errors, lists, random names, clocks. */
#include <ctype.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/hex.h"
#include "base/list.h"
#include "base/must.h"
#include "base/random.h"
#include "base/text.h"

static void an_error_is_false_and_has_words(void **state)
{
	struct error why;

	assert_false(error_set(&why, "port %d is taken", 80));
	assert_string_equal(why.words, "port 80 is taken");
	assert_false(error_within(&why, "listen"));
	assert_string_equal(why.words, "listen: port 80 is taken");
	errno = ENOENT;
	assert_false(error_errno(&why, "%s", "x"));
	assert_string_equal(why.words, "x: No such file or directory");
}

static void what_may_pass_is_told_from_what_stays(void **state)
{
	struct error why;

	errno = EIO;
	error_errno(&why, "x");
	assert_true(error_is_passing(&why));
	error_within(&why, "y");
	assert_true(error_is_passing(&why));
	error_set(&why, "z");
	assert_false(error_is_passing(&why));
	errno = EACCES;
	error_errno(&why, "x");
	assert_false(error_is_passing(&why));
}

static void nobody_has_to_want_to_know(void **state)
{
	assert_false(error_set(NULL, "x"));
	assert_false(error_errno(NULL, "x"));
	assert_false(error_within(NULL, "x"));
}

static void long_words_are_cut_and_end(void **state)
{
	char words[1000];
	struct error why;

	memset(words, 'w', sizeof(words) - 1);
	words[sizeof(words) - 1] = '\0';
	error_set(&why, "%s", words);
	assert_int_equal(strlen(why.words), sizeof(why.words) - 1);
	error_within(&why, "%s", words);
	assert_true(strlen(why.words) < sizeof(why.words));
	errno = EIO;
	error_errno(&why, "%s", words);
	assert_non_null(strstr(why.words, strerror(EIO)));
}

struct thing {
	int number;
	struct link in_list;
};

static void a_list_keeps_order_and_lets_go_of_the_current_one(void **state)
{
	struct thing things[3] = {{1}, {2}, {3}};
	struct link head;
	int seen = 0;

	list_init(&head);
	assert_true(list_is_empty(&head));
	for (int i = 0; i < 3; i++)
		list_add(&head, &things[i].in_list);
	list_each(&head, l) {
		seen = seen * 10 + list_of(l, struct thing, in_list)->number;
		list_remove(l);
	}
	assert_int_equal(seen, 123);
	assert_true(list_is_empty(&head));
	list_remove(&things[0].in_list);
}

static void memory_is_there(void **state)
{
	char *words = must_print("%d %s", 1, "x"), *copy = must_dup(words);
	int *zeroes = must_zero(3, sizeof(int));
	char *none = must_alloc(0);

	assert_string_equal(copy, "1 x");
	assert_null(must_dup(NULL));
	assert_int_equal(zeroes[0] | zeroes[1] | zeroes[2], 0);
	none = must_grow(none, 100);
	none[99] = 'x';
	free(none);
	free(zeroes);
	free(copy);
	free(words);
}

static void a_uuid_is_of_version_four_and_new_each_time(void **state)
{
	char was[RANDOM_UUID_LEN] = "", now[RANDOM_UUID_LEN + 1] = "";

	for (int i = 0; i < 1000; i++) {
		random_uuid(now);
		assert_int_not_equal(memcmp(was, now, RANDOM_UUID_LEN), 0);
		assert_int_equal(strspn(now, "0123456789abcdef-"), RANDOM_UUID_LEN);
		assert_true(now[8] == '-' && now[13] == '-' && now[18] == '-' && now[23] == '-');
		assert_int_equal(now[14], '4');
		assert_non_null(strchr("89ab", now[19]));
		memcpy(was, now, RANDOM_UUID_LEN);
	}
}

static void random_hex_is_two_digits_a_byte(void **state)
{
	char out[65];

	memset(out, 'x', sizeof(out));
	random_hex(out, 32);
	assert_int_equal(strlen(out), 64);
	assert_int_equal(strspn(out, "0123456789abcdef"), 64);
}

static void bytes_become_hexadecimal_and_bytes_again(void **state)
{
	const unsigned char bytes[] = {0x00, 0x0f, 0xa5, 0xff};
	unsigned char back[4] = {1, 1, 1, 1};
	char hex[9];
	bool read;

	hex_write(hex, bytes, sizeof(bytes));
	assert_string_equal(hex, "000fa5ff");
	read = hex_read(TEXT("000FA5ff"), back, sizeof(back));
	assert_true(read);
	assert_memory_equal(back, bytes, sizeof(bytes));
	for (size_t i = 0; i < 4; i++) {
		static const char *const wrong[] = {"000fa5f", "000fa5ff0", "000fa5fg", "000fa5f "};

		read = hex_read(text_of(wrong[i]), back, sizeof(back));
		assert_false(read);
	}
	for (int c = 0; c < 256; c++)
		assert_int_equal(hex_digit((char)c) >= 0, isxdigit(c) != 0);
}

static void the_clocks_tell_time(void **state)
{
	uint64_t before = clock_mono_ns();

	assert_true(clock_mono_ns() >= before);
	assert_true(clock_wall_ms() > 1600000000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_error_is_false_and_has_words),
		cmocka_unit_test(what_may_pass_is_told_from_what_stays),
		cmocka_unit_test(nobody_has_to_want_to_know),
		cmocka_unit_test(long_words_are_cut_and_end),
		cmocka_unit_test(a_list_keeps_order_and_lets_go_of_the_current_one),
		cmocka_unit_test(memory_is_there),
		cmocka_unit_test(a_uuid_is_of_version_four_and_new_each_time),
		cmocka_unit_test(random_hex_is_two_digits_a_byte),
		cmocka_unit_test(bytes_become_hexadecimal_and_bytes_again),
		cmocka_unit_test(the_clocks_tell_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

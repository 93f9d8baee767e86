/* flow_test.c - what is shown stays, and nothing is lost. */
#include "deliver/flow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct buf all, last, message;

/* Shows a text that comes in steps of so many bytes, as messages of so many characters: each
 * begins as it was shown before, and all of them are in `all`, with a bar between two. */
static unsigned run(struct text text, size_t step, size_t max)
{
	struct flow f;
	unsigned count = 1;
	size_t have = 0;
	bool ended;

	flow_init(&f, &(struct chunk_limit){CHUNK_POINTS, max, 0});
	buf_clear(&all);
	buf_clear(&last);
	do {
		ended = false;
		have = have + step < text.len ? have + step : text.len;
		flow_show(&f, (struct text){text.at, have}, have == text.len);
		buf_clear(&message);
		flow_put(&f, (struct text){text.at, have}, &message);
		assert_true(text_starts(buf_text(&message), buf_text(&last)));
		assert_true(chunk_length(CHUNK_POINTS, buf_text(&message)) <= max);
		buf_clear(&last);
		buf_add(&last, buf_text(&message));
		if (f.is_full) {
			buf_add(&all, buf_text(&message));
			buf_add_char(&all, '|');
			buf_clear(&last);
			flow_next(&f, (struct text){text.at, have});
			ended = true;
			assert_true(++count < 1000);
		}
	} while (have < text.len || ended);
	buf_add(&all, buf_text(&last));
	flow_finish(&f);
	return count;
}

static void assert_all(const char *want)
{
	buf_add_char(&all, '\0');
	assert_string_equal(all.at, want);
}

static void test_words(void **state)
{
	struct flow f;
	struct text text = TEXT("one two thr");

	flow_init(&f, &(struct chunk_limit){CHUNK_POINTS, 100, 0});
	flow_show(&f, text, false);
	assert_int_equal(f.shown, 7);
	flow_show(&f, TEXT("one two three "), false);
	assert_int_equal(f.shown, 13);
	flow_show(&f, TEXT("one two three four"), true);
	assert_int_equal(f.shown, 18);
	flow_finish(&f);
}

static void test_tokens_for_the_box(void **state)
{
	assert_int_equal(run(TEXT("all is well HEARTBEAT_OK\n"), 1, 100), 1);
	assert_all("all is well");
	run(TEXT("it says NO_REPLY to me"), 1, 100);
	assert_all("it says NO_REPLY to me");
}

static void test_ends(void **state)
{
	assert_int_equal(run(TEXT("aaaa bbbb cccc dddd eeee ffff gggg hhhh"), 1, 40), 2);
	assert_all("aaaa bbbb cccc dddd eeee|ffff gggg hhhh");
	/* Nearly full: behind a paragraph. */
	run(TEXT("aaaa bbbb cccc dddd\n\neeee ffff"), 1, 41);
	assert_all("aaaa bbbb cccc dddd|eeee ffff");
	/* A word that is too long is parted. */
	run(TEXT("0123456789012345678901234567890123456789"), 1, 48);
	assert_all("01234567890123456789012345678901|23456789");
}

static void test_code(void **state)
{
	run(TEXT("```c\none two three four five six\nseven eight nine ten\n```\nend"), 1, 64);
	assert_all("```c\none two three four five six\nseven eight\n```|```c\nnine ten\n```\nend");
}

/* However it comes, no letter is lost. */
static void test_generated(void **state)
{
	static const char *const parts[] = {"word ",
	                                    "x",
	                                    "\n\n",
	                                    "\n",
	                                    " ",
	                                    "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x92\xBB",
	                                    "\xE4\xB8\xAD\xE6\x96\x87"};
	uint32_t seed = 7;
	struct buf text;

	buf_init(&text, MIB);
	for (unsigned round = 0; round < 2000; round++) {
		size_t in = 0, out = 0;

		buf_clear(&text);
		for (unsigned i = 0; i < 60; i++) {
			seed = seed * 1664525 + 1013904223;
			buf_add(&text, text_of(parts[(seed >> 16) % 7]));
		}
		run(buf_text(&text), 1 + round % 9, 60 + round % 40);
		for (size_t i = 0; i < text.len; i++)
			in += (unsigned char)text.at[i] > ' ';
		for (size_t i = 0; i < all.len; i++)
			out += (unsigned char)all.at[i] > ' ' && all.at[i] != '|';
		assert_int_equal(in, out);
	}
	buf_finish(&text);
}

static int set_up(void **state)
{
	buf_init(&all, MIB);
	buf_init(&last, MIB);
	buf_init(&message, MIB);
	return 0;
}

static int tear_down(void **state)
{
	buf_finish(&all);
	buf_finish(&last);
	buf_finish(&message);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),     cmocka_unit_test(test_tokens_for_the_box),
		cmocka_unit_test(test_ends),      cmocka_unit_test(test_code),
		cmocka_unit_test(test_generated),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

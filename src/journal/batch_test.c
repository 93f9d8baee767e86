/* batch_test.c - heads of batches: written, read again, and told from everything else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/crc32c.h"
#include "journal/batch.h"
#include "signal/position.h"

static const struct index_entry examples[] = {
	{.first = 1, .last = 1, .length = 1, .crc = 0, .kind = ENTRY_LINES},
	{.first = 184201, .last = 184260, .length = 6400, .crc = 0x9f3a12cd, .kind = ENTRY_LINES},
	{.first = 790, .last = 812, .length = 300, .crc = 7, .kind = ENTRY_GAP, .place = 3},
	{.first = 5, .last = 5, .length = 99, .crc = 0xffffffff, .kind = ENTRY_FORGOTTEN},
	{.first = SEGMENT_SEQ_MAX - 1,
         .last = SEGMENT_SEQ_MAX - 1,
         .length = BATCH_BYTES_MAX,
         .crc = 1,
         .kind = ENTRY_FORGOTTEN,
         .place = UINT16_MAX},
};

#define EXAMPLES (sizeof examples / sizeof *examples)

static void a_head_is_read_as_it_was_written(void **state)
{
	for (size_t i = 0; i < EXAMPLES; i++) {
		char head[BATCH_HEAD_MAX];
		size_t len = batch_head_write(head, &examples[i]);
		struct index_entry e;

		assert_int_equal(head[len - 1], '\n');
		assert_int_equal(batch_head_length(&examples[i]), len);
		assert_true(batch_head_read((struct text){head, len - 1}, &e));
		assert_memory_equal(&e, &examples[i], sizeof e);
	}
}

static void a_head_has_the_form_that_the_manual_tells(void **state)
{
	char head[BATCH_HEAD_MAX];
	size_t len = batch_head_write(head, &examples[2]);
	struct text start = TEXT("{\"commit\":812,\"first\":790,\"bytes\":300,\"part\":3,"
	                         "\"kind\":\"gap\",\"crc32c\":\"00000007\",\"check\":\"");

	assert_true(text_starts((struct text){head, len}, start));
	assert_int_equal(len, start.len + 11);
}

/* Whatever byte of it changes, and wherever it ends, it is no head. */
static void a_damaged_head_is_none(void **state)
{
	for (size_t i = 0; i < EXAMPLES; i++) {
		char head[BATCH_HEAD_MAX];
		size_t len = batch_head_write(head, &examples[i]) - 1;
		struct index_entry e;

		for (size_t at = 0; at < len; at++) {
			for (int bit = 0; bit < 8; bit++) {
				head[at] ^= (char)(1 << bit);
				assert_false(batch_head_read((struct text){head, len}, &e));
				head[at] ^= (char)(1 << bit);
			}
			assert_false(batch_head_read((struct text){head, at}, &e));
		}
	}
}

/* Else there would be no seq behind it. */
static void a_head_with_the_last_of_all_seqs_is_none(void **state)
{
	struct index_entry e = {.first = 1, .last = SEQ_MAX - 1, .length = 9, .kind = ENTRY_GAP};
	char head[BATCH_HEAD_MAX];
	size_t len = batch_head_write(head, &e);

	assert_false(batch_head_read((struct text){head, len - 1}, &e));
}

static void a_head_is_found_where_it_stands(void **state)
{
	char head[BATCH_HEAD_MAX];
	size_t len = batch_head_write(head, &examples[1]), at;
	struct index_entry e;
	struct buf bytes;

	buf_init(&bytes, KIB);
	buf_add(&bytes, (struct text){head, len});
	assert_true(batch_find_head(buf_text(&bytes), true, &e, &at));
	assert_int_equal(at, 0);
	assert_false(batch_find_head(buf_text(&bytes), false, &e, &at)); /* of a line's middle */
	buf_add(&bytes, TEXT("{\"seq\":184201}\n"));
	buf_add(&bytes, (struct text){head, len - 1});
	assert_false(batch_find_head(buf_text(&bytes), false, &e, &at)); /* its end is not there */
	buf_add_char(&bytes, '\n');
	assert_true(batch_find_head(buf_text(&bytes), false, &e, &at));
	assert_int_equal(at, len + 15);
	assert_int_equal(e.last, 184260);
	buf_finish(&bytes);
	assert_false(batch_find_head(TEXT(""), true, &e, &at));
	assert_false(batch_find_head(TEXT(""), false, &e, &at));
}

static void a_title_says_what_follows(void **state)
{
	char title[BATCH_HEAD_MAX];
	size_t len = batch_write_title(title, 184201), length;

	assert_true(text_starts((struct text){title, len},
	                        TEXT("{\"journal\":2,\"segment\":184201,\"check\":\"")));
	assert_int_equal(batch_read_title((struct text){title, len}, &length), TITLE_OURS);
	assert_int_equal(length, len);
	assert_int_equal(batch_read_title((struct text){title, len - 1}, &length), TITLE_NONE);
	assert_int_equal(length, 0);
	for (size_t at = 0; at < len - 1; at++) { /* a flipped bit makes nothing newer */
		title[at] ^= 1;
		assert_int_equal(batch_read_title((struct text){title, len}, &length), TITLE_NONE);
		title[at] ^= 1;
	}
	len = (size_t)snprintf(title, sizeof title, "{\"journal\":3,\"x\":1");
	snprintf(title + len, sizeof title - len, ",\"check\":\"%08x\"}\n",
	         (unsigned)crc32c(0, title, len));
	assert_int_equal(batch_read_title(text_of(title), &length), TITLE_NEWER);
	assert_int_equal(batch_read_title(TEXT("{\"seq\":1}\n"), &length), TITLE_NONE);
	assert_int_equal(batch_read_title(TEXT(""), &length), TITLE_NONE);
}

static void what_was_filled_ahead_is_blank(void **state)
{
	assert_true(batch_is_blank(TEXT("")));
	assert_true(batch_is_blank((struct text){"\n\0\n", 3}));
	assert_false(batch_is_blank(TEXT("\n \n")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_head_is_read_as_it_was_written),
		cmocka_unit_test(a_head_has_the_form_that_the_manual_tells),
		cmocka_unit_test(a_damaged_head_is_none),
		cmocka_unit_test(a_head_with_the_last_of_all_seqs_is_none),
		cmocka_unit_test(a_head_is_found_where_it_stands),
		cmocka_unit_test(a_title_says_what_follows),
		cmocka_unit_test(what_was_filled_ahead_is_blank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

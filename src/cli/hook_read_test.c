/* hook_read_test.c - when a JSON text is whole. */
#include "cli/hook_read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const texts[] = {
	"{}",
	"[1,{\"a\":[]}]",
	" \n{\"a\":\"}\"}",
	"{\"a\":\"\\\"}\",\"b\":{\"c\":\"\\\\\"}}",
	"{\"long enough for sixteen bytes at a time\":\"and \\\\ \\\" more {[ of it\"}",
};

static void it_is_whole_at_its_last_byte_and_not_before(void **state)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		size_t len = strlen(texts[i]);

		for (size_t cut = 0; cut <= len; cut++) {
			struct hook_scan scan = {0};
			bool first = hook_scan(&scan, (struct text){texts[i], cut});

			assert_int_equal(first, cut == len);
			if (cut < len)
				assert_true(hook_scan(&scan, text_of(texts[i] + cut)));
		}
	}
}

static void what_is_no_object_has_no_end(void **state)
{
	struct hook_scan scan = {0};

	assert_false(hook_scan(&scan, TEXT("5 true \"{}\" ]]} ")));
}

static void it_is_read_without_an_end(void **state)
{
	struct buf payload;
	uint64_t whole;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	buf_init(&payload, MIB);
	assert_true(write(ends[1], "{\"a\":1}", 7) == 7);
	assert_true(hook_read(ends[0], &payload, &whole)); /* the pipe stays open */
	assert_true(text_is(buf_text(&payload), "{\"a\":1}") && whole == 7);
	close(ends[1]);
	buf_finish(&payload);
	assert_false(hook_read(ends[0], &payload, &whole));
	close(ends[0]);
	buf_finish(&payload);
}

static void what_has_no_room_is_counted_and_told_by_what_is_short(void **state)
{
	static const char head[] = "{\"a\":1,\"cut\":5,\"in\":{\"c\":\"}]\\\"",
			  middle[] = "\"},\"text\":\"", tail[] = "\",\"z\":[{}],\"e\":\"\\\\\"}";
	FILE *file = tmpfile();
	struct buf payload;
	uint64_t whole;

	fputs(head, file);
	for (unsigned i = 0; i < 300000; i++)
		fputc('x', file);
	fputs(middle, file);
	for (unsigned i = 0; i < 300000; i++)
		fputc('y', file);
	fputs(tail, file);
	fflush(file);
	rewind(file);
	buf_init(&payload, 200 * KIB);
	assert_true(hook_read(fileno(file), &payload, &whole));
	assert_int_equal(whole, strlen(head) + strlen(middle) + strlen(tail) + 600000);
	assert_true(text_starts(buf_text(&payload),
	                        TEXT("{\"a\":1,\"in\":{\"cut\":true},\"text\":\"cut\","
	                             "\"z\":[{}],\"e\":\"\\\\\",\"cut\":{\"bytes\":600")));
	assert_true(payload.len < 100 * KIB);
	buf_finish(&payload);
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_whole_at_its_last_byte_and_not_before),
		cmocka_unit_test(what_is_no_object_has_no_end),
		cmocka_unit_test(it_is_read_without_an_end),
		cmocka_unit_test(what_has_no_room_is_counted_and_told_by_what_is_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

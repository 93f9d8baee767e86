/* transcript_test.c - a transcript is read line by line, whatever is in it. */
#include "tui/transcript.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "run/frame.h"

static char dir[64], path[128];

static int make(void **state)
{
	snprintf(dir, sizeof(dir), "/tmp/transcript.XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/transcript.jsonl", dir);
	return 0;
}

static int drop(void **state)
{
	unlink(path);
	return rmdir(dir);
}

static void write_file(struct text bytes)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes.at, 1, bytes.len, file), bytes.len);
	assert_int_equal(fclose(file), 0);
}

static void assert_next(struct transcript *transcript, const char *as)
{
	struct text line;

	assert_true(transcript_next(transcript, &line));
	assert_int_equal(line.len, strlen(as));
	assert_memory_equal(line.at, as, line.len);
}

static void lines_come_one_after_the_other(void **state)
{
	struct transcript transcript;
	struct error why;
	struct text line;

	write_file(TEXT("{\"a\":1}\r\n\n  \n{\"b\":2}\n{\"c\":3}"));
	assert_true(transcript_open(&transcript, path, &why));
	assert_next(&transcript, "{\"a\":1}");
	assert_next(&transcript, "{\"b\":2}");
	assert_next(&transcript, "{\"c\":3}");
	assert_false(transcript_next(&transcript, &line));
	assert_false(transcript_next(&transcript, &line));
	transcript_close(&transcript);
}

static void a_directory_stands_for_the_transcript_in_it(void **state)
{
	struct transcript transcript;
	struct error why;

	write_file(TEXT("{}\n"));
	assert_true(transcript_open(&transcript, dir, &why));
	assert_next(&transcript, "{}");
	transcript_close(&transcript);
}

static void a_line_without_an_end_is_passed_over(void **state)
{
	struct transcript transcript;
	struct error why;
	struct text line;
	struct buf bytes;

	buf_init(&bytes, 16 * MIB);
	buf_add(&bytes, TEXT("{\"first\":1}\n"));
	for (int i = 0; i < 5; i++) {
		memset(buf_reserve(&bytes, MIB), 'x', MIB);
		bytes.len += MIB;
	}
	buf_add(&bytes, TEXT("\n{\"last\":1}\n"));
	write_file(buf_text(&bytes));
	assert_true(transcript_open(&transcript, path, &why));
	assert_next(&transcript, "{\"first\":1}");
	assert_next(&transcript, "{\"last\":1}");
	assert_false(transcript_next(&transcript, &line));
	transcript_close(&transcript);
	buf_finish(&bytes);
}

static void the_longest_frame_is_read(void **state)
{
	struct transcript transcript;
	struct error why;
	struct text line;
	struct buf bytes;

	buf_init(&bytes, 2 * MIB);
	memset(buf_reserve(&bytes, FRAME_MAX), 'x', FRAME_MAX);
	bytes.len = FRAME_MAX;
	buf_add(&bytes, TEXT("\n"));
	write_file(buf_text(&bytes));
	assert_true(transcript_open(&transcript, path, &why));
	assert_true(transcript_next(&transcript, &line));
	assert_int_equal(line.len, FRAME_MAX);
	transcript_close(&transcript);
	buf_finish(&bytes);
}

static void what_is_missing_is_said(void **state)
{
	struct transcript transcript;
	struct error why;

	assert_false(transcript_open(&transcript, "", &why));
	assert_non_null(strstr(why.words, "needs a name"));
	transcript_close(&transcript);
	assert_false(transcript_open(&transcript, "/nowhere/at/all", &why));
	assert_non_null(strstr(why.words, "no such file or run"));
	transcript_close(&transcript);
	assert_false(transcript_open(&transcript, dir, &why));
	assert_non_null(strstr(why.words, "it has no transcript.jsonl"));
	transcript_close(&transcript);
	assert_false(transcript_open(&transcript, "/dev/null/x", &why));
	transcript_close(&transcript);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lines_come_one_after_the_other, make, drop),
		cmocka_unit_test_setup_teardown(a_directory_stands_for_the_transcript_in_it, make,
	                                        drop),
		cmocka_unit_test_setup_teardown(a_line_without_an_end_is_passed_over, make, drop),
		cmocka_unit_test_setup_teardown(the_longest_frame_is_read, make, drop),
		cmocka_unit_test_setup_teardown(what_is_missing_is_said, make, drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

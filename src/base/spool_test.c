/* spool_test.c - what could not be handed over is kept, and given once. */
#include "base/spool.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fixture.h"
#include "base/must.h"

static int tear_down(void **state)
{
	fixture_drop("spool");
	fixture_drop("spool.taken");
	fixture_drop("spool.lost");
	return fixture_close(state);
}

static void what_is_added_is_taken_in_its_order(void **state)
{
	struct text rest, payload;
	struct buf lines;
	int64_t at;

	buf_init(&lines, SPOOL_MAX + MIB);
	assert_false(spool_take(fixture_dir, &lines, NULL));
	assert_true(spool_add(fixture_dir, 5, TEXT("{\"a\":\n1}")));
	assert_true(spool_add(fixture_dir, 6, TEXT("{}")));
	assert_true(spool_take(fixture_dir, &lines, NULL));
	assert_true(spool_add(fixture_dir, 7, TEXT("{\"later\":1}"))); /* begins another */
	rest = buf_text(&lines);
	assert_true(spool_next(&rest, &at, &payload));
	assert_true(at == 5 && text_is(payload, "{\"a\": 1}"));
	assert_true(spool_next(&rest, &at, &payload));
	assert_true(at == 6 && text_is(payload, "{}"));
	assert_false(spool_next(&rest, &at, &payload));
	buf_finish(&lines);
	assert_true(spool_is_taken(fixture_dir));
	assert_true(spool_take(fixture_dir, &lines, NULL)); /* it was not ended: the same again */
	rest = buf_text(&lines);
	assert_true(spool_next(&rest, &at, &payload) && at == 5);
	buf_finish(&lines);
	spool_end(fixture_dir);
	assert_false(spool_is_taken(fixture_dir));
	assert_true(spool_take(fixture_dir, &lines, NULL));
	rest = buf_text(&lines);
	assert_true(spool_next(&rest, &at, &payload) && at == 7);
	buf_finish(&lines);
	spool_end(fixture_dir);
	assert_int_equal(spool_size(fixture_dir), 0);
}

static void what_is_torn_costs_itself_alone(void **state)
{
	struct text rest = TEXT("\n1 {\"whole\":1}\n\n2 {\"tor\n3 {}\nnonsense\n"), payload;
	int64_t at;

	assert_true(spool_next(&rest, &at, &payload) && at == 1);
	assert_true(spool_next(&rest, &at, &payload) && at == 2);
	assert_true(spool_next(&rest, &at, &payload) && at == 3 && text_is(payload, "{}"));
	assert_true(spool_next(&rest, &at, &payload) && at == -1);
	assert_true(text_is(payload, "nonsense"));
	assert_false(spool_next(&rest, &at, &payload));
}

static void what_has_no_room_is_counted(void **state)
{
	struct text big = {must_zero(1, SPOOL_MAX - 100), SPOOL_MAX - 100};
	char *path = must_print("%s/spool", fixture_dir);
	struct stat is;

	memset((char *)big.at, 'x', big.len);
	assert_int_equal(spool_lost(fixture_dir), 0);
	assert_true(spool_add(fixture_dir, 1, big));
	assert_false(spool_add(fixture_dir, 2, (struct text){big.at, 200}));
	assert_false(spool_add(fixture_dir, 3, (struct text){big.at, 200}));
	assert_int_equal(spool_lost(fixture_dir), 2);
	assert_int_equal(stat(path, &is), 0);
	assert_int_equal(is.st_mode & 07777, 0600);
	assert_true((size_t)is.st_size <= SPOOL_MAX);
	assert_false(spool_add("/dev/null/data", 3, TEXT("{}")));
	free(path);
	free((char *)big.at);
}

static void there_need_be_no_directory_yet(void **state)
{
	char *data = must_print("%s/a/b", fixture_dir), *path = must_print("%s/spool", data);
	struct stat is;

	assert_true(spool_add(data, 1, TEXT("{}")));
	assert_true(spool_size(data) > 0);
	assert_int_equal(stat(data, &is), 0);
	assert_int_equal(is.st_mode & 07777, 0700);
	assert_int_equal(unlink(path), 0);
	fixture_drop("a/b");
	fixture_drop("a");
	free(path);
	free(data);
}

static void a_pipe_in_its_place_is_no_spool_and_holds_nobody_up(void **state)
{
	char *path = must_print("%s/spool", fixture_dir);
	char *lost = must_print("%s/spool.lost", fixture_dir);
	int reader;

	assert_int_equal(mkfifo(path, 0600), 0);
	assert_false(spool_add(fixture_dir, 1, TEXT("{}")));
	reader = open(path, O_RDONLY | O_NONBLOCK);
	assert_false(spool_add(fixture_dir, 1, TEXT("{}")));
	close(reader);
	assert_int_equal(spool_lost(fixture_dir), 2);
	assert_int_equal(unlink(lost), 0);
	assert_int_equal(mkfifo(lost, 0600), 0);
	assert_false(spool_add(fixture_dir, 1, TEXT("{}")));
	assert_int_equal(spool_lost(fixture_dir), 0);
	free(lost);
	free(path);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_open, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(what_is_added_is_taken_in_its_order),
		TEST(what_is_torn_costs_itself_alone),
		TEST(what_has_no_room_is_counted),
		TEST(there_need_be_no_directory_yet),
		TEST(a_pipe_in_its_place_is_no_spool_and_holds_nobody_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* parcel_test.c - parcels of any size, in their order, whatever the receiver is at. */
#include "net/parcel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/must.h"
#include "net/loop.h"

static char dir[64], path[128];
static struct loop *loop;
static struct parcels *parcels;
static struct buf heard; /* kinds, and the length of what came */
static unsigned came_count, left_count;

static void came(void *self, struct parcel_line *line, const struct parcel *parcel)
{
	buf_print(&heard, "%c%zu ", parcel->kind, parcel->body.len);
	for (size_t i = 0; i < parcel->body.len; i++)
		assert_int_equal(parcel->body.at[i], 'x');
	came_count++;
	parcel_line_set(line, self);
}

static void left(void *self, struct parcel_line *line)
{
	left_count++;
}

static int set_up(void **state)
{
	struct parcels_options o = {.path = path, .came = came, .left = left};
	struct error why;

	snprintf(dir, sizeof(dir), "/tmp/parcel-test-XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/sock", dir);
	loop = loop_create();
	parcels = parcels_create(loop, &o, &why);
	assert_non_null(parcels);
	buf_init(&heard, 64 * KIB);
	came_count = left_count = 0;
	return 0;
}

static int tear_down(void **state)
{
	parcels_destroy(parcels);
	loop_destroy(loop);
	buf_finish(&heard);
	return rmdir(dir);
}

static unsigned wanted;

static bool has_enough(struct turn *turn)
{
	if (left_count >= wanted)
		loop_stop(loop);
	return false;
}

static void give_up(struct deadline *deadline)
{
	loop_stop(loop);
}

static void run_until_left(unsigned count)
{
	struct turn turn = {.end = has_enough};
	struct deadline limit = {.fire = give_up};

	wanted = count;
	loop_add_turn(loop, &turn);
	deadline_set(loop, &limit, 20000);
	loop_run(loop);
	deadline_clear(&limit);
	loop_remove_turn(&turn);
	assert_int_equal(left_count, count);
}

/* All of it is in the kernel before anybody receives. */
static void send_one(char kind, size_t len)
{
	char *bytes = must_zero(1, len + 1);
	struct parcel parcel = {.kind = kind, .whole = len, .body = {bytes, len}};
	int line = parcel_connect(path);

	memset(bytes, 'x', len);
	assert_true(line >= 0);
	assert_true(parcel_send(line, &parcel));
	close(line);
	free(bytes);
}

static void parcels_come_whole_and_in_order(void **state)
{
	send_one('a', 0);
	send_one('b', 64 * KIB);
	send_one('c', 64 * KIB + 1);
	send_one('d', 3 * MIB);
	send_one('e', 5);
	run_until_left(5);
	assert_true(text_is(buf_text(&heard), "a0 b65536 c65537 d3145728 e5 "));
}

static void many_wait_for_who_does_not_receive(void **state)
{
	for (unsigned i = 0; i < 500; i++)
		send_one('a', i);
	run_until_left(500);
	assert_int_equal(came_count, 500);
}

static void several_may_come_over_one_line(void **state)
{
	struct parcel parcel = {.kind = 'w'};
	int line = parcel_connect(path);

	assert_true(parcel_send(line, &parcel));
	parcel.kind = 'p';
	assert_true(parcel_send(line, &parcel));
	close(line);
	run_until_left(1);
	assert_true(text_is(buf_text(&heard), "w0 p0 "));
}

static void what_is_no_parcel_is_not_heard(void **state)
{
	struct parcel parcel;
	struct buf room;
	int line = parcel_connect(path);

	buf_init(&room, KIB);
	assert_true(write(line, "nonsense that is long enough", 28) > 0);
	close(line);
	run_until_left(1);
	assert_int_equal(came_count, 0);
	assert_false(parcel_read(&parcel, TEXT("SBP"), -1, &room));
	assert_false(parcel_read(&parcel, TEXT("nonsense that is long enough"), -1, &room));
	assert_int_equal(parcel_connect("/nonexistent/sock"), -1);
	buf_finish(&room);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(parcels_come_whole_and_in_order),
		TEST(many_wait_for_who_does_not_receive),
		TEST(several_may_come_over_one_line),
		TEST(what_is_no_parcel_is_not_heard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* reel_test.c - the ring, its mirror and its index. */
#include "hub/reel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void put(struct reel *reel, const char *frame)
{
	size_t n = strlen(frame);

	memcpy(reel_reserve(reel, n + 16), frame, n);
	reel_commit(reel, n);
}

static void a_frame_is_found_by_its_seq(void **state)
{
	struct reel reel;

	reel_init(&reel, 4096, 64);
	reel_reset(&reel, 7);
	put(&reel, "seven");
	put(&reel, "eight");
	assert_int_equal(reel_start(&reel, 7), 0);
	assert_int_equal(reel_start(&reel, 8), 5);
	assert_int_equal(reel_start(&reel, 9), 10);
	assert_memory_equal(reel_bytes(&reel, reel_start(&reel, 8)), "eight", 5);
	reel_finish(&reel);
}

static void every_byte_knows_its_frame(void **state)
{
	struct reel reel;

	reel_init(&reel, 4096, 64);
	put(&reel, "a");
	put(&reel, "");
	put(&reel, "ccc");
	assert_int_equal(reel_seq_at(&reel, 0), 1);
	for (uint64_t at = 1; at < 4; at++)
		assert_int_equal(reel_seq_at(&reel, at), 3);
	reel_finish(&reel);
}

static void a_frame_over_the_end_is_contiguous(void **state)
{
	struct reel reel;
	char big[3000];

	reel_init(&reel, 4096, 64);
	for (int i = 0; i < 5; i++) {
		memset(big, 'a' + i, sizeof(big));
		memcpy(reel_reserve(&reel, sizeof(big)), big, sizeof(big));
		reel_commit(&reel, sizeof(big));
		assert_memory_equal(reel_bytes(&reel, reel.head - sizeof(big)), big, sizeof(big));
	}
	assert_int_equal(reel.head, 5 * sizeof(big));
	assert_true(reel.head - reel.tail <= reel.size);
	reel_finish(&reel);
}

static void the_oldest_frames_make_room(void **state)
{
	struct reel reel;

	reel_init(&reel, 4096, 8);
	for (int i = 0; i < 100; i++)
		put(&reel, "0123456789");
	assert_int_equal(reel.next_seq, 101);
	assert_int_equal(reel.next_seq - reel.first_seq, 8);
	assert_int_equal(reel.tail, reel_start(&reel, reel.first_seq));
	reel_finish(&reel);
}

static void a_reset_reel_goes_on_with_another_seq(void **state)
{
	struct reel reel;

	reel_init(&reel, 4096, 8);
	put(&reel, "old");
	reel_reset(&reel, 50);
	assert_int_equal(reel.tail, 3);
	put(&reel, "new");
	assert_int_equal(reel_start(&reel, 50), 3);
	assert_int_equal(reel_seq_at(&reel, 4), 50);
	reel_finish(&reel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_is_found_by_its_seq),
		cmocka_unit_test(every_byte_knows_its_frame),
		cmocka_unit_test(a_frame_over_the_end_is_contiguous),
		cmocka_unit_test(the_oldest_frames_make_room),
		cmocka_unit_test(a_reset_reel_goes_on_with_another_seq),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

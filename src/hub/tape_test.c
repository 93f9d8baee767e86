/* tape_test.c - a filtered tape is the concatenation of its frames, whatever
 * stretches of the reel they lie on. */
#include "hub/tape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "hub/client.h"

static struct tape *some_tape(struct reel *reel, const char *type)
{
	struct filter filter;

	filter_init(&filter);
	if (type)
		assert_true(filter_add_type(&filter, text_of(type), NULL));
	return tape_create(reel, &filter);
}

static void put(struct reel *reel, struct tape *tape, const char *frame, bool belongs)
{
	uint64_t start = reel->head;
	size_t n = strlen(frame);

	memcpy(reel_reserve(reel, n), frame, n);
	reel_commit(reel, n);
	if (belongs)
		tape_add(tape, start, n);
}

static void the_tape_of_everything_is_the_reel(void **state)
{
	struct reel reel;
	struct tape *tape;
	struct buf scratch;
	struct text all;

	reel_init(&reel, 4096, 64);
	tape = some_tape(&reel, NULL);
	buf_init(&scratch, KIB);
	put(&reel, tape, "one", true);
	put(&reel, tape, "two", true);
	all = tape_from(tape, 0, &scratch);
	assert_int_equal(all.len, 6);
	assert_memory_equal(all.at, "onetwo", 6);
	assert_int_equal(tape_head(tape), 6);
	tape_destroy(tape);
	reel_finish(&reel);
	buf_finish(&scratch);
}

static void a_filtered_tape_gathers_its_stretches(void **state)
{
	struct reel reel;
	struct tape *tape;
	struct buf scratch;
	struct text all;

	reel_init(&reel, 4096, 64);
	tape = some_tape(&reel, "x");
	buf_init(&scratch, KIB);
	put(&reel, tape, "--", false);
	put(&reel, tape, "one", true);
	put(&reel, tape, "two", true);
	put(&reel, tape, "--", false);
	put(&reel, tape, "three", true);
	assert_int_equal(tape->count, 2); /* adjacent ones are merged */
	all = tape_from(tape, 0, &scratch);
	assert_int_equal(all.len, 11);
	assert_memory_equal(all.at, "onetwothree", 11);
	all = tape_from(tape, 4, &scratch);
	assert_memory_equal(all.at, "wothree", 7);
	all = tape_from(tape, 7, &scratch);
	assert_int_equal(all.len, 4);
	assert_ptr_equal(all.at, reel_bytes(&reel, reel.head - 4)); /* one piece: no copy */
	tape_destroy(tape);
	reel_finish(&reel);
	buf_finish(&scratch);
}

static void a_gather_stops_at_its_ceiling(void **state)
{
	struct reel reel;
	struct tape *tape;
	struct buf scratch;
	struct text some;

	reel_init(&reel, 4096, 64);
	tape = some_tape(&reel, "x");
	buf_init(&scratch, 4);
	put(&reel, tape, "one", true);
	put(&reel, tape, "--", false);
	put(&reel, tape, "two", true);
	some = tape_from(tape, 0, &scratch);
	assert_int_equal(some.len, 4);
	assert_memory_equal(some.at, "onet", 4);
	tape_destroy(tape);
	reel_finish(&reel);
	buf_finish(&scratch);
}

static void inside_a_frame_its_end_is_known(void **state)
{
	struct reel reel;
	struct tape *tape;

	reel_init(&reel, 4096, 64);
	tape = some_tape(&reel, "x");
	put(&reel, tape, "--", false);
	put(&reel, tape, "one", true);
	put(&reel, tape, "--", false);
	put(&reel, tape, "three", true);
	assert_int_equal(tape_frame_end(tape, 0), 0);
	assert_int_equal(tape_frame_end(tape, 1), 3);
	assert_int_equal(tape_frame_end(tape, 3), 3);
	assert_int_equal(tape_frame_end(tape, 5), 8);
	assert_int_equal(tape_frame_end(tape, 8), 8);
	assert_int_equal(tape_next_seq(tape, 0), 2);
	assert_int_equal(tape_next_seq(tape, 3), 4);
	assert_int_equal(tape_next_seq(tape, 8), 5);
	tape_destroy(tape);
	reel_finish(&reel);
}

static void a_seq_has_a_place_while_its_stretch_is_known(void **state)
{
	struct reel reel;
	struct tape *tape;
	uint64_t at;

	reel_init(&reel, 4096, 64);
	tape = some_tape(&reel, "x");
	put(&reel, tape, "--", false);   /* 1 */
	put(&reel, tape, "one", true);   /* 2 */
	put(&reel, tape, "--", false);   /* 3 */
	put(&reel, tape, "two", true);   /* 4 */
	put(&reel, tape, "three", true); /* 5 */
	assert_true(tape_place(tape, 1, &at));
	assert_int_equal(at, 0);
	assert_true(tape_place(tape, 2, &at));
	assert_int_equal(at, 0);
	assert_true(tape_place(tape, 3, &at));
	assert_int_equal(at, 3);
	assert_true(tape_place(tape, 5, &at));
	assert_int_equal(at, 6);
	assert_true(tape_place(tape, 6, &at));
	assert_int_equal(at, 11);
	assert_false(tape_place(tape, 7, &at));
	tape_forget(tape);
	assert_false(tape_place(tape, 4, &at));
	assert_true(tape_place(tape, 6, &at));
	assert_int_equal(at, 11);
	put(&reel, tape, "--", false);
	put(&reel, tape, "four", true);
	assert_true(tape_place(tape, 6, &at));
	assert_int_equal(at, 11);
	tape_destroy(tape);
	reel_finish(&reel);
}

static void the_older_half_can_be_dropped(void **state)
{
	struct reel reel;
	struct tape *tape;
	uint64_t at;

	reel_init(&reel, 4096, 64);
	tape = some_tape(&reel, "x");
	for (int i = 0; i < 10; i++) {
		put(&reel, tape, "ab", true);
		put(&reel, tape, "-", false);
	}
	assert_int_equal(tape_middle(tape), 15);
	tape_drop_before(tape, tape_middle(tape));
	assert_int_equal(tape->count, 5);
	assert_int_equal(tape_head(tape), 20);
	assert_false(tape_place(tape, 9, &at));
	assert_true(tape_place(tape, 11, &at));
	assert_int_equal(at, 10);
	tape_destroy(tape);
	reel_finish(&reel);
}

static void clients_come_and_go_in_any_order(void **state)
{
	struct client a = {0}, b = {0}, c = {0};
	struct reel reel;
	struct tape *tape;

	reel_init(&reel, 4096, 8);
	tape = some_tape(&reel, NULL);
	tape_join(tape, &a);
	tape_join(tape, &b);
	tape_join(tape, &c);
	assert_int_equal(tape->left, 3); /* whoever joins is looked at too */
	tape->left = 1;
	tape_leave(tape, &a);
	assert_int_equal(tape->client_count, 2);
	assert_int_equal(tape->left, 2); /* the one that moved is looked at */
	assert_ptr_equal(tape->clients[c.place], &c);
	assert_ptr_equal(tape->clients[b.place], &b);
	tape_leave(tape, &b);
	tape_leave(tape, &c);
	assert_int_equal(tape->client_count, 0);
	tape_destroy(tape);
	reel_finish(&reel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_tape_of_everything_is_the_reel),
		cmocka_unit_test(a_filtered_tape_gathers_its_stretches),
		cmocka_unit_test(a_gather_stops_at_its_ceiling),
		cmocka_unit_test(inside_a_frame_its_end_is_known),
		cmocka_unit_test(a_seq_has_a_place_while_its_stretch_is_known),
		cmocka_unit_test(the_older_half_can_be_dropped),
		cmocka_unit_test(clients_come_and_go_in_any_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

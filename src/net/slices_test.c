/* slices_test.c - whose turn it is, by a clock that only what is heard puts forward. */
#include "net/slices.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/must.h"
#include "net/conn.h"
#include "net/seats.h"
#include "net/test_clock.h"

#define STRANGER (geteuid() + 54321)
#define DEAR_US 300     /* more than a slice, less than half of one of ours */
#define DEAREST_US 1200 /* more than one of ours */

struct guest {
	struct world *world;
	struct conn *conn;
	int other;
	unsigned cost_us; /* of each time it is heard */
	unsigned heards, last;
};

struct world {
	struct loop *loop;
	struct seats seats;
	struct guest guests[16];
	unsigned count;
	struct guest *order[64]; /* who was heard, one after the other */
	unsigned heards;
};

static char fill[256 * KIB];

static void heard(struct conn *conn, char *bytes, size_t n)
{
	struct guest *g = conn->self;

	g->heards++;
	g->last = (unsigned)n;
	g->world->order[g->world->heards++ % 64] = g;
	test_clock_forward_us(g->cost_us);
}

static void gone(struct conn *conn, const char *why)
{
	struct guest *g = conn->self;

	seats_leave(conn->seat);
	conn->seat = NULL;
	g->conn = NULL;
}

static const struct conn_user user = {.heard = heard, .gone = gone};

static int set_up(void **state)
{
	struct world *w = must_zero(1, sizeof(*w));

	test_clock_stop();
	w->loop = loop_create();
	seats_init(&w->seats, w->loop, 100);
	*state = w;
	return 0;
}

/* As libuv does it: first the end of the turn before, then a look at the sockets. */
static void turn(struct world *w)
{
	uv_run(loop_uv(w->loop), UV_RUN_NOWAIT);
}

static void leave(struct guest *g)
{
	seats_leave(g->conn->seat);
	g->conn->seat = NULL;
	conn_close(g->conn);
	g->conn = NULL;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	for (unsigned i = 0; i < w->count; i++) {
		if (w->guests[i].conn)
			leave(&w->guests[i]);
		close(w->guests[i].other);
	}
	for (int i = 0; i < 5; i++)
		turn(w);
	seats_finish(&w->seats);
	loop_destroy(w->loop);
	free(w);
	return 0;
}

static struct guest *comes(struct world *w, uid_t uid, unsigned cost_us)
{
	struct guest *g = &w->guests[w->count++];
	struct peer peer = {.is_loopback = true, .uid_known = true, .uid = uid};
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair),
	                 0);
	*g = (struct guest){.world = w, .other = pair[1], .cost_us = cost_us};
	g->conn = conn_create(w->loop, pair[0], &user, g);
	g->conn->seat = seats_give(&w->seats, g->conn, &peer);
	return g;
}

static void says(struct guest *g, size_t n)
{
	assert_int_equal(send(g->other, fill, n, MSG_DONTWAIT), n);
}

/* One of ours that is known to take its time, and has more to say. */
static struct guest *greedy(struct world *w, uid_t uid)
{
	struct guest *g = comes(w, uid, DEAREST_US);

	says(g, 100);
	turn(w);
	turn(w);
	assert_int_equal(g->heards, 1);
	return g;
}

static void what_is_dear_to_hear_comes_in_smaller_pieces_one_a_turn(void **state)
{
	static const unsigned sizes[] = {8, 4, 2, 1, 1, 1, 1};
	struct world *w = *state;
	struct guest *g = comes(w, STRANGER, DEAR_US);

	says(g, 64 * KIB);
	turn(w);
	turn(w);
	assert_int_equal(g->heards, 1);
	assert_int_equal(g->last, 16 * KIB);
	for (unsigned i = 0; i < 7; i++) {
		turn(w);
		assert_int_equal(g->heards, i + 2);
		assert_int_equal(g->last, sizes[i] * KIB);
	}
}

static void what_is_cheap_comes_in_larger_ones_some_a_turn(void **state)
{
	struct world *w = *state;
	struct guest *g = comes(w, geteuid(), 1);

	says(g, 180 * KIB);
	turn(w);
	assert_int_equal(g->heards, 4); /* 16, 32, 64, 64 */
	assert_int_equal(g->last, 64 * KIB);
	turn(w);
	assert_int_equal(g->last, 4 * KIB);
}

static void what_is_neither_stays_as_it_is_and_ends_with_the_slice(void **state)
{
	struct world *w = *state;
	struct guest *g = comes(w, STRANGER, 150);

	conn_vouch(g->conn);
	says(g, 64 * KIB);
	turn(w);
	assert_int_equal(g->heards, 2);
	assert_int_equal(g->last, 16 * KIB);
	turn(w);
	turn(w);
	assert_int_equal(g->heards, 4);
	assert_int_equal(g->last, 16 * KIB);
}

static void our_own_have_a_longer_slice_for_what_belongs_together(void **state)
{
	struct world *w = *state;
	struct guest *g = comes(w, geteuid(), DEAR_US);

	says(g, 180 * KIB);
	turn(w);
	assert_int_equal(g->heards, 4);
	assert_int_equal(g->last, 64 * KIB);
}

static void who_says_little_is_heard_before_one_that_is_greedy(void **state)
{
	struct world *w = *state;
	struct guest *much = greedy(w, geteuid()), *little = comes(w, geteuid(), 1);

	for (unsigned i = 1; i < 4; i++) {
		says(much, 10);
		says(little, 10);
		w->heards = 0;
		turn(w);
		turn(w);
		assert_int_equal(w->heards, 2);
		assert_ptr_equal(w->order[0], little);
		assert_ptr_equal(w->order[1], much);
	}
}

static void strangers_are_heard_after_us_however_little_they_say(void **state)
{
	struct world *w = *state;
	struct guest *stranger = comes(w, STRANGER, 1), *own = comes(w, geteuid(), 1);

	for (unsigned i = 1; i < 4; i++) {
		says(stranger, 10);
		says(own, 10);
		w->heards = 0;
		turn(w);
		turn(w);
		assert_int_equal(w->heards, 2);
		assert_ptr_equal(w->order[0], own);
		assert_ptr_equal(w->order[1], stranger);
	}
}

static void all_who_are_greedy_have_one_slice_and_take_turns(void **state)
{
	struct world *w = *state;

	for (unsigned i = 0; i < 4; i++)
		greedy(w, geteuid());
	for (unsigned i = 0; i < 4; i++) {
		says(&w->guests[i], 64 * KIB);
		w->guests[i].heards = 0;
	}
	turn(w);
	for (unsigned round = 1; round <= 3; round++)
		for (unsigned i = 0; i < 4; i++) {
			w->heards = 0;
			turn(w);
			assert_int_equal(w->heards, 1);
		}
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(w->guests[i].heards, 3);
}

static void one_of_the_strangers_is_heard_in_every_turn(void **state)
{
	struct world *w = *state;

	for (unsigned i = 0; i < 3; i++)
		greedy(w, geteuid());
	for (unsigned i = 3; i < 6; i++)
		comes(w, STRANGER, DEAR_US);
	for (unsigned i = 0; i < 6; i++) {
		says(&w->guests[i], 64 * KIB);
		w->guests[i].heards = 0;
	}
	turn(w);
	for (unsigned i = 0; i < 6; i++) {
		w->heards = 0;
		turn(w);
		assert_int_equal(w->heards, 2);
	}
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(w->guests[i].heards, 2);
}

static void many_strangers_who_say_little_share_the_slice(void **state)
{
	struct world *w = *state;

	for (unsigned i = 0; i < 10; i++)
		says(comes(w, STRANGER, 50), 10);
	turn(w);
	turn(w);
	assert_int_equal(w->heards, 5);
	turn(w);
	assert_int_equal(w->heards, 10);
}

static void who_leaves_while_it_waits_is_not_heard(void **state)
{
	struct world *w = *state;
	struct guest *a = comes(w, STRANGER, DEAR_US), *b = comes(w, STRANGER, DEAR_US),
		     *c = comes(w, STRANGER, DEAR_US);

	says(a, 10);
	says(b, 10);
	says(c, 10);
	turn(w);
	turn(w);
	assert_int_equal(w->heards, 1);
	for (unsigned i = 0; i < 3; i++)
		if (w->guests[i].heards == 0)
			leave(&w->guests[i]);
	turn(w);
	turn(w);
	assert_int_equal(w->heards, 1);
}

#define world_test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		world_test(what_is_dear_to_hear_comes_in_smaller_pieces_one_a_turn),
		world_test(what_is_cheap_comes_in_larger_ones_some_a_turn),
		world_test(what_is_neither_stays_as_it_is_and_ends_with_the_slice),
		world_test(our_own_have_a_longer_slice_for_what_belongs_together),
		world_test(who_says_little_is_heard_before_one_that_is_greedy),
		world_test(strangers_are_heard_after_us_however_little_they_say),
		world_test(all_who_are_greedy_have_one_slice_and_take_turns),
		world_test(one_of_the_strangers_is_heard_in_every_turn),
		world_test(many_strangers_who_say_little_share_the_slice),
		world_test(who_leaves_while_it_waits_is_not_heard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* loop_test.c - turns, laters, graves, deadlines and wakes, in their order. */
#include "net/loop.h"

#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include <cmocka.h>

#include "base/must.h"
#include "net/test_clock.h"

static char order[64]; /* one letter for each thing that happened */

static void note(char c)
{
	size_t n = strlen(order);

	if (n + 1 < sizeof(order))
		order[n] = c;
}

static void step(struct loop *loop)
{
	uv_run(loop_uv(loop), UV_RUN_NOWAIT);
}

struct worker {
	struct turn turn;
	struct later later;
	struct grave grave;
	struct loop *loop;
	unsigned more; /* turns that it still wants */
	char name;
};

static void free_worker(struct grave *grave)
{
	note('g');
	free(list_of(grave, struct worker, grave));
}

static bool end_turn(struct turn *turn)
{
	struct worker *w = list_of(turn, struct worker, turn);

	note(w->name);
	return w->more && w->more-- > 0;
}

static void run_later(struct later *later)
{
	struct worker *w = list_of(later, struct worker, later);

	note('l');
	if (w->more)
		loop_later(w->loop, later);
}

static struct worker *worker(struct loop *loop, char name)
{
	struct worker *w = must_zero(1, sizeof(*w));

	*w = (struct worker){
		{.end = end_turn}, {.run = run_later}, {.free = free_worker}, loop, 0, name};
	return w;
}

static void a_turn_ends_with_laters_work_and_burials(void **state)
{
	struct loop *loop = loop_create();
	struct worker *a = worker(loop, 'a'), *b = worker(loop, 'b');

	memset(order, 0, sizeof(order));
	loop_add_turn(loop, &a->turn);
	loop_add_turn(loop, &b->turn);
	loop_bury(loop, &worker(loop, 'x')->grave);
	loop_later(loop, &a->later);
	loop_later(loop, &a->later); /* once is enough */
	loop_later(loop, &b->later);
	loop_forget(&b->later);
	loop_forget(&b->later);
	step(loop);
	assert_string_equal(order, "labg");
	loop_remove_turn(&a->turn);
	step(loop);
	assert_string_equal(order, "labgb");
	loop_remove_turn(&b->turn);
	free(a);
	free(b);
	loop_destroy(loop);
}

static void a_later_asked_for_on_the_way_is_for_the_next_turn(void **state)
{
	struct loop *loop = loop_create();
	struct worker *a = worker(loop, 'a');

	memset(order, 0, sizeof(order));
	a->more = 1;
	loop_later(loop, &a->later);
	step(loop);
	assert_string_equal(order, "l");
	a->more = 0;
	step(loop);
	step(loop);
	assert_string_equal(order, "ll");
	free(a);
	loop_destroy(loop);
}

static bool stop_after(struct turn *turn)
{
	struct worker *w = list_of(turn, struct worker, turn);

	if (w->more-- > 1)
		return true;
	loop_stop(w->loop);
	return false;
}

static void with_more_to_do_the_loop_does_not_wait(void **state)
{
	struct loop *loop = loop_create();
	struct worker *w = worker(loop, 'w');

	w->turn.end = stop_after;
	w->more = 100;
	loop_add_turn(loop, &w->turn);
	loop_run(loop); /* nothing else would wake it */
	assert_int_equal(w->more, 0);
	loop_remove_turn(&w->turn);
	free(w);
	loop_destroy(loop);
}

struct alarm {
	struct deadline deadline;
	struct loop *loop;
	struct alarm *other; /* cleared when this fires */
	unsigned again_ms;   /* set anew when it fires */
	unsigned fired;
	uint64_t at_ms;
};

static void ring(struct deadline *deadline)
{
	struct alarm *alarm = list_of(deadline, struct alarm, deadline);

	alarm->fired++;
	alarm->at_ms = uv_now(loop_uv(alarm->loop));
	if (alarm->other)
		deadline_clear(&alarm->other->deadline);
	if (alarm->again_ms)
		deadline_set(alarm->loop, deadline, alarm->again_ms);
}

static void spin(struct loop *loop, unsigned ms)
{
	for (unsigned i = 0; i < ms; i++) {
		test_clock_forward(1);
		step(loop);
	}
}

static void deadlines_fire_once_and_not_early(void **state)
{
	struct loop *loop = loop_create();
	struct alarm a = {.deadline.fire = ring, .loop = loop}, moved = a, cleared = a, never = a;
	uint64_t start;

	deadline_clear(&never.deadline);
	uv_update_time(loop_uv(loop));
	start = loop_now_ms(loop);
	deadline_set(loop, &a.deadline, 300);
	deadline_set(loop, &moved.deadline, 10);
	deadline_set(loop, &moved.deadline, 600);
	deadline_set(loop, &cleared.deadline, 300);
	deadline_clear(&cleared.deadline);
	spin(loop, 1100);
	assert_int_equal(a.fired, 1);
	assert_int_equal(moved.fired, 1);
	assert_int_equal(cleared.fired, 0);
	assert_int_equal(never.fired, 0);
	assert_true(a.at_ms - start >= 300 && moved.at_ms - start >= 600);
	assert_true(a.at_ms <= moved.at_ms);
	loop_destroy(loop);
}

static void a_deadline_may_set_itself_and_clear_another(void **state)
{
	struct loop *loop = loop_create();
	struct alarm second = {.deadline.fire = ring, .loop = loop};
	struct alarm first = {.deadline.fire = ring, .loop = loop, .other = &second, .again_ms = 1};

	deadline_set(loop, &first.deadline, 1);
	deadline_set(loop, &second.deadline, 1); /* due in the same tick */
	spin(loop, 1100);
	assert_in_range(first.fired, 3, 5);
	assert_int_equal(second.fired, 0);
	first.again_ms = 0;
	deadline_clear(&first.deadline);
	loop_destroy(loop);
}

static void a_far_deadline_waits_for_its_round_of_the_wheel(void **state)
{
	struct loop *loop = loop_create();
	struct alarm near = {.deadline.fire = ring, .loop = loop}, far = near;

	/* 128 s later, so in the same slot. */
	deadline_set(loop, &near.deadline, 10);
	deadline_set(loop, &far.deadline, 10 + 128000);
	spin(loop, 600);
	assert_int_equal(near.fired, 1);
	assert_int_equal(far.fired, 0);
	deadline_clear(&far.deadline);
	loop_destroy(loop);
}

static void deadlines_survive_a_loop_that_stood_still(void **state)
{
	struct loop *loop = loop_create();
	struct alarm alarms[8];

	for (unsigned i = 0; i < 8; i++) {
		alarms[i] = (struct alarm){.deadline.fire = ring, .loop = loop};
		deadline_set(loop, &alarms[i].deadline, i * 100);
	}
	test_clock_forward(1100);
	spin(loop, 20);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(alarms[i].fired, 1);
	loop_destroy(loop);
}

static void a_loop_sleeps_until_something_is_due(void **state)
{
	struct loop *loop = loop_create();
	struct alarm far = {.deadline.fire = ring, .loop = loop}, near = far;

	deadline_set(loop, &far.deadline, 60000);
	step(loop);
	assert_in_range(uv_backend_timeout(loop_uv(loop)), 59000, 60000 + DEADLINE_TICK_MS);
	deadline_set(loop, &near.deadline, 10000);
	step(loop);
	assert_in_range(uv_backend_timeout(loop_uv(loop)), 9000, 10000 + DEADLINE_TICK_MS);
	test_clock_forward(10000 + DEADLINE_TICK_MS);
	spin(loop, 2);
	assert_int_equal(near.fired, 1);
	assert_in_range(uv_backend_timeout(loop_uv(loop)), 48000, 50000 + DEADLINE_TICK_MS);
	test_clock_forward(50000);
	spin(loop, 2);
	assert_int_equal(far.fired, 1);
	assert_int_equal(uv_backend_timeout(loop_uv(loop)), -1);
	loop_destroy(loop);
}

static void those_that_wait_for_a_beat_are_woken_together(void **state)
{
	struct loop *loop = loop_create();
	struct alarm alarms[4] = {{.loop = NULL}};
	struct alarm *first = &alarms[0];

	first->deadline.fire = ring;
	first->loop = loop;
	deadline_set_beat(loop, &first->deadline);
	spin(loop, DEADLINE_BEAT_MS);
	assert_int_equal(first->fired, 1);
	while (uv_now(loop_uv(loop)) < first->at_ms + DEADLINE_BEAT_MS)
		spin(loop, 1);
	for (unsigned i = 0; i < 4; i++) { /* each at another moment */
		alarms[i].deadline.fire = ring;
		alarms[i].loop = loop;
		deadline_set_beat(loop, &alarms[i].deadline);
		spin(loop, 300);
	}
	spin(loop, 400);
	assert_int_equal(first->fired, 2);
	for (unsigned i = 1; i < 4; i++) {
		assert_int_equal(alarms[i].fired, 1);
		assert_int_equal(alarms[i].at_ms, first->at_ms);
	}
	loop_destroy(loop);
}

struct sleeper {
	struct loop *loop;
	struct wake *wake;
	unsigned woken;
};

static void on_wake(void *self)
{
	struct sleeper *s = self;

	s->woken++;
	loop_stop(s->loop);
}

static void *wake_from_elsewhere(void *arg)
{
	struct sleeper *s = arg;

	wake_up(s->wake);
	return NULL;
}

static void another_thread_wakes_the_loop(void **state)
{
	struct sleeper s = {.loop = loop_create()};
	pthread_t thread;

	s.wake = wake_create(s.loop, on_wake, &s);
	pthread_create(&thread, NULL, wake_from_elsewhere, &s);
	loop_run(s.loop);
	pthread_join(thread, NULL);
	assert_int_equal(s.woken, 1);
	wake_destroy(s.wake);
	wake_destroy(NULL);
	loop_destroy(s.loop);
	loop_destroy(NULL);
}

/* A program with a poll() of its own waits for the descriptor and steps. */
static void a_loop_can_be_driven_from_outside(void **state)
{
	struct sleeper s = {.loop = loop_create()};
	struct pollfd wait = {.fd = loop_fd(s.loop), .events = POLLIN};

	s.wake = wake_create(s.loop, on_wake, &s);
	while (loop_patience(s.loop) == 0)
		loop_step(s.loop, false);
	assert_int_equal(loop_patience(s.loop), -1);
	assert_int_equal(poll(&wait, 1, 0), 0);
	wake_up(s.wake);
	assert_int_equal(poll(&wait, 1, 10000), 1);
	assert_int_equal(s.woken, 0);
	loop_step(s.loop, false);
	assert_int_equal(s.woken, 1);
	wake_destroy(s.wake);
	assert_int_equal(loop_patience(s.loop), 0);
	loop_destroy(s.loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_turn_ends_with_laters_work_and_burials),
		cmocka_unit_test(a_later_asked_for_on_the_way_is_for_the_next_turn),
		cmocka_unit_test(with_more_to_do_the_loop_does_not_wait),
		cmocka_unit_test(deadlines_fire_once_and_not_early),
		cmocka_unit_test(a_deadline_may_set_itself_and_clear_another),
		cmocka_unit_test(a_far_deadline_waits_for_its_round_of_the_wheel),
		cmocka_unit_test(deadlines_survive_a_loop_that_stood_still),
		cmocka_unit_test(a_loop_sleeps_until_something_is_due),
		cmocka_unit_test(those_that_wait_for_a_beat_are_woken_together),
		cmocka_unit_test(another_thread_wakes_the_loop),
		cmocka_unit_test(a_loop_can_be_driven_from_outside),
	};

	test_clock_stop();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

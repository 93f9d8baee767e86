/* loop.c - a turn of the loop: libuv polls and calls, then what was put off is
 * called, the turns' work is done, and the dead are buried.
 *
 * libuv calls its prepare handles right before it polls, whatever it did before:
 * that is the end of our turn.  When something is left to do, an idle handle is
 * active, and libuv then polls without waiting. */
#include "net/loop.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <uv.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/must.h"
#include "base/pool.h"
#include "net/conn.h"
#include "net/tls.h"

#define WHEEL_SLOTS 512 /* one round is 128 s; what is further goes round again */
#define LAST_TURNS 64   /* that a loop being destroyed gives its handles to close */

struct loop {
	uv_loop_t uv;
	uv_prepare_t prepare;
	uv_idle_t idle; /* active: poll without waiting */
	uv_timer_t tick;
	struct link laters, turns, graves;
	struct link wheel[WHEEL_SLOTS];
	uint64_t tick_done;  /* every deadline due at or before it was fired */
	uint64_t tick_armed; /* when the timer fires; 0: it does not, as there is no deadline */
	char *input;
	struct pool conns;
	uint64_t slice_end_ns;
	struct tls_context *tls;
};

/* Our own eventfd and not uv_async_t: that one makes the loop spin while the
 * thread that wakes it is not running, which on one core is most of the time. */
struct wake {
	uv_poll_t poll;
	int fd;
	_Atomic bool asked; /* the loop has not seen the last call yet */
	void (*fn)(void *self);
	void *self;
};

static void run_laters(struct loop *loop)
{
	struct link now;

	/* One asked for on the way is for the next turn: two of them cannot keep
	 * each other going without the sockets being looked at. */
	list_init(&now);
	list_add(&loop->laters, &now);
	list_remove(&loop->laters);
	while (!list_is_empty(&now)) {
		struct later *later = list_of(now.next, struct later, in_loop);

		loop_forget(later);
		later->run(later);
	}
}

static bool run_turns(struct loop *loop)
{
	bool more = false;

	list_each(&loop->turns, l) {
		struct turn *turn = list_of(l, struct turn, in_loop);

		more |= turn->end(turn);
	}
	return more;
}

static void bury_all(struct loop *loop)
{
	while (!list_is_empty(&loop->graves)) {
		struct grave *grave = list_of(loop->graves.next, struct grave, in_loop);

		list_remove(&grave->in_loop);
		grave->free(grave);
	}
	assert(list_is_empty(&loop->graves));
}

static void loop_go_on(uv_idle_t *idle)
{
	(void)idle;
}

static void loop_end_turn(uv_prepare_t *prepare)
{
	struct loop *loop = prepare->data;
	bool more;

	run_laters(loop);
	more = run_turns(loop);
	bury_all(loop);
	if (more || !list_is_empty(&loop->laters))
		uv_idle_start(&loop->idle, loop_go_on);
	else
		uv_idle_stop(&loop->idle);
}

struct loop *loop_create(void)
{
	struct loop *loop = must_zero(1, sizeof(*loop));

	/* Without memory libuv ends the program too, but does not say so. */
	uv_replace_allocator(must_alloc, must_grow, must_zero, free);
	if (uv_loop_init(&loop->uv) != 0) {
		log_error("net", "cannot create an event loop");
		abort();
	}
	list_init(&loop->laters);
	list_init(&loop->turns);
	list_init(&loop->graves);
	for (int i = 0; i < WHEEL_SLOTS; i++)
		list_init(&loop->wheel[i]);
	uv_prepare_init(&loop->uv, &loop->prepare);
	uv_idle_init(&loop->uv, &loop->idle);
	uv_timer_init(&loop->uv, &loop->tick);
	loop->prepare.data = loop->tick.data = loop;
	uv_prepare_start(&loop->prepare, loop_end_turn);
	loop->input = must_alloc(LOOP_INPUT);
	pool_init(&loop->conns, sizeof(struct conn));
	return loop;
}

void loop_destroy(struct loop *loop)
{
	int turns = 0;

	if (!loop)
		return;
	uv_close((uv_handle_t *)&loop->prepare, NULL);
	uv_close((uv_handle_t *)&loop->idle, NULL);
	uv_close((uv_handle_t *)&loop->tick, NULL);
	do {
		run_laters(loop);
		bury_all(loop);
		uv_run(&loop->uv, UV_RUN_NOWAIT);
	} while ((!list_is_empty(&loop->graves) || uv_loop_close(&loop->uv) == UV_EBUSY) &&
	         ++turns < LAST_TURNS);
	if (turns == LAST_TURNS) {
		log_error("net", "the loop was destroyed while somebody still used it");
		return;
	}
	free(loop->input);
	pool_finish(&loop->conns);
	tls_context_destroy(loop->tls);
	free(loop);
}

void loop_run(struct loop *loop)
{
	uv_run(&loop->uv, UV_RUN_DEFAULT);
}

void loop_stop(struct loop *loop)
{
	uv_stop(&loop->uv);
}

int loop_fd(const struct loop *loop)
{
	return uv_backend_fd(&loop->uv);
}

int loop_patience(const struct loop *loop)
{
	if (!list_is_empty(&loop->laters) || !list_is_empty(&loop->graves))
		return 0;
	return uv_backend_timeout(&loop->uv);
}

void loop_step(struct loop *loop, bool waits)
{
	uv_run(&loop->uv, waits ? UV_RUN_ONCE : UV_RUN_NOWAIT);
}

void loop_read_clock(struct loop *loop)
{
	uv_update_time(&loop->uv);
}

struct uv_loop_s *loop_uv(struct loop *loop)
{
	return &loop->uv;
}

uint64_t loop_now_ms(const struct loop *loop)
{
	return uv_now(&loop->uv);
}

uint64_t loop_slice(struct loop *loop, uint64_t ns)
{
	uint64_t now = clock_mono_ns();

	loop->slice_end_ns = now + ns;
	return now;
}

bool loop_slice_is_over(const struct loop *loop)
{
	return clock_mono_ns() >= loop->slice_end_ns;
}

char *loop_input(struct loop *loop)
{
	return loop->input;
}

struct pool *loop_conns(struct loop *loop)
{
	return &loop->conns;
}

struct tls_context *loop_tls(struct loop *loop)
{
	if (!loop->tls)
		loop->tls = tls_context_client();
	return loop->tls;
}

void loop_later(struct loop *loop, struct later *later)
{
	assert(later->run);
	if (!later->in_loop.next)
		list_add(&loop->laters, &later->in_loop);
}

void loop_forget(struct later *later)
{
	if (!later->in_loop.next)
		return;
	list_remove(&later->in_loop);
	later->in_loop = (struct link){0};
	assert(!later->in_loop.next);
}

void loop_add_turn(struct loop *loop, struct turn *turn)
{
	assert(turn->end);
	list_add(&loop->turns, &turn->in_loop);
}

void loop_remove_turn(struct turn *turn)
{
	list_remove(&turn->in_loop);
}

void loop_bury(struct loop *loop, struct grave *grave)
{
	assert(grave->free);
	list_add(&loop->graves, &grave->in_loop);
}

/* Moves what is due in one slot to `due`. */
static void collect(struct link *slot, uint64_t tick, struct link *due)
{
	list_each(slot, l) {
		struct deadline *deadline = list_of(l, struct deadline, in_wheel);

		if (deadline->due_tick > tick)
			continue;
		list_remove(l);
		list_add(due, l);
	}
}

/* The next tick that has deadlines, perhaps of a later round; 0: there are none. */
static uint64_t wheel_next(const struct loop *loop)
{
	for (uint64_t tick = loop->tick_done + 1; tick <= loop->tick_done + WHEEL_SLOTS; tick++)
		if (!list_is_empty(&loop->wheel[tick % WHEEL_SLOTS]))
			return tick;
	return 0;
}

static void turn_wheel(uv_timer_t *timer);

/* The timer sleeps until there is something to do, so that an idle loop does, too. */
static void wheel_arm(struct loop *loop, uint64_t tick)
{
	uint64_t due = tick * DEADLINE_TICK_MS, now = uv_now(&loop->uv);

	loop->tick_armed = tick;
	if (tick)
		uv_timer_start(&loop->tick, turn_wheel, due > now ? due - now : 0, 0);
}

static void turn_wheel(uv_timer_t *timer)
{
	struct loop *loop = timer->data;
	uint64_t now = uv_now(&loop->uv) / DEADLINE_TICK_MS, from = loop->tick_done + 1;
	struct link due;

	assert(now >= loop->tick_done);
	/* After a long sleep one look at each slot is enough. */
	if (now - loop->tick_done > WHEEL_SLOTS)
		from = now - WHEEL_SLOTS + 1;
	list_init(&due);
	for (uint64_t tick = from; tick <= now; tick++)
		collect(&loop->wheel[tick % WHEEL_SLOTS], now, &due);
	loop->tick_done = loop->tick_armed = now; /* what is set meanwhile is later than that */
	while (!list_is_empty(&due)) {
		struct deadline *deadline = list_of(due.next, struct deadline, in_wheel);

		deadline_clear(deadline);
		deadline->fire(deadline);
	}
	wheel_arm(loop, wheel_next(loop));
}

static void deadline_set_to(struct loop *loop, struct deadline *deadline, uint64_t tick)
{
	deadline_clear(deadline);
	assert(deadline->fire);
	deadline->due_tick = tick;
	list_add(&loop->wheel[tick % WHEEL_SLOTS], &deadline->in_wheel);
	if (!loop->tick_armed)
		loop->tick_done = uv_now(&loop->uv) / DEADLINE_TICK_MS;
	if (!loop->tick_armed || tick < loop->tick_armed)
		wheel_arm(loop, tick);
}

void deadline_set(struct loop *loop, struct deadline *deadline, unsigned after_ms)
{
	uint64_t due = uv_now(&loop->uv) + after_ms;

	deadline_set_to(loop, deadline, due / DEADLINE_TICK_MS + 1);
}

void deadline_set_beat(struct loop *loop, struct deadline *deadline)
{
	uint64_t beat = uv_now(&loop->uv) / DEADLINE_BEAT_MS + 1;

	deadline_set_to(loop, deadline, beat * (DEADLINE_BEAT_MS / DEADLINE_TICK_MS));
}

void deadline_clear(struct deadline *deadline)
{
	if (!deadline->in_wheel.next)
		return;
	list_remove(&deadline->in_wheel);
	deadline->in_wheel = (struct link){0};
}

static void woken(uv_poll_t *poll, int status, int events)
{
	struct wake *wake = poll->data;
	uint64_t calls;

	if (read(wake->fd, &calls, sizeof(calls)) < 0)
		return;
	/* Before fn looks: what comes after that calls again. */
	atomic_store(&wake->asked, false);
	wake->fn(wake->self);
}

struct wake *wake_create(struct loop *loop, void (*fn)(void *self), void *self)
{
	struct wake *wake = must_zero(1, sizeof(*wake));

	wake->fn = fn;
	wake->self = self;
	wake->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (wake->fd < 0 || uv_poll_init(&loop->uv, &wake->poll, wake->fd) != 0) {
		log_error("net", "cannot create an event descriptor to wake the loop");
		abort();
	}
	wake->poll.data = wake;
	uv_poll_start(&wake->poll, UV_READABLE, woken);
	return wake;
}

void wake_up(struct wake *wake)
{
	uint64_t one = 1;

	/* It cannot fail: the count is never near its end. */
	if (!atomic_exchange(&wake->asked, true) && write(wake->fd, &one, sizeof(one)) < 0)
		must_give_up("the loop cannot be woken");
}

static void free_wake(uv_handle_t *handle)
{
	struct wake *wake = handle->data;

	close(wake->fd);
	free(wake);
}

void wake_destroy(struct wake *wake)
{
	if (wake)
		uv_close((uv_handle_t *)&wake->poll, free_wake);
}

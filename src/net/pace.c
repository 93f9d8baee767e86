/* pace.c - one libuv timer. */
#include "net/pace.h"

#include <stdbool.h>
#include <stdlib.h>
#include <uv.h>

#include "base/must.h"
#include "net/loop.h"

#define PAUSE_MAX_MS 3600000

struct pace {
	uv_timer_t timer;
	void (*fire)(void *self);
	void *self;
};

static void on_time(uv_timer_t *timer)
{
	struct pace *pace = timer->data;

	pace->fire(pace->self);
}

struct pace *pace_create(struct loop *loop, void (*fire)(void *self), void *self)
{
	struct pace *pace = must_zero(1, sizeof(*pace));

	pace->fire = fire;
	pace->self = self;
	uv_timer_init(loop_uv(loop), &pace->timer);
	pace->timer.data = pace;
	return pace;
}

static void on_closed(uv_handle_t *handle)
{
	free(handle->data);
}

void pace_destroy(struct pace *pace)
{
	if (pace)
		uv_close((uv_handle_t *)&pace->timer, on_closed);
}

unsigned pace_pause(size_t text, size_t rate, size_t clients, unsigned least_ms)
{
	size_t share = PACE_ALL_RATE / (clients ? clients : 1);
	uint64_t ms;

	if (share < rate)
		rate = share;
	ms = (uint64_t)text * 1000 / (rate ? rate : 1);
	if (ms > PAUSE_MAX_MS)
		ms = PAUSE_MAX_MS;
	return ms > least_ms ? (unsigned)ms : least_ms;
}

void pace_set(struct pace *pace, unsigned after_ms)
{
	if (!uv_is_active((uv_handle_t *)&pace->timer) ||
	    uv_timer_get_due_in(&pace->timer) > after_ms)
		uv_timer_start(&pace->timer, on_time, after_ms ? after_ms : 1, 0);
}

/* pace.c - one libuv timer. */
#include "gateway/pace.h"

#include <stdbool.h>
#include <stdlib.h>
#include <uv.h>

#include "base/must.h"
#include "net/loop.h"

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

void pace_set(struct pace *pace, unsigned after_ms)
{
	if (!uv_is_active((uv_handle_t *)&pace->timer) ||
	    uv_timer_get_due_in(&pace->timer) > after_ms)
		uv_timer_start(&pace->timer, on_time, after_ms ? after_ms : 1, 0);
}

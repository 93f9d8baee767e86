/* slices.c - two queues, served at the end of a turn for so long. */
#include "net/slices.h"

#include <assert.h>

#include "base/clock.h"
#include "net/conn.h"
#include "net/inside.h"
#include "net/seats.h"

/* False when nobody of them waits. */
static bool serve_one(struct link *ready)
{
	struct seat *seat;

	if (list_is_empty(ready))
		return false;
	seat = list_of(ready->next, struct seat, in_ready);
	list_remove(&seat->in_ready);
	conn_serve(seat->conn);
	return true;
}

static void slices_serve(struct later *later)
{
	struct slices *s = list_of(later, struct slices, serve);
	uint64_t end = clock_mono_ns() + SLICE_OWN_NS;

	for (int i = 0; i < SLICES_KINDS; i++) {
		if (i == SLICES_KNOWN)
			end = clock_mono_ns() + SLICE_NS;
		while (serve_one(&s->ready[i]) && clock_mono_ns() < end)
			continue;
	}
	for (int i = 0; i < SLICES_KINDS; i++)
		if (!list_is_empty(&s->ready[i]))
			loop_later(s->loop, &s->serve);
}

void slices_init(struct slices *s, struct loop *loop)
{
	*s = (struct slices){.loop = loop, .serve.run = slices_serve};
	for (int i = 0; i < SLICES_KINDS; i++)
		list_init(&s->ready[i]);
}

void slices_finish(struct slices *s)
{
	loop_forget(&s->serve);
}

static int slices_kind_of(enum place place)
{
	assert(place <= PLACE_KINDS);
	if (place <= PLACE_OWN)
		return SLICES_OWN;
	return place == PLACE_KNOWN ? SLICES_KNOWN : SLICES_UNKNOWN;
}

void slices_queue(struct conn *conn)
{
	struct seat *seat = conn->seat;
	struct slices *s = &seat->seats->slices;

	assert(seat->conn == conn);
	if (!list_is_empty(&seat->in_ready))
		return;
	list_add(&s->ready[slices_kind_of(seat->place)], &seat->in_ready);
	loop_later(s->loop, &s->serve);
}

bool slices_defer(struct conn *conn)
{
	struct seat *seat = conn->seat;

	if (!seat || (seat->place < PLACE_UNKNOWN && !seat->is_greedy))
		return false;
	slices_queue(conn);
	return true;
}

/* haste.c - not for each signal: a commit costs as much as some thousand of them. */
#include "gateway/haste.h"

#include <stdlib.h>

#include "base/must.h"
#include "bus/bus.h"
#include "gateway/inside.h"
#include "journal/journal.h"
#include "net/loop.h"
#include "signal/kind.h"
#include "signal/signal.h"

#define HURRY_EVERY_MS 2

struct gateway_haste {
	struct gateway *g;
	struct bus_listener listener;
	struct pace *later;  /* for what came too soon after the last time, */
	uint64_t hurried_ms; /* which was then, by the loop's clock */
};

static void hurry(struct gateway_haste *h)
{
	h->hurried_ms = loop_now_ms(h->g->options.loop);
	journal_hurry(h->g->options.journal);
}

static void hurry_later(void *self)
{
	struct gateway_haste *h = self;

	if (h->g->is_open)
		hurry(h);
}

static void heard(struct bus_listener *listener, const struct signal *s)
{
	struct gateway_haste *h = list_of(listener, struct gateway_haste, listener);
	uint64_t since = loop_now_ms(h->g->options.loop) - h->hurried_ms;

	if ((s->kind == KIND_TEXT_DELTA && h->g->options.config->pace_ms) || !h->g->watchers)
		return;
	if (since < HURRY_EVERY_MS)
		pace_set(h->later, HURRY_EVERY_MS - (unsigned)since);
	else
		hurry(h);
}

struct gateway_haste *gateway_haste_create(struct gateway *g)
{
	struct gateway_haste *h = must_zero(1, sizeof(*h));

	h->g = g;
	h->listener = (struct bus_listener){.name = "gateway", .heard = heard};
	h->later = pace_create(g->options.loop, hurry_later, h);
	return h;
}

void gateway_haste_destroy(struct gateway_haste *h)
{
	pace_destroy(h->later);
	free(h);
}

void gateway_haste_begin(struct gateway_haste *h)
{
	bus_add_listener(h->g->options.bus, &h->listener);
}

void gateway_haste_end(struct gateway_haste *h)
{
	bus_remove_listener(h->g->options.bus, &h->listener);
}

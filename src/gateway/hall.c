/* hall.c - they stand in the order in which they came. */
#include "gateway/hall.h"

#include "gateway/inside.h"
#include "net/loop.h"

void gateway_hall_enter(struct gateway_view *view)
{
	struct gateway *g = gateway_of(view);

	if (client_is_stranger(view->client))
		return;
	view->waits_ms = loop_now_ms(g->options.loop);
	if (list_is_empty(&g->hall))
		deadline_set(g->options.loop, &g->patience, GATEWAY_HANDSHAKE_MS);
	list_add(&g->hall, &view->in_room);
}

void gateway_hall_late(struct deadline *deadline)
{
	struct gateway *g = list_of(deadline, struct gateway, patience);
	uint64_t now = loop_now_ms(g->options.loop);

	list_each(&g->hall, l) {
		struct gateway_view *view = list_of(l, struct gateway_view, in_room);
		uint64_t over_ms = view->waits_ms + GATEWAY_HANDSHAKE_MS;

		if (over_ms > now) {
			deadline_set(g->options.loop, deadline, (unsigned)(over_ms - now));
			return;
		}
		client_close(view->client, 1000, TEXT(""));
	}
}

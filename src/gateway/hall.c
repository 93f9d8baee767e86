/* hall.c - they stand in the order in which they came. */
#include "gateway/hall.h"

#include "gateway/inside.h"
#include "net/loop.h"

void gateway_hall_enter(struct gateway_view *view)
{
	struct gateway *g = gateway_of(view);

	if (client_is_stranger(view->client))
		return;
	view->waits_ms = (uint32_t)loop_now_ms(g->options.loop);
	if (list_is_empty(&g->hall))
		deadline_set(g->options.loop, &g->patience, GATEWAY_HANDSHAKE_MS);
	list_add(&g->hall, &view->in_room);
}

void gateway_hall_late(struct deadline *deadline)
{
	struct gateway *g = list_of(deadline, struct gateway, patience);
	uint32_t now = (uint32_t)loop_now_ms(g->options.loop);

	list_each(&g->hall, l) {
		struct gateway_view *view = list_of(l, struct gateway_view, in_room);
		uint32_t waited_ms = now - view->waits_ms;

		if (waited_ms < GATEWAY_HANDSHAKE_MS) {
			deadline_set(g->options.loop, deadline, GATEWAY_HANDSHAKE_MS - waited_ms);
			return;
		}
		client_close(view->client, 1000, TEXT(""));
	}
}

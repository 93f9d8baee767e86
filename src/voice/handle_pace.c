/* handle_pace.c - see handle_pace.h. */
#include "voice/handle_pace.h"

#include <stdio.h>
#include <string.h>

static unsigned rest_of_minute(uint64_t since_ms, uint64_t now_ms)
{
	uint64_t over = since_ms + HANDLE_ASKS_MS;

	return over > now_ms ? (unsigned)(over - now_ms) : 0;
}

static uint64_t newest_of(const struct handle_peer *peer)
{
	return peer->count ? peer->asked_ms[(peer->count - 1) % HANDLE_ASKS] : 0;
}

/* The one with that name, else the one that was quiet for longest. */
static struct handle_peer *find_peer(struct handle_pace *pace, const char *name)
{
	struct handle_peer *oldest = &pace->peers[0];

	for (size_t i = 0; i < HANDLE_PEERS_MAX; i++) {
		struct handle_peer *peer = &pace->peers[i];

		if (strcmp(peer->name, name) == 0)
			return peer;
		if (newest_of(peer) < newest_of(oldest))
			oldest = peer;
	}
	return oldest;
}

unsigned handle_pace_ask(struct handle_pace *pace, const char *name, uint64_t now_ms)
{
	struct handle_peer *peer = find_peer(pace, name);
	unsigned wait_ms;

	if (strcmp(peer->name, name) != 0) {
		wait_ms = peer->count ? rest_of_minute(newest_of(peer), now_ms) : 0;
		if (wait_ms)
			return wait_ms;
		*peer = (struct handle_peer){0};
		snprintf(peer->name, sizeof(peer->name), "%s", name);
	}
	wait_ms = peer->count < HANDLE_ASKS
	                  ? 0
	                  : rest_of_minute(peer->asked_ms[peer->count % HANDLE_ASKS], now_ms);
	if (!wait_ms)
		peer->asked_ms[peer->count++ % HANDLE_ASKS] = now_ms;
	return wait_ms;
}

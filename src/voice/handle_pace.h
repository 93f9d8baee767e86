/* handle_pace.h - how often each peer may ask; pure. */
#ifndef VOICE_HANDLE_PACE_H
#define VOICE_HANDLE_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "net/peer.h"

#define HANDLE_ASKS 10 /* in so many milliseconds: */
#define HANDLE_ASKS_MS 60000
#define HANDLE_PEERS_MAX 64 /* that are remembered; when all of them asked lately, others wait */

/* All zero at birth. */
struct handle_pace {
	struct handle_peer {
		char name[PEER_NAME_MAX]; /* empty: nobody */
		uint64_t asked_ms[HANDLE_ASKS];
		unsigned count; /* ever; the newest is at (count - 1) % HANDLE_ASKS */
	} peers[HANDLE_PEERS_MAX];
};

/* 0: it asks now, which is counted; else milliseconds until it may. */
unsigned handle_pace_ask(struct handle_pace *pace, const char *name, uint64_t now_ms);

#endif

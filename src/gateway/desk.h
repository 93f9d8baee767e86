/* desk.h - what the methods of sessions and asks keep. */
#ifndef GATEWAY_DESK_H
#define GATEWAY_DESK_H

#include "base/list.h"
#include "base/map.h"

struct back;

struct gateway_desk {
	const struct back *back;         /* since the first client came */
	struct gateway_follows *follows; /* follow.c */
	struct gateway_queue *queue;     /* queue.c */
	struct gateway_waits *waits;     /* wait.c */
	struct gateway_memo *memo;       /* memo.c */
	struct map begun;       /* keys of sessions that began anew -> the newest generation */
	struct map wishes;      /* keys of sessions -> struct gateway_wishes */
	struct link wish_order; /* gateway_wishes.in_order, oldest first */
	struct link just;       /* begun.c */
	size_t just_count;
	uint64_t told_seq; /* of the crew: what changed up to it was told */
};

#endif

/* discord_limits.h - how often Discord may be asked: its buckets for each route, and one for all
 * requests of a bot; pure.
 *
 * Which routes share a bucket, how much it holds and when it is full again is in the head of each
 * answer.  Until the first one comes, a chat takes five requests in five seconds.
 */
#ifndef DELIVER_DISCORD_LIMITS_H
#define DELIVER_DISCORD_LIMITS_H

#include "deliver/buckets.h"

enum discord_route {
	DISCORD_TO_SEND,
	DISCORD_TO_EDIT,
	DISCORD_TO_REMOVE,
	DISCORD_TO_TYPE,
	DISCORD_TO_READ, /* the history */
	DISCORD_TO_OPEN, /* a chat with a person */
	DISCORD_TO_TELL, /* who pressed: it is outside of the limit of all */
	DISCORD_TO_BEGIN,
	DISCORD_ROUTES,
};

#define DISCORD_HASH_MAX 64

struct discord_limits {
	struct bucket all;
	struct map by_name;                            /* struct discord_limit */
	char hashes[DISCORD_ROUTES][DISCORD_HASH_MAX]; /* as Discord calls a route's bucket */
};

/* What the head of an answer says. */
struct discord_said {
	bool has_left, has_reset;
	uint64_t holds, left;
	int64_t reset_ms; /* from now on */
	char hash[DISCORD_HASH_MAX];
};
void discord_read_said(struct discord_said *said, struct text name, struct text value);

/* A route, and the chat that its bucket is of. */
struct discord_way {
	enum discord_route route;
	struct text chat;
};

void discord_limits_init(struct discord_limits *l);
void discord_limits_finish(struct discord_limits *l);
int64_t discord_limits_ready(const struct discord_limits *l, const struct discord_way *way,
                             int64_t now_ms); /* when the next may leave */
void discord_limits_take(struct discord_limits *l, const struct discord_way *way, int64_t now_ms);
void discord_limits_learn(struct discord_limits *l, const struct discord_way *way,
                          const struct discord_said *said, int64_t now_ms);
/* "Too many": this bucket, or with is_global all, until then. */
struct discord_stop {
	int64_t until_ms;
	bool is_global;
};
void discord_limits_stop(struct discord_limits *l, const struct discord_way *way,
                         const struct discord_stop *stop, int64_t now_ms);

#endif

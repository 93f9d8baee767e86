/* turn.h - what the run of a message says of itself: its model, what it spent, why it ended. */
#ifndef DELIVER_TURN_H
#define DELIVER_TURN_H

#include "base/buf.h"

struct signal;

enum turn_count {
	TURN_INPUT, /* tokens, with those of the caches */
	TURN_OUTPUT,
	TURN_CACHE_READ,
	TURN_CACHE_WRITE,
	TURN_REASONING,
	TURN_COUNTS,
};

struct chat_turn {
	char *model, *provider;                         /* or NULL: nobody said */
	uint64_t spent[TURN_COUNTS], last[TURN_COUNTS]; /* last: of the newest response */
	char *response;                                 /* its id, or NULL */
	bool has_usage, has_responses;
	uint64_t window,
		context; /* tokens that the model takes, and that it was given; 0: not said */
	bool ran_out, timed_out;
	bool is_heartbeat; /* it began by itself, now and then */
};

void turn_finish(struct chat_turn *t);
void turn_hear(struct chat_turn *t, const struct signal *s); /* each of its run, whole */

/* An object, or nothing: {"input_tokens","output_tokens",...}, {"context_window",...}. */
void turn_put_usage(const struct chat_turn *t, struct buf *out);
void turn_put_budget(const struct chat_turn *t, struct buf *out);

#endif

/* limits.h - ceilings that the operator sets, as a part of struct config. */
#ifndef CONFIG_LIMITS_H
#define CONFIG_LIMITS_H

#include <stddef.h>

#define CONFIG_GROUPS_SIZE 2048 /* bytes for the keys of rooms that config/ does not know */

struct config_limits {
	size_t headers, line; /* bytes of a request's head; of its first line */
	unsigned fields;
	unsigned header_ms, idle_ms, body_ms;
	size_t body, batch; /* bytes of a body; of a whole NDJSON batch */
	size_t message;     /* bytes of a WebSocket message and of a batch's line */
	unsigned fragments;
	unsigned message_ms; /* for a whole body or message */
	size_t unfinished;   /* bytes of all that are not whole */
	unsigned ping_ms, pong_ms;
	size_t behind; /* bytes a client may be behind before its policy acts */
	unsigned connections;
	unsigned rate; /* of one producer: signals a second; 0: any */
	unsigned caller_connections, caller_subscriptions; /* of one credential; 0: any */
	unsigned depth;                                    /* of a signal's JSON */
	unsigned silence_ms;
};

#endif

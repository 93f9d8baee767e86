/* uplink.h - a WebSocket to a box that is there again by itself. */
#ifndef NET_UPLINK_H
#define NET_UPLINK_H

#include "base/buf.h"
#include "base/error.h"
#include "net/loop.h"

struct ws_client;

struct uplink_options {
	const char *base;          /* "ws://HOST[:PORT]" */
	const char *sock;          /* the Unix socket to go by, or NULL */
	const char *authorization; /* a header, or NULL */
	size_t message_max;
	void *self;
	void (*path)(void *self, struct buf *out); /* "/ws?..": asked for each attempt */
	void (*open)(void *self);
	void (*text)(void *self, struct text message);
	void (*closed)(void *self); /* it was open, or was refused: uplink.why */
};

struct uplink {
	struct uplink_options options;
	struct loop *loop;
	struct ws_client *client;
	struct deadline again;
	unsigned wait_ms;  /* before the next attempt */
	uint64_t again_ms; /* of the loop's clock: when that is */
	bool is_open;
	struct error why;
};

/* Everything in options is borrowed until the end. */
void uplink_init(struct uplink *uplink, struct loop *loop, const struct uplink_options *options);
void uplink_finish(struct uplink *uplink);
void uplink_restart(struct uplink *uplink);                   /* at once, by a new path */
bool uplink_send(struct uplink *uplink, struct text message); /* false: nobody heard it */

#endif

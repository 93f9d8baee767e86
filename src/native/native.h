/* native.h - our own dialect: one JSON object a text frame, both ways.
 *
 * Besides signals its clients may hear of the sources, of sessions, of the stage, of what agents
 * ask and of matters; whoever knows of these tells the dialect, and it tells them.
 */
#ifndef NATIVE_NATIVE_H
#define NATIVE_NATIVE_H

#include "base/buf.h"
#include "hub/dialect.h"

struct crew;
struct native;
struct prompts;

/* A moment of the stage: its versions grow by one with each command. */
struct native_moment {
	uint64_t version;
	double at_ms;
};

typedef void native_command_fn(void *of, uint64_t version, double at_ms, struct text json);

/* The stage, for those who follow it. */
struct native_stage {
	void *self;
	/* How all of it looks, as a JSON object. */
	struct native_moment (*look)(void *self, struct buf *out);
	/* Each command after a version; false: not all are remembered. */
	bool (*since)(void *self, uint64_t version, native_command_fn *each, void *of);
};

/* What the dialect asks of others; all of it outlives it. */
struct native_options {
	void *self;
	void (*sources)(void *self, struct buf *out); /* all of them, as a JSON array */
	void (*protocols)(struct buf *out);           /* likewise: what they may speak */
	struct native_stage stage;
	struct prompts *prompts; /* what agents ask */
	struct crew *crew;       /* the sessions */
	/* Members of an object: `"all":[..]`, the matters that stand. */
	void (*matters)(void *self, struct buf *out);
};

extern const struct dialect dialect_native; /* hub_dialect.of is a struct native */

struct native *native_create(const struct native_options *options);
void native_destroy(struct native *native); /* after the hub */

unsigned long native_followers(const struct native *native); /* of the stage */

#endif

/* porch.h - where hooks of Claude Code come in: parcels at DATA/hooks, lines of DATA/spool. */
#ifndef SOURCE_PORCH_H
#define SOURCE_PORCH_H

#include "base/text.h"

struct approve;
struct buf;
struct hook;
struct journal;
struct loop;
struct pauses;
struct porch;

struct porch_options {
	struct loop *loop;
	struct journal *journal; /* says when what was spooled is on the disk */
	const char *data;
	struct hook *hook; /* is told all of it, in the order in which it happened ... */
	struct pauses *pauses;
	struct approve *approve; /* ... and so are these */
	/* Optional: of which process of an agent a hook came.  Its signals may come later. */
	void *self;
	void (*told)(void *self, struct text payload, uint64_t agent);
};

struct porch *porch_open(const struct porch_options *options);
/* The box stops: nothing waits any longer for what should come before it. */
void porch_flush(struct porch *porch);
void porch_close(struct porch *porch);

/* How hooks fare, as a JSON object. */
void porch_json(const struct hook *hook, const char *data, struct buf *out);

#endif

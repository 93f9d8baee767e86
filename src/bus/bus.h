/* bus.h - the one place every signal passes.
 *
 * Rooms do not call each other: they admit here and listen here.  The promises that
 * make this safe to use without thinking:
 *
 *   - every listener hears every signal, in one order, the same for all: that of seq;
 *   - a signal admitted from inside a listener waits its turn (no nesting);
 *   - bus_admit answers only accepted or refused.  The seq arrives by the
 *     ticket's stamped(), which today is called before bus_admit returns and one
 *     day in a later turn: assume neither.
 */
#ifndef BUS_BUS_H
#define BUS_BUS_H

#include "base/buf.h"
#include "base/list.h"
#include "bus/admit.h"
#include "signal/signal.h"

struct bus;
struct folds;
struct journal;
struct tally;

struct bus_listener {
	const char *name; /* labels it in traces */
	void (*heard)(struct bus_listener *listener, const struct signal *s);
	/* Optional: everything up to seq is on the disk. */
	void (*durable)(struct bus_listener *listener, uint64_t seq);
	struct link in_bus; /* bus.listeners */
};

/* Given back when the signal has its seq.  self must live until then. */
struct bus_ticket {
	void (*stamped)(void *self, uint64_t tag, struct text id, uint64_t seq);
	void *self;
	uint64_t tag;
};

struct bus_emit {
	struct text raw; /* what listeners hear may lie in it: it stays until bus_admit returns */
	struct admit_from from;
	struct bus_ticket ticket; /* stamped may be NULL */
	bool durable;             /* somebody waits until it is on the disk */
	bool once;                /* the same source, id and bytes again get the first seq */
	bool guess;               /* it may be no signal at all: then that is not counted */
};

enum bus_answer {
	BUS_ACCEPTED,
	BUS_REFUSED, /* the bytes are at fault: see reason */
	BUS_FULL,    /* the disk fails and no more durable signals fit */
};

struct bus_verdict {
	enum bus_answer answer;
	enum admit_reason reason;
	struct error why; /* in words, when not accepted */
};

/* The journal is the bus's memory: seqs go on where it stopped, and the window of idempotent
 * emits is the first of what is folded from it. */
struct bus *bus_create(struct journal *journal, const struct admit_options *options);
void bus_set_mode(struct bus *bus, enum admit_mode mode); /* from now on */
void bus_destroy(struct bus *bus);

/* Who a signal comes from: name fills a missing source.  A producer without a
 * credential speaks under "local/", and not for us or for our own sources. */
struct admit_from bus_from(struct bus *bus, struct text name, bool has_credential);

/* Optional: further names that nobody without a credential may use. */
void bus_set_names(struct bus *bus, bool (*is_taken)(void *self, struct text name), void *self);

void bus_admit(struct bus *bus, const struct bus_emit *emit, struct bus_verdict *verdict);

void bus_add_listener(struct bus *bus, struct bus_listener *listener);
void bus_remove_listener(struct bus *bus, struct bus_listener *listener); /* safe inside heard() */

/* What is folded from the signals: each of them is heard there first.  See folds.h. */
struct folds *bus_folds(struct bus *bus);

/* From the journal's callback, joined by box.c. */
void bus_durable(struct bus *bus, uint64_t seq);

struct bus_stats {
	uint64_t accepted, repeated, id_reused, breaks_schema, live_only;
	uint64_t refused[ADMIT_REASONS], full;
};
const struct bus_stats *bus_stats(const struct bus *bus);
const struct tally *bus_tally(const struct bus *bus); /* of what was accepted */

#endif

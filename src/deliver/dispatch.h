/* dispatch.h - what goes to a chat, one after the other, in the order in which it came.
 *
 * Results of tools, blocks and finals share one queue.  One message is on its way at a time.  A
 * block that is not the first waits a moment before it leaves, as a person would who types.
 *
 * Whoever sends asks dispatch_next() for work, tells dispatch_done() when the channel has answered,
 * and comes back at dispatch_due().  A send that fails holds nobody up: the next one follows.
 */
#ifndef DELIVER_DISPATCH_H
#define DELIVER_DISPATCH_H

#include "deliver/normal.h"
#include "deliver/payload.h"

enum dispatch_kind { DISPATCH_TOOL, DISPATCH_BLOCK, DISPATCH_FINAL };

enum dispatch_pace {
	DISPATCH_PACE_UNSET,
	DISPATCH_PACE_OFF,
	DISPATCH_PACE_NATURAL, /* also spelt "on" */
	DISPATCH_PACE_CUSTOM,
};

/* `human_delay` of one level of the configuration. */
struct dispatch_delay {
	enum dispatch_pace pace;
	int64_t min_ms, max_ms; /* of CUSTOM; a max below min is min */
};

#define DISPATCH_DELAY_MIN_MS 800
#define DISPATCH_DELAY_MAX_MS 2500
#define DISPATCH_BLOCK_MS 15000
/* More that waits is refused: a chat of a day's work is a few hundred. */
#define DISPATCH_WAITING_MAX 1000

bool dispatch_read_pace(struct text word, enum dispatch_pace *pace);

/* Agent over channel over the general level, each of which may be NULL; else off. */
struct dispatch_delay dispatch_resolve(const struct dispatch_delay *general,
                                       const struct dispatch_delay *channel,
                                       const struct dispatch_delay *agent);

struct dispatch_options {
	struct normal_options normal; /* its texts outlive the dispatch */
	struct dispatch_delay delay;
	uint64_t seed; /* of the delays; any number */
};

struct dispatch_item {
	enum dispatch_kind kind;
	uint64_t number; /* whatever the caller knows it by */
	const struct payload *payload;
};

/* Why an item was not taken. */
enum dispatch_refusal {
	DISPATCH_IS_EMPTY,
	DISPATCH_IS_SILENT,
	DISPATCH_IS_HEARTBEAT,
	DISPATCH_IS_FULL,
};

enum dispatch_step {
	DISPATCH_WAITS, /* nothing to do before dispatch_due() */
	DISPATCH_SENDS, /* send this item now, and tell dispatch_done() */
	DISPATCH_LATE,  /* this block took too long: give its send up, nobody knows how it ended */
};

struct dispatch;

struct dispatch *dispatch_create(const struct dispatch_options *options);
void dispatch_destroy(struct dispatch *d);

/* False where there is nothing in it to send; why may be NULL. */
bool dispatch_enqueue(struct dispatch *d, const struct dispatch_item *item, int64_t now_ms,
                      enum dispatch_refusal *why);

/* Ask until it waits.  The item is valid until the next call. */
enum dispatch_step dispatch_next(struct dispatch *d, int64_t now_ms, struct dispatch_item *item);

/* The channel has answered, well or badly.  False: that one is not on its way (any more). */
bool dispatch_done(struct dispatch *d, uint64_t number, int64_t now_ms);

int64_t dispatch_due(const struct dispatch *d); /* INT64_MAX: when something happens */

/* Nothing waits, nothing is on its way. */
bool dispatch_is_idle(const struct dispatch *d);

void dispatch_note_heartbeat(struct dispatch *d); /* the run is one: see normal.h */

/* Blocks that wait are forgotten; what is on its way stays. */
void dispatch_drop_blocks(struct dispatch *d, int64_t now_ms);

#endif

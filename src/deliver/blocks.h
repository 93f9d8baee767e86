/* blocks.h - the pipeline of a turn: tokens and payloads in, blocks out, and what is left for
 * the final.
 *
 * Tokens go through a chunker, and its pieces through a gatherer.  A block that is complete is
 * taken, sent in the order of its number (deliver/dispatch.h), and settled when the channel has
 * answered.  The same payload, by text, media and reply target, leaves once in a turn; a text
 * that is streamed may say the same twice.  When nobody knows how a send ended, the rest of the
 * blocks is given up, because what follows a hole reads badly: pipeline_final() then has all
 * that no chat has accepted.
 *
 * Time comes with each call; pipeline_tick() wants to be called at pipeline_due().
 */
#ifndef DELIVER_BLOCKS_H
#define DELIVER_BLOCKS_H

#include "deliver/chunk.h"
#include "deliver/gather.h"
#include "deliver/payload.h"

enum pipeline_hold {
	PIPELINE_HOLDS_AUDIO, /* till the flush; all of it is voice notes if one of them is */
	PIPELINE_HOLDS_MEDIA, /* all media till the flush, audio as before */
	PIPELINE_HOLDS_NONE,
};

struct pipeline_options {
	struct chunk_options chunking;
	struct gather_options coalescing;
	enum pipeline_hold hold;
	struct text reply_to; /* the first block of tokens answers this; copied */
};

/* Blocks that wait for their answer, and media that wait for the flush.  The block
 * too many is kept for the final, and what comes then is refused. */
#define PIPELINE_WAITING_MAX 1000
#define PIPELINE_HELD_MAX 64

enum pipeline_sent {
	PIPELINE_ACCEPTED, /* the channel has it */
	PIPELINE_REFUSED,  /* the channel does not have it: it goes with the final */
	PIPELINE_UNKNOWN, /* nobody knows, or not yet: its sender sees to it; others are given up */
	PIPELINE_ABSENT,  /* it did not leave in time: likewise, and it goes with the final */
	PIPELINE_SKIPPED, /* there was nothing in it to send */
};

struct pipeline_block {
	uint64_t number; /* from 1 on */
	const struct payload *payload;
};

struct pipeline;

struct pipeline *pipeline_create(const struct pipeline_options *options);
void pipeline_destroy(struct pipeline *p);

/* --- what the agent says ----------------------------------------------------------------- */

/* False: it was not taken, because the pipeline has stopped or too much waits. */
bool pipeline_say(struct pipeline *p, struct text token, int64_t now_ms);

/* A whole payload.  A text longer than a block is cut as tokens are.  Media leave behind all that
 * was said before them.  False: not taken; it is blank, or left already, or too much waits. */
bool pipeline_enqueue(struct pipeline *p, const struct payload *payload, int64_t now_ms);

/* A message of the agent begins: what the last one left behind leaves. */
void pipeline_begin_message(struct pipeline *p);

/* What was said so far leaves, before something else does. */
void pipeline_pause(struct pipeline *p);

/* All that is held leaves, media that waited for it too. */
void pipeline_flush(struct pipeline *p);

/* Nothing leaves any more, and nothing is taken; what is held is for the final. */
void pipeline_stop(struct pipeline *p);

int64_t pipeline_due(const struct pipeline *p); /* INT64_MAX: when something happens */
void pipeline_tick(struct pipeline *p, int64_t now_ms);

/* --- what goes to the chat ---------------------------------------------------------------- */

/* The next block, valid until it is settled.  Take them all after each call above. */
bool pipeline_take(struct pipeline *p, struct pipeline_block *block);
void pipeline_settle(struct pipeline *p, uint64_t number, enum pipeline_sent sent);

bool pipeline_gave_up(const struct pipeline *p);

/* Was this message accepted in this turn?  For finals of others, too. */
bool pipeline_has_sent(const struct pipeline *p, const struct payload *payload);

/* When all is settled: of the final that the agent gave, what is still to be sent; false: nothing.
 * A text that was streamed is not sent again, but for what was not accepted of it.  The rest is
 * valid until the next call. */
bool pipeline_final(struct pipeline *p, const struct payload *final, struct payload *rest);

#endif

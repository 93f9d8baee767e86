/* gather.h - the coalescer: short texts gathered until they are worth a message.
 *
 * It holds one text.  The next one is joined to it; when both would be longer than max_chars or
 * have more lines than a message may, or at the end of a paragraph from min_chars on, or when
 * nothing came for idle_ms, what it holds leaves as a block.
 */
#ifndef DELIVER_GATHER_H
#define DELIVER_GATHER_H

#include "deliver/chunk.h"
#include "deliver/payload.h"

enum gather_idle {
	GATHER_IDLE_UNSET,
	GATHER_IDLE_SENDS, /* what there is, however short */
	GATHER_IDLE_GATED, /* from min_chars on; less waits for more, or for the end */
};

#define GATHER_JOINER_MAX 16

/* `coalescing` of one level of the configuration; 0 and empty are unset. */
struct gather_wish {
	size_t min_chars, max_chars;
	int64_t idle_ms;
	struct text joiner; /* at most GATHER_JOINER_MAX bytes of it */
	enum chunk_switch flush_on_enqueue;
	enum gather_idle idle;
};

struct gather_options {
	enum chunk_unit unit;
	size_t min_chars, max_chars;
	int64_t idle_ms;
	char joiner[GATHER_JOINER_MAX + 1];
	bool flush_on_enqueue;
	enum gather_idle idle;
	size_t max_lines; /* 0: as many as there are */
};

#define GATHER_IDLE_MS 1000

/* Account over channel over the general level over the defaults, each of which may be NULL.
 * How pieces are cut, as chunk_resolve() says, gives the unit, the lines, the joiner (a blank line,
 * a new line or a space), and whether each payload leaves by itself. */
struct gather_levels {
	const struct gather_wish *general, *channel, *account;
};
void gather_resolve(struct gather_options *options, const struct gather_levels *levels,
                    const struct chunk_limit *limit, const struct chunk_options *chunking);

struct gatherer {
	struct gather_options options;
	struct buf text;
	struct buf reply_to;
	bool is_voice;
	enum chunk_gap gap; /* before what is held */
	bool is_streamed;   /* something in it is a piece of a longer text */
	bool follows;       /* it goes on with the text of the block before it, behind that gap */
};

/* A text that is to be gathered. */
struct gather_part {
	struct text text, reply_to;
	bool is_voice;
	bool is_streamed; /* a piece of a longer text, which may say the same twice */
	bool ends_paragraph;
	bool follows; /* the text before it, behind this gap; else the joiner is put between */
	enum chunk_gap gap;
};

void gather_init(struct gatherer *c, const struct gather_options *options);
void gather_finish(struct gatherer *c);

/* What adding this part asks for, in this order. */
struct gather_steps {
	bool flush_before; /* what is held leaves first */
	bool pass;         /* the part is long enough to leave by itself; it is not held */
	bool flush_after;
};
/* The text is no longer than a block may be, nor has it more lines. */
bool gather_fits(const struct gather_options *o, struct text t);
struct gather_steps gather_plan(const struct gatherer *c, const struct gather_part *part);
void gather_hold(struct gatherer *c, const struct gather_part *part);

bool gather_holds(const struct gatherer *c);
void gather_clear(struct gatherer *c);

#endif

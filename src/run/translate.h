/* translate.h - from signals to frames of the run dialect; pure.
 *
 * A signal that came as a frame of this dialect (metadata.origin) is that frame again, to
 * the byte but for a number where it had none.  Any other becomes what an agent of this
 * dialect would have sent; the table is in docs/dialects.md.  One of these is kept for each
 * run: the same signals, from the
 * first on, always make the same frames, and so the same numbers.
 *
 * Prompts make no frame here: towards screens they have an id of ours, see prompts.h.  In
 * a run whose agent speaks this dialect, only what that agent says makes frames.
 */
#ifndef RUN_TRANSLATE_H
#define RUN_TRANSLATE_H

#include <yyjson.h>

#include "base/buf.h"
#include "base/map.h"
#include "signal/json.h"
#include "signal/signal.h"

#define TRANSLATE_NAMES_MAX 256       /* that are at work; then all are forgotten */
#define TRANSLATE_WORDS_MAX (8 * KIB) /* of what one of them has said */
#define TRANSLATE_SAID_MAX (32 * KIB) /* of all of them */
#define TRANSLATE_PREVIEW_MAX 200     /* bytes of what a tool gave */
#define TRANSLATE_FRAME_MAX (8 * MIB) /* a longer one is none */

/* A frame in three pieces.  Its number goes between head and tail, if it is an event; in
 * one that an agent sent, `own` is what stood there, and empty if nothing did. */
struct pieces {
	struct text head, own, tail; /* a frame without a number is all in head */
	bool is_numbered;
	bool is_agents;
};

/* As screens get it: every event has a number.  merged: the one among all runs; otherwise
 * what an agent numbered itself is as it was. */
void pieces_add(const struct pieces *pieces, bool merged, uint64_t number, struct buf *out);

struct translate {
	struct map names; /* invokeid -> struct name, what is open of it */
	size_t said;      /* bytes of words of all of them */
	bool is_dialect;  /* its agent speaks this dialect */
	char *phase;      /* the last configuration that was told, as JSON */
};

void translate_init(struct translate *t);
void translate_finish(struct translate *t);

/* envelope is s->line, read by this reader.  Calls once for each frame. */
typedef void translate_each_fn(void *self, const struct pieces *frame);
struct translation {
	const struct json_reader *reader;
	yyjson_val *envelope;
	const struct signal *s;
	struct buf *scratch; /* of TRANSLATE_FRAME_MAX, for frames */
	translate_each_fn *each;
	void *self;
};
void translate_signal(struct translate *t, const struct translation *of);

/* The frame that a signal came as, to the byte; empty: it came as none.  is_dialect: it
 * came by this dialect all the same. */
struct text translate_origin(const struct json_reader *reader, struct text line,
                             yyjson_val *envelope, bool *is_dialect);

/* The run that a signal belongs to: its correlationId, else its source.  Empty: to none,
 * as what the box and the stage say of nothing in particular. */
#define TRANSLATE_RUN_MAX 512 /* a longer name is none */
struct text translate_run(const struct signal *s);

/* As a JSON object and back, into one that is empty. */
void translate_save(const struct translate *t, struct buf *out);
bool translate_load(struct translate *t, yyjson_val *saved);

#endif

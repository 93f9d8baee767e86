/* translate.h - a run's events as frames of the run dialect; pure.
 *
 * A signal that came as a frame of this dialect (metadata.origin) is that frame again, to
 * the byte but for a number where it had none.  Any other becomes what an agent of this
 * dialect would have sent; the table is in docs/dialects.md.
 *
 * Frames are for screens, and nothing here reads them again.  Prompts make no frame here:
 * towards screens they have an id of ours, see prompts.h.
 */
#ifndef RUN_TRANSLATE_H
#define RUN_TRANSLATE_H

#include <yyjson.h>

#include "base/buf.h"
#include "run/hear.h"
#include "signal/json.h"

#define TRANSLATE_PREVIEW_MAX 200     /* bytes of what a tool gave */
#define TRANSLATE_FRAME_MAX (8 * MIB) /* a longer one is none */

/* A frame in three pieces.  Its number goes between head and tail, if it is an event; in
 * one that an agent sent, `own` is what stood there, and empty if nothing did. */
struct frame_pieces {
	struct text head, own, tail; /* a frame without a number is all in head */
	bool is_numbered;
	bool is_agents;
};

/* As screens get it: every event has a number.  merged: the one among all runs; otherwise
 * what an agent numbered itself is as it was. */
void pieces_add(const struct frame_pieces *pieces, bool merged, uint64_t number, struct buf *out);

/* The beginning of a frame in a stream of many runs, which says whose it is; head is left without
 * that. */
void pieces_begin(struct text *head, const char *run, struct buf *out);

/* The frame of an event that a signal is.  It lies in the signal and in scratch, which is
 * of TRANSLATE_FRAME_MAX.  False: it has none. */
bool translate_event(const struct signal *s, const struct run_event *event, struct buf *scratch,
                     struct frame_pieces *out);

/* The frame that a signal came as, to the byte; empty: it came as none.  is_dialect: it
 * came by this dialect all the same. */
struct text translate_origin(const struct json_reader *reader, struct text line,
                             yyjson_val *envelope, bool *is_dialect);

#endif

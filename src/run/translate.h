/* translate.h - from signals to frames of the run dialect; pure.
 *
 * A signal that came as a frame of this dialect (metadata.origin) is that frame again, to
 * the byte.  Any other becomes what an agent of this dialect would have sent; the table
 * is in docs/dialects.md.  One of these is kept for each run: the same signals, from the
 * first on, always make the same frames, and so the same numbers.
 */
#ifndef RUN_TRANSLATE_H
#define RUN_TRANSLATE_H

#include "base/buf.h"
#include "base/map.h"
#include "signal/json.h"
#include "signal/signal.h"

/* Names that were given a start, and what is known of them. */
#define TRANSLATE_NAMES_MAX 256

struct translate {
	struct map names; /* invokeid -> what is open of it */
	size_t count;
};

void translate_init(struct translate *t);
void translate_finish(struct translate *t);

/* Calls once for each frame.  An event is given in two pieces, between which a seq
 * goes: `{"kind":"event","seq":` N `,"ts":...}`; a frame that has no number, or brought
 * its own, has all of it in `head`. */
struct translated {
	struct text head, tail;
	bool is_numbered;
};
typedef void translate_each_fn(void *self, const struct translated *frame);
void translate_signal(struct translate *t, struct json_reader *reader, const struct signal *s,
                      translate_each_fn *each, void *self);

/* The run that a signal belongs to: its correlationId, else its source. */
static inline struct text translate_run(const struct signal *s)
{
	return s->correlation.len ? s->correlation : s->source;
}

void translate_save(const struct translate *t, struct buf *out);
bool translate_load(struct translate *t, yyjson_val *saved);

#endif

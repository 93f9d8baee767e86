/* hear.h - what signals mean for the run that they are of; pure.
 *
 * Each signal is none, one or several events (event.h).  One of these is kept for each
 * run: the same signals, from the first on, always are the same events, and so have the
 * same numbers.
 *
 * Who was not told to begin begins with the first that is heard of it.  In a run whose
 * agent speaks the run dialect only what that agent says is an event: the frame that a
 * signal carries (metadata.origin), mapped where the signal was read.
 */
#ifndef RUN_HEAR_H
#define RUN_HEAR_H

#include "base/map.h"
#include "run/event.h"
#include "signal/signal.h"

#define HEAR_NAMES_MAX 256       /* that are at work; then all are forgotten */
#define HEAR_WORDS_MAX (8 * KIB) /* of what one of them has said */
#define HEAR_SAID_MAX (32 * KIB) /* of all of them */
#define TRANSLATE_RUN_MAX 512    /* a longer name of a run or a model is none */

struct hearing {
	struct map names; /* invokeid -> struct name, what is open of it */
	size_t said;      /* bytes of words of all of them */
	bool is_dialect;  /* its agent speaks the run dialect */
	char *phase;      /* the last configuration that was told, as JSON */
};

void hearing_init(struct hearing *h);
void hearing_finish(struct hearing *h);

/* Calls once for each event.  The signal was read to a document, by signal_read(). */
typedef void run_event_fn(void *self, const struct run_event *event);
void hear_signal(struct hearing *h, const struct signal *s, run_event_fn *each, void *self);

/* The run that a signal belongs to: its correlationId, else its source.  Empty: to none,
 * as what the box and the stage say of nothing in particular, and sums of many (usage.*). */
struct text run_of_signal(const struct signal *s);

/* It says that a frame came whose news was told, for screens of the same protocol: it is no news of
 * its run, and begins none. */
bool run_is_told(const struct signal *s);

/* As a JSON object and back, into one that is empty. */
void hearing_save(const struct hearing *h, struct buf *out);
bool hearing_load(struct hearing *h, yyjson_val *saved);

#endif

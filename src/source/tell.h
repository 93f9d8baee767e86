/* tell.h - what is told of a source besides its signals. */
#ifndef SOURCE_TELL_H
#define SOURCE_TELL_H

#include <stdint.h>

#include "base/text.h"
#include "bus/back.h"

struct source;

/* A signal of a run of theirs, and where that run is after it: the next life of the box goes on
 * there.  And where each was that told it so. */
void source_received_of_run(struct source *source, struct text envelope, struct text at);
void source_each_run(struct source *source, void (*each)(void *of, struct text run, struct text at),
                     void *of);
/* The signal that begins a run that was asked for.  place: where the run is, or empty. */
struct source_dispatch {
	struct text place;  /* where the run is; or empty */
	struct text origin; /* metadata.origin, JSON; or empty */
};
void source_dispatch(struct source *source, const struct back_ask *ask,
                     const struct source_dispatch *more);
bool source_is_stopping(const struct source *source); /* the box does */

/* What a source could not hear. */
struct source_gap {
	int64_t since_ms; /* 0: it is not known */
	uint64_t missed;  /* events, where they are counted; else 0 */
	const char *why;
};

/* Something was missed that nobody can tell any more: a signal `source.gap`. */
void source_tell_gap(struct source *source, const struct source_gap *gap);

/* The process that did a session's work is gone: a signal `session.gone`. */
void source_tell_gone(struct source *source, struct text session, const char *why);

/* A prompt of theirs, by their own id: it wants no answer any more, or it was asked
 * again and wants the one that was given meanwhile. */
void source_withdrew(struct source *source, struct text id, const char *why);
void source_asks_again(struct source *source, struct text run);
/* The open ones, by their own ids.  Nothing is to be done to them from in it. */
void source_each_prompt(struct source *source, void (*each)(void *of, struct text id), void *of);

/* What became of one of them: decided by what was answered here, or elsewhere, by this one if
 * that is known.  One that is still open is closed. */
struct source_decision {
	struct text id, by;
	bool is_elsewhere;
	const char *decision;
};
void source_decided(struct source *source, const struct source_decision *decision);

/* What became of a control that was taken: done, or why not; and of a call. */
void source_verdict(struct source *source, uint64_t ticket, enum back_answer verdict,
                    const char *why);
void source_called(struct source *source, uint64_t ticket, const struct back_verdict *verdict);

/* Nobody chose the protocol: it was guessed from the URL, and whoever finds out
 * better may say so.  Then this transport is closed at the end of the turn and the
 * other one opened in its place.  NULL: what the scheme alone says. */
bool source_is_guessed(const struct source *source);
void source_become(struct source *source, const char *protocol);

#endif

/* toil.h - what tools took: calls, failures and time, by hour of UTC and tool; a fold.
 *
 * A call that several tell of is counted once, by its run and id, when it returns.  Its time is
 * the one that its agent told, or else that between the call and the return.  The newest
 * TOIL_ROWS_MAX rows are kept: some months of one person.
 */
#ifndef CREW_TOIL_H
#define CREW_TOIL_H

#include "base/buf.h"
#include "signal/signal.h"

#define TOIL_ROWS_MAX 8000  /* the one that was begun first is forgotten; saved in a millisecond */
#define TOIL_CALLS_MAX 1024 /* open, or known to have returned; likewise */
#define TOIL_NAME_MAX 64    /* bytes of a tool's name */

struct fold_kind;
struct peaks;
struct toil;
struct zone;

struct toil *toil_create(void);
void toil_destroy(struct toil *toil);
void toil_hear(struct toil *toil, const struct signal *signal);

struct toil_question {
	double since_ms, until_ms; /* hours that begin from since on and before until */
	const struct zone *zone;   /* of the days of whoever asks; NULL: UTC */
	const struct peaks *peaks; /* of the sessions at work */
};
/* `"tools":[{"key","calls","failures","ms"}],"days":[{.., "atOnce"}]`: members of an object.
 * The tool that took longest is the first; atOnce are the most sessions at work at one moment. */
void toil_json(const struct toil *toil, const struct toil_question *question, struct buf *out);

/* How it is folded from the journal (bus/folds.h). */
extern const struct fold_kind toil_fold;

#endif

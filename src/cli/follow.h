/* follow.h - the signals of a box as they come, across its absences.
 *
 * There must be a box at the start; when it goes away later it is waited for, and
 * following goes on exactly where it was.  A gap is said on standard error.
 */
#ifndef CLI_FOLLOW_H
#define CLI_FOLLOW_H

#include "cli/remote.h"
#include "parse/sse.h"
#include "signal/position.h"

#define FOLLOW_EVENT_MAX (64 * MIB)

struct follow {
	struct remote *remote;
	const char *path;    /* of the stream, with its query */
	struct positions at; /* where to begin, and, as it goes on, where it stands */
	struct out *out;     /* flushed after each piece that comes; without a reader it ends */
	bool has_met;        /* a box answered already: it is worth waiting for */

	void *self;
	bool (*heard)(void *self, struct text envelope); /* false: enough */
	bool (*goes_on)(void *self); /* optional; false: enough.  Asked once a second */

	/* follow.c's own. */
	struct sse_reader events;
	struct buf refusal;         /* the body of an answer that is no stream */
	bool is_away;               /* the line is lost, and that was said */
	bool is_enough, is_too_big; /* an event was the last; one was larger than we take */
};

void follow_init(struct follow *follow); /* after the members above are set */
void follow_finish(struct follow *follow);

/* Until it is enough; the exit status.  May be called again to hear what follows. */
int follow_run(struct follow *follow);

/* ---- for its path ---- */

/* Everything but letters, digits and -._~* as %XX. */
void follow_add_escaped(struct buf *path, struct text value);

/* ---- for where it begins ---- */

/* Where the box is now, so that what comes while the line is broken before the
 * first signal is not missed either. */
bool follow_present(struct positions *at, struct remote *remote, struct error *why);

#endif

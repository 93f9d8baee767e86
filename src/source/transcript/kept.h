/* kept.h - files that programs keep of their sessions, read as they grow: rollouts of Codex,
 * chats of Gemini CLI.
 *
 * There may be thousands: a thread looks for those that were changed in the last minutes, and these
 * alone are read (trail.h).  The directories that it came through are watched, so that it need not
 * look often.
 *
 * The file is all that is known of such a session: `metadata.place` says so (`alone`), and how far
 * it was read.  By it living.c knows the session, and a box that starts again what was told.
 */
#ifndef SOURCE_KEPT_H
#define SOURCE_KEPT_H

#include "base/text.h"

struct holders;
struct kept;
struct living;
struct loop;
struct others;
struct trails;

struct kept_options {
	struct loop *loop;
	const struct others *others;
	struct trails *trails;
	struct living *living;
	const char *dir;      /* copied */
	const char *protocol; /* of parse/ */
	const char *within;   /* what the path of such a file has; NULL: anything */
	const char *begin;    /* how its name begins */
	const char *
		place; /* in the folder above: a file that has the folder of the session; or NULL */
	const char *program; /* that opens its file for each line; NULL: it keeps it open */
	void *self;
	void (*tell)(void *self, struct text envelope); /* the same envelope again is the same */
};

struct kept *kept_create(const struct kept_options *options);
void kept_destroy(struct kept *kept);

/* Each beat; is_all: also at what is watched. */
void kept_look(struct kept *kept, bool is_all);
/* Each file that was written to since it was asked for last, and whose process is not known. */
void kept_want_holders(struct kept *kept, struct holders *holders);
/* Are texts told that were written since then? */
void kept_set_words(struct kept *kept, bool words, int64_t from_ms);

#endif

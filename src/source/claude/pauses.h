/* pauses.h - sessions of Claude Code that are paused.
 *
 * With `tap install --approve` a PreToolUse waits while its session is held: pause, step
 * and continue are controls of the run, whose id is the session's.  That it is held is a file
 * (base/brake.h), which the hook looks at itself.  So a pause needs no box to hold, goes on
 * after a restart, and here it is only made, ended and told.  A paused session still asks, and
 * takes answers.
 */
#ifndef SOURCE_PAUSES_H
#define SOURCE_PAUSES_H

#include "bus/back.h"

struct bus;
struct hook;
struct paused;
struct pauses;

struct pauses_options {
	struct bus *bus;
	struct hook *hook; /* who gives our signals to their source */
	const char *data;  /* DATA */
	void *self;
	/* Optional: is this session paused, by what was told last? */
	bool (*was_paused)(void *self, struct text run);
};

struct pauses *pauses_create(const struct pauses_options *options);
void pauses_destroy(struct pauses *pauses);

/* A payload of any hook: its session is one that runs, or that is over. */
enum pauses_decides {
	PAUSES_UNSAID, /* as our hooks are installed */
	PAUSES_DECIDE, /* it came from a hook that decides */
	PAUSES_DO_NOT, /* it came from one that does not */
};
void pauses_note(struct pauses *pauses, struct text payload, enum pauses_decides decides);

/* A hook of this payload waits now.  NULL: that is not told; else until it went on. */
struct paused *pauses_wait(struct pauses *pauses, struct text payload);
void pauses_went(struct paused *paused); /* NULL is fine */

/* Whether it is held, and how many uses it has, may have changed. */
void pauses_look(struct pauses *pauses, struct text run);

/* BACK_UNKNOWN: the run is no session that was heard of. */
enum back_answer pauses_control(struct pauses *pauses, const struct back_control *control,
                                struct error *why);

/* Could that be done to this session? */
bool pauses_can(const struct pauses *pauses, struct text run, struct text op);

/* Do our hooks decide?  Without it nothing can be paused. */
void pauses_set_installed(struct pauses *pauses, bool is_installed);

#endif

/* pauses.h - sessions of Claude Code that are paused.
 *
 * With `tap install --approve` a PreToolUse waits while its session is paused: pause, step
 * and continue are controls of the run, whose id is the session's.  A paused session still
 * asks, and takes answers.  A pause goes on after a restart, by what was_paused() says.
 */
#ifndef SOURCE_PAUSES_H
#define SOURCE_PAUSES_H

#include "source/want.h"

struct bus;
struct hook;
struct loop;
struct paused;
struct pauses;

struct pauses_options {
	struct loop *loop;
	struct bus *bus;
	struct hook *hook; /* who gives our signals to their source */
	void *self;
	/* Optional: was this session paused when the box ended? */
	bool (*was_paused)(void *self, struct text run);
};

struct pauses *pauses_create(const struct pauses_options *options);
void pauses_destroy(struct pauses *pauses);
void pauses_stop(struct pauses *pauses); /* lets go of all, and holds no more */

typedef void pauses_passed_fn(void *of, struct text json); /* what to print: nothing */

/* A payload of a hook that decides.  NULL: there is nothing to wait for.  Else passed()
 * is called once, later, unless it is forgotten before. */
struct paused *pauses_hold(struct pauses *pauses, struct text payload, pauses_passed_fn *passed,
                           void *of);
/* Who waited is gone.  False: this is not held here. */
bool pauses_forget(struct pauses *pauses, const void *held);

/* A payload of any hook: its session is one that runs, or that is over. */
void pauses_note(struct pauses *pauses, struct text payload);

/* SOURCE_UNKNOWN: the run is no session that was heard of. */
enum source_answer pauses_control(struct pauses *pauses, const struct source_control *control,
                                  struct error *why);

/* Could that be done to this session? */
bool pauses_can(const struct pauses *pauses, struct text run, struct text op);

/* Do our hooks decide?  Without it nothing can be paused. */
void pauses_set_installed(struct pauses *pauses, bool is_installed);

#endif

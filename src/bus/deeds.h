/* deeds.h - what people do on a screen, and whether it reached an agent.
 *
 * A signal `user.*` that came by none of our sources is something that a person did: it is
 * passed on to the back end whose agent it concerns.  Whether a `user.command` was taken is a
 * signal of its own, `command.told {signal, told, why?}`, so that no screen says that somebody
 * was told before that is so.
 *
 * Whom it concerns may not be known yet: who acts on the stage acts on what a run did there, and
 * the stage may be behind.  Such a deed waits, with those that wait already, and is told later in
 * the order in which they were done.  A kill of the box loses those that wait; a stop says so.
 */
#ifndef BUS_DEEDS_H
#define BUS_DEEDS_H

#include <stdbool.h>

#include "base/text.h"

struct back_deed;
struct backs;
struct bus;
struct deeds;
struct signal;

struct deeds_options {
	struct bus *bus;
	struct backs *backs;
	void *self;
	/* Sets the source and the run that it concerns; empty: nobody.  False: that is not known
	 * yet, and deeds_go_on is called when it may be. */
	bool (*concerned)(void *self, const struct signal *s, struct back_deed *deed);
};

/* Hears the bus from now on, and as long as that is there. */
struct deeds *deeds_create(const struct deeds_options *options);
void deeds_go_on(
	struct deeds *deeds); /* tells what waits, if that is possible now; not from a tap */
void deeds_stop(struct deeds *deeds);    /* none waits any more: the box stops */
void deeds_destroy(struct deeds *deeds); /* after the bus has told its last */

#endif

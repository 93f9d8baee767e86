/* deeds.h - what people do on a screen, and whether it reached an agent.
 *
 * A signal `user.*` that came by none of our sources is something that a person did: it is
 * passed on to the back end whose agent it concerns.  Whether a `user.command` was taken is a
 * signal of its own, `command.told {signal, told, why?}`, so that no screen says that somebody
 * was told before that is so.
 */
#ifndef BUS_DEEDS_H
#define BUS_DEEDS_H

#include "base/text.h"

struct backs;
struct bus;
struct deeds;
struct signal;

struct deeds_options {
	struct bus *bus;
	struct backs *backs;
	void *self;
	/* The source and the run that it concerns; empty: nobody knows. */
	struct text (*concerned)(void *self, const struct signal *s, struct text *run);
};

/* Hears the bus from now on, and as long as that is there. */
struct deeds *deeds_create(const struct deeds_options *options);
void deeds_destroy(struct deeds *deeds); /* after the bus has told its last */

#endif

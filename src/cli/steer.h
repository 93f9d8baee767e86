/* steer.h - what people on any screen want of a program that we run.
 *
 * A line to the box, as an agent of the run dialect has one, on which nothing is said and
 * only controls are heard.  It never waits, and comes back by itself: without a box the
 * program runs all the same.
 */
#ifndef CLI_STEER_H
#define CLI_STEER_H

#include <poll.h>

#include "base/text.h"

struct steer;

/* session: the run that it is about.  told: for each control, by its name. */
struct steer *steer_create(const char *data, const char *session,
                           void (*told)(void *self, struct text op), void *self);
void steer_destroy(struct steer *steer);

/* Does what can be done now. */
void steer_step(struct steer *steer);

/* What to wait for, and how long at most. */
struct pollfd steer_poll(const struct steer *steer);
int steer_patience(const struct steer *steer);

#endif

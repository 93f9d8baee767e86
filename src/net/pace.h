/* pace.h - when text that was gathered is told: a timer that is finer than those of the loop. */
#ifndef NET_PACE_H
#define NET_PACE_H

#include <stddef.h>

#include "base/buf.h"

#define PACE_ALL_RATE (32 * MIB) /* bytes a second of one run's snapshots, to all its clients */

struct loop;
struct pace;

struct pace *pace_create(struct loop *loop, void (*fire)(void *self), void *self);
void pace_destroy(struct pace *pace);
void pace_set(struct pace *pace, unsigned after_ms); /* unless it fires sooner */

/* How long it is from one snapshot of a text of so many bytes to the next: it costs each of its
 * clients `rate` at most, and all of them PACE_ALL_RATE; never less than least_ms. */
unsigned pace_pause(size_t text, size_t rate, size_t clients, unsigned least_ms);

#endif

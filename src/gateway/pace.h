/* pace.h - a timer that is finer than those of the loop, for text that is gathered. */
#ifndef GATEWAY_PACE_H
#define GATEWAY_PACE_H

struct loop;
struct pace;

struct pace *pace_create(struct loop *loop, void (*fire)(void *self), void *self);
void pace_destroy(struct pace *pace);
void pace_set(struct pace *pace, unsigned after_ms); /* unless it fires sooner */

#endif

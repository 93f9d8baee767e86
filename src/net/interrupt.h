/* interrupt.h - UNIX signals, called interrupts here because a signal is
 * something else in this program. */
#ifndef NET_INTERRUPT_H
#define NET_INTERRUPT_H

#include "net/loop.h"

enum interrupt { INTERRUPT_STOP, INTERRUPT_RELOAD }; /* TERM and INT; HUP */

struct interrupts;

struct interrupts *interrupts_create(struct loop *loop,
                                     void (*fn)(void *self, enum interrupt which), void *self);
void interrupts_destroy(struct interrupts *interrupts);

/* A write to a socket nobody reads is an error code, not a death. */
void interrupt_ignore_pipe(void);

#endif

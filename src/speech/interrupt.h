/* interrupt.h - UNIX signals, as far as the speech engine meets them. */
#ifndef SPEECH_INTERRUPT_H
#define SPEECH_INTERRUPT_H

#include <sys/types.h>

/* Whoever closes a connection early does not end us; the end of the box does. */
void interrupts_prepare(void);
/* Kills a program of ours, and waits until it is gone. */
void interrupts_end(pid_t pid);

#endif

/* clock.h - what time it is, in three senses. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

int64_t clock_wall_ms(void);  /* Unix time: for envelopes and people */
uint64_t clock_mono_ns(void); /* never jumps: for deadlines and durations */
uint64_t clock_work_ns(void); /* the processor's for this thread: for what work may cost */

#endif

/* proc.h - what the kernel says of a process that somebody else wrote down.
 *
 * A number of a process is given out again when it has ended, and means another one in
 * another namespace or on another machine: whoever reads it in a file compares these.
 */
#ifndef BASE_PROC_H
#define BASE_PROC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct proc {
	uint64_t start;   /* ticks after boot: field 22 of /proc/PID/stat */
	int64_t began_ms; /* the same in Unix time, to a tick */
	char space[40];   /* the namespace that the number is from: "pid:[4026531836]" */
	char machine[40]; /* /etc/machine-id; empty: it has none */
};

/* False: there is no such process here, or all that is left of it is its exit code. */
bool proc_look(uint64_t pid, struct proc *out);

/* The state and field 22 of a line of /proc/PID/stat, whatever the program is called. */
bool proc_read_stat(struct text stat, char *state, uint64_t *start);

#endif

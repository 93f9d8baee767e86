/* child.h - another program, whose standard output we read.
 *
 * Everything else of it is ours: standard input and error, the terminal that
 * controls it, its place in the shell's job.  So Ctrl-C and Ctrl-Z act as if we were
 * not there.  When our output is a terminal, the child's is one too, of the same
 * size.
 */
#ifndef CLI_CHILD_H
#define CLI_CHILD_H

#include <sys/types.h>

#include "base/error.h"

struct child {
	pid_t pid;
	int out;        /* its output, not blocking; -1 once it is closed */
	bool is_screen; /* it believes to write to a terminal */
	bool has_ended;
	int status; /* as waitpid() has it */
};

/* argv ends with NULL.  A program that cannot be run ends with 127 or 126, as in a
 * shell, and has said why. */
bool child_start(struct child *child, char *const *argv, struct error *why);
void child_finish(struct child *child);

void child_resize(const struct child *child); /* as our terminal is now */
void child_look(struct child *child);         /* has it ended? */

/* What a shell would say: its own status, or 128 and the number that ended it. */
int child_status(const struct child *child);

#endif

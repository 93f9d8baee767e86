/* bench_box.h - a box of its own for a while, with a directory that nobody else knows.
 *
 * The same program, without the configuration and the environment of whoever runs it.  A
 * process between us and it ends it and removes the directory when we close, and also when
 * we die in any way.
 */
#ifndef CLI_BENCH_BOX_H
#define CLI_BENCH_BOX_H

#include <sys/types.h>

#include "base/error.h"

struct bench_box {
	char *dir; /* its DATA */
	int leash; /* open as long as we are there */
	pid_t keeper;
};

/* Below `parent`; env as execve() has it.  On failure nothing is left of it. */
bool bench_box_start(struct bench_box *box, const char *parent, const char *const *env,
                     struct error *why);

/* When this returns, the box and its directory are gone. */
void bench_box_stop(struct bench_box *box);

#endif

/* spawn.h - another program begun, with nothing of ours but what is named. */
#ifndef NET_SPAWN_H
#define NET_SPAWN_H

#include "base/error.h"

struct spawn {
	const char *const *argv; /* ended by NULL */
	const char *const *env;  /* "NAME=value", ended by NULL, beside what is kept; or NULL */
	const char *directory;
	int files[3]; /* its standard input, output and error; -1: /dev/null */
	int leash;    /* the end of its leash */
};

/* Ours of a leash, or -1 and errno: when it is closed, however that comes, the kernel kills the
 * group.  The program holds the other end, as its descriptor 3, from which nothing comes. */
int spawn_open_leash(struct spawn *spawn);
void spawn_close(struct spawn *spawn); /* what the program has of its own by then */

/* Its process id, which is that of its group as well; 0: it does not run.  It has begun when
 * this returns: a program that is not there, or may not be run, is an error here. */
int spawn_begin(const struct spawn *spawn, struct error *why);

#endif

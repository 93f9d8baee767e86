/* process.h - programs that the box runs.
 *
 * A program leads a process group of its own, works in the directory that is named, and
 * gets three descriptors and a clean environment: nothing else of ours reaches it.  What
 * it says comes as lines or as bytes; what it does not take waits, up to a ceiling.
 *
 * A fourth descriptor, which nothing comes from, is its leash: when this process ends without
 * having ended it, killed as it may be, the kernel kills the group.
 *
 * It ends with its leader.  What the leader leaves in its group is killed then, and
 * ended() is called once, after the last of its output.  Stopping it is SIGTERM to the
 * group and SIGKILL after PROCESS_GRACE_MS.  A process that has left the group is out of
 * reach here; under systemd it ends with the unit.
 *
 * Ownership: a process belongs to whoever started it until ended() or process_destroy(),
 * its memory to the loop.  Every callback may call anything here.
 */
#ifndef NET_PROCESS_H
#define NET_PROCESS_H

#include "base/error.h"
#include "net/pieces.h"

struct loop;
struct process;
struct processes;

#define PROCESS_GRACE_MS 5000
#define PROCESSES_MAX 64           /* that run at the same time; one more is refused */
#define PROCESS_COMPLAINT_MAX 4096 /* bytes of a line of standard error */

struct processes *processes_create(struct loop *loop);
/* Ends all that run, and waits for them for as long as stopping takes.  Nobody is told. */
void processes_destroy(struct processes *processes);

enum process_stream { PROCESS_OUTPUT, PROCESS_COMPLAINTS }; /* standard output and error */

struct process_end {
	int status;        /* as a shell has it: 128 and its number for a signal */
	const char *words; /* "ended with status 3"; gone after the call */
};

/* Everything is copied. */
struct process_options {
	/* Both ended by NULL.  The first argument is a path, or a name to look up in PATH.
	 * Variables, "NAME=value", join the few that are kept (spawn.c); NULL: no more. */
	const char *const *argv, *const *env;
	const char *directory; /* an absolute path */
	size_t line_max;       /* bytes of a line of standard output; 0: bytes as they come */
	size_t input_max;      /* bytes that may wait to go to it; 0: its input is empty */

	void *self;
	void (*heard)(void *self, enum process_stream stream, const struct piece *piece);
	void (*writable)(void *self); /* after PROCESS_FULL: all that waited is gone; may be NULL */
	void (*silent)(void *self);   /* it closed its standard output and stays; may be NULL */
	void (*ended)(void *self, const struct process_end *end); /* once, and last */
};

/* NULL: it does not run, and nothing of it is left.  No callback comes from inside. */
struct process *process_start(struct processes *processes, const struct process_options *options,
                              struct error *why);

/* All of the bytes or none.  More than input_max at once is always too much. */
enum process_take {
	PROCESS_TAKEN,
	PROCESS_FULL,   /* too much waits already; writable() will come */
	PROCESS_CLOSED, /* it reads no more, or never did */
};
enum process_take process_write(struct process *process, struct text bytes);
void process_close_input(struct process *process); /* after what waits */

/* Stop or go on reading what it says: while nobody reads, it waits. */
void process_hush(struct process *process, bool hush);

void process_stop(struct process *process); /* ended() will come */
/* Stops it; nothing is called any more.  NULL is fine. */
void process_destroy(struct process *process);
void process_kill(struct process *process); /* the same, by SIGKILL at once */

#endif

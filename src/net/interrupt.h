/* interrupt.h - UNIX signals, called interrupts here because a signal is
 * something else in this program. */
#ifndef NET_INTERRUPT_H
#define NET_INTERRUPT_H

#include <spawn.h>

#include "net/loop.h"

enum interrupt { INTERRUPT_STOP, INTERRUPT_RELOAD }; /* TERM and INT; HUP */

struct interrupts;

/* From now on they end nothing; fn is told by the loop, once it runs. */
struct interrupts *interrupts_create(struct loop *loop,
                                     void (*fn)(void *self, enum interrupt which), void *self);
/* Nobody is told any more, and they still end nothing: the program is about to, by itself. */
void interrupts_destroy(struct interrupts *interrupts);

/* ---- for a program that runs another ---- */

struct interrupt_caught {
	int number;
	bool is_child;              /* a child ended */
	bool is_resize;             /* the terminal has another size */
	bool is_suspend, is_resume; /* Ctrl-Z, and after it */
	bool was_sent; /* by a process to us alone, as far as we know: not by the terminal,
	                 * which tells our children itself */
};

/* From now on they are read from this descriptor, and end nothing; -1 and errno when
 * there is none to be had. */
int interrupt_catch(void);
bool interrupt_read(int fd, struct interrupt_caught *caught); /* false: no more now */
/* These four take a process, or with a minus before its number a whole group. */
void interrupt_pass(int number, int pid);
void interrupt_ask(int pid);  /* as Ctrl-C does */
void interrupt_end(int pid);  /* as kill does */
void interrupt_kill(int pid); /* as kill -9 does */

/* In the child, before its program begins: all as it was before we began. */
void interrupt_restore(void);
/* The same for one that posix_spawn begins: nothing is ignored, nothing is blocked. */
void interrupt_restore_spawned(posix_spawnattr_t *attributes);
/* In the child: it is killed when its parent ends, however that does. */
void interrupt_end_with_parent(void);
/* For one that posix_spawn begins: its group is killed when nobody can write to this pipe any
 * more.  A process of the group has to hold the end that is read from, and nobody writes. */
bool interrupt_leash(int fd, int group);

/* ---- for a program that draws on the terminal ---- */

/* As interrupt_catch(); children are not told of, Ctrl-Z and what follows it are. */
int interrupt_catch_screen(void);

/* Stops as if Ctrl-Z was not caught, with all of its group; returns when it goes on. */
void interrupt_suspend(void);

/* Called when the program crashes, before it ends as it would have; it may only do
 * what is safe in the middle of anything. */
void interrupt_before_crash(void (*restore)(void));

/* A write to a socket nobody reads, or beyond the limit of a file's size, is an error code
 * and not a death. */
void interrupt_ignore_pipe(void);

#endif

/* work.h - a piece of work that may wait for a disk, on a thread of its own.
 *
 * Not on libuv's pool: a disk that hangs would hold up all others there, and the end
 * of the program too.  Nobody ever waits for the thread.
 */
#ifndef NET_WORK_H
#define NET_WORK_H

struct loop;
struct work;

struct work_plan {
	void *self;
	void (*run)(void *self);  /* on the thread: touches nothing but self */
	void (*done)(void *self); /* on the loop, after it; never from inside work_start */
	void (*drop)(void *self); /* last of all, on either: frees self */
};

struct work *work_start(struct loop *loop, const struct work_plan *plan);

/* Before done() is called: then it never is.  The work itself goes on. */
void work_leave(struct work *work);

#endif

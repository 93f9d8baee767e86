/* work.c - a thread that nobody waits for. */
#include "net/work.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/must.h"
#include "net/loop.h"

/* Whoever of the two comes last frees it: the thread, or the loop's side. */
struct work {
	struct work_plan plan;
	struct wake *wake;
	pthread_mutex_t lock; /* of the two below, and of waking */
	bool is_done, is_left;
};

static void free_work(struct work *work)
{
	work->plan.drop(work->plan.self);
	pthread_mutex_destroy(&work->lock);
	free(work);
}

static void *work_run(void *self)
{
	struct work *work = self;
	bool is_left;

	work->plan.run(work->plan.self);
	pthread_mutex_lock(&work->lock);
	work->is_done = true;
	is_left = work->is_left;
	if (!is_left)
		wake_up(work->wake);
	pthread_mutex_unlock(&work->lock);
	if (is_left)
		free_work(work);
	return NULL;
}

static void work_tell(void *self)
{
	struct work *work = self;

	assert(work->plan.done);
	work->plan.done(work->plan.self);
	work_leave(work);
}

struct work *work_start(struct loop *loop, const struct work_plan *plan)
{
	struct work *work = must_zero(1, sizeof(*work));
	pthread_attr_t attributes;
	pthread_t thread;

	work->plan = *plan;
	work->wake = wake_create(loop, work_tell, work);
	pthread_mutex_init(&work->lock, NULL);
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	if (pthread_create(&thread, &attributes, work_run, work) != 0)
		work_run(work); /* slow is better than not at all */
	pthread_attr_destroy(&attributes);
	return work;
}

/* Once it is left and the lock is open, the thread may free it. */
void work_leave(struct work *work)
{
	struct wake *wake = work->wake;
	bool is_done;

	pthread_mutex_lock(&work->lock);
	work->is_left = true;
	is_done = work->is_done;
	pthread_mutex_unlock(&work->lock);
	wake_destroy(wake);
	if (is_done)
		free_work(work);
}

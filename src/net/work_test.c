/* work_test.c - work that is done, and work that is left. */
#include "net/work.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "net/loop.h"

struct job {
	struct loop *loop;
	pthread_t ran_on;
	bool ran, told;
	int gate[2]; /* the work ends when this is closed */
	int dropped[2];
};

static void run(void *self)
{
	struct job *job = self;
	char byte;

	job->ran_on = pthread_self();
	job->ran = true;
	if (job->gate[0] && read(job->gate[0], &byte, 1) < 0)
		job->ran = false;
}

static void done(void *self)
{
	struct job *job = self;

	job->told = true;
	loop_stop(job->loop);
}

static void drop(void *self)
{
	struct job *job = self;

	if (job->dropped[1] && write(job->dropped[1], "x", 1) != 1)
		abort();
}

static void work_is_done_on_another_thread_and_told_on_the_loop(void **state)
{
	struct job job = {.loop = loop_create()};

	work_start(job.loop, &(struct work_plan){&job, run, done, drop});
	assert_false(job.told);
	loop_run(job.loop);
	assert_true(job.told && job.ran);
	assert_false(pthread_equal(job.ran_on, pthread_self()));
	loop_destroy(job.loop);
}

static void work_that_is_left_ends_by_itself_and_is_not_told(void **state)
{
	struct job job = {.loop = loop_create()};
	struct work *work;
	char byte;

	assert_int_equal(pipe(job.gate), 0);
	assert_int_equal(pipe(job.dropped), 0);
	work = work_start(job.loop, &(struct work_plan){&job, run, done, drop});
	work_leave(work);
	loop_destroy(job.loop); /* does not wait for it */
	close(job.gate[1]);
	assert_int_equal(read(job.dropped[0], &byte, 1), 1);
	assert_true(job.ran && !job.told);
	close(job.gate[0]);
	close(job.dropped[0]);
	close(job.dropped[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(work_is_done_on_another_thread_and_told_on_the_loop),
		cmocka_unit_test(work_that_is_left_ends_by_itself_and_is_not_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

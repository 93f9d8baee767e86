/* interrupt_test.c - interrupts sent to ourselves. */
#include "net/interrupt.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

struct caught {
	struct loop *loop;
	unsigned stops, reloads;
};

static void on_interrupt(void *self, enum interrupt which)
{
	struct caught *caught = self;

	if (which == INTERRUPT_STOP)
		caught->stops++;
	else
		caught->reloads++;
	if (caught->stops == 2 && caught->reloads == 1)
		loop_stop(caught->loop);
}

static void each_interrupt_arrives_by_its_meaning(void **state)
{
	struct caught caught = {.loop = loop_create()};
	struct interrupts *interrupts = interrupts_create(caught.loop, on_interrupt, &caught);

	raise(SIGTERM);
	raise(SIGINT);
	raise(SIGHUP);
	loop_run(caught.loop);
	assert_int_equal(caught.stops, 2);
	assert_int_equal(caught.reloads, 1);
	interrupts_destroy(interrupts);
	interrupts_destroy(NULL);
	loop_destroy(caught.loop);
}

static void a_write_nobody_reads_is_an_error_code(void **state)
{
	int ends[2];

	interrupt_ignore_pipe();
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	assert_int_equal(write(ends[1], "x", 1), -1);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_interrupt_arrives_by_its_meaning),
		cmocka_unit_test(a_write_nobody_reads_is_an_error_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

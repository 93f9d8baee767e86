/* interrupt_test.c - interrupts sent to ourselves. */
#include "net/interrupt.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
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
	raise(SIGTERM); /* ends nothing */
	loop_destroy(caught.loop);
	raise(SIGHUP);
	assert_int_equal(caught.stops, 2);
	assert_int_equal(caught.reloads, 1);
	signal(SIGTERM, SIG_DFL); /* for the children of other tests */
}

static void what_is_caught_is_read_and_passed_on(void **state)
{
	int fd = interrupt_catch(), status;
	struct interrupt_caught caught;
	pid_t child;

	assert_true(fd >= 0);
	assert_false(interrupt_read(fd, &caught));
	raise(SIGWINCH);
	assert_true(interrupt_read(fd, &caught) && caught.is_resize && !caught.is_child);
	kill(getpid(), SIGTERM);
	assert_true(interrupt_read(fd, &caught) && caught.was_sent);
	assert_int_equal(caught.number, SIGTERM);
	child = fork();
	if (child == 0) {
		interrupt_restore();
		for (;;)
			pause();
	}
	interrupt_pass(SIGTERM, child);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	assert_true(interrupt_read(fd, &caught) && caught.is_child && !caught.was_sent);
	close(fd);
	interrupt_restore();
}

static int last_words;

static void say_last_words(void)
{
	assert_int_equal(write(last_words, "!", 1), 1);
}

static void a_crash_is_told_before_it_ends(void **state)
{
	int ends[2], status;
	char word;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		last_words = ends[1];
		interrupt_before_crash(say_last_words);
		raise(SIGABRT);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	close(ends[1]);
	assert_int_equal(read(ends[0], &word, 1), 1);
	close(ends[0]);
}

/* In a group of its own, which stops with it. */
static void suspend_and_end(void)
{
	struct interrupt_caught caught;
	int fd;

	setpgid(0, 0);
	fd = interrupt_catch_screen();
	raise(SIGTSTP);
	if (!interrupt_read(fd, &caught) || !caught.is_suspend)
		_exit(1);
	interrupt_suspend();
	if (!interrupt_read(fd, &caught) || !caught.is_resume)
		_exit(2);
	_exit(0);
}

static void a_screen_stops_and_goes_on(void **state)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		suspend_and_end();
	assert_int_equal(waitpid(child, &status, WUNTRACED), child);
	assert_true(WIFSTOPPED(status));
	kill(child, SIGCONT);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
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

static void a_file_that_is_too_big_is_an_error_code(void **state)
{
	struct rlimit was, none;
	FILE *file = tmpfile();

	assert_non_null(file);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	none = (struct rlimit){0, was.rlim_max};
	interrupt_ignore_pipe();
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	assert_int_equal(write(fileno(file), "x", 1), -1);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_interrupt_arrives_by_its_meaning),
		cmocka_unit_test(what_is_caught_is_read_and_passed_on),
		cmocka_unit_test(a_crash_is_told_before_it_ends),
		cmocka_unit_test(a_screen_stops_and_goes_on),
		cmocka_unit_test(a_write_nobody_reads_is_an_error_code),
		cmocka_unit_test(a_file_that_is_too_big_is_an_error_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

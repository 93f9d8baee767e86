/* proc_test.c - processes that are there, and those that are not. */
#include "base/proc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"

static void our_own_process_is_seen(void **state)
{
	struct proc me;

	assert_true(proc_look((uint64_t)getpid(), &me));
	assert_true(me.start > 0);
	assert_true(text_starts(text_of(me.space), TEXT("pid:[")));
	assert_true(me.began_ms > clock_wall_ms() - 3600 * 1000);
	assert_true(me.began_ms <= clock_wall_ms() + 1000);
}

/* A child that ended, first as its exit code alone, then not at all. */
static void a_process_that_ended_is_none(void **state)
{
	struct proc child;
	siginfo_t info;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_false(proc_look((uint64_t)pid, &child));
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_false(proc_look((uint64_t)pid, &child));
}

static void no_process_has_a_foolish_number(void **state)
{
	struct proc none;

	assert_false(proc_look(0, &none));
	assert_false(proc_look(UINT64_MAX, &none));
}

static void a_name_may_hold_anything(void **state)
{
	uint64_t start = 0;
	char letter = 0;

	assert_true(proc_read_stat(TEXT("7 (a) Z 1 (b)) S 4 5 6 7 8 9 10 11 12 13 14 15 16 17 "
	                                "18 19 20 21 129967 23 24\n"),
	                           &letter, &start));
	assert_int_equal(letter, 'S');
	assert_int_equal(start, 129967);
}

static void a_line_that_is_none_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"7",
		"7 (sh)",
		"7 (sh) S",
		"7 (sh) SS 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22",
		"7 (sh) S 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21",
		"7 (sh) S 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 -22",
		"7 (sh) S  5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24",
	};
	uint64_t start;
	char letter;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(proc_read_stat(text_of(bad[i]), &letter, &start));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(our_own_process_is_seen),
		cmocka_unit_test(a_process_that_ended_is_none),
		cmocka_unit_test(no_process_has_a_foolish_number),
		cmocka_unit_test(a_name_may_hold_anything),
		cmocka_unit_test(a_line_that_is_none_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

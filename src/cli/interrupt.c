/* interrupt.c - the one flag that a handler may set. */
#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t came;

static void note(int number)
{
	(void)number;
	came = 1;
}

/* Without SA_RESTART, so that whoever waits wakes up; the second one finds the
 * default, and that ends the program. */
void interrupt_watch(void)
{
	struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

bool interrupt_came(void)
{
	return came;
}

/* interrupt.c - see interrupt.h. */
#include "speech/interrupt.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

void interrupts_prepare(void)
{
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
}

void interrupts_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

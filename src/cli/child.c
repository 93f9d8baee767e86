/* child.c - another program, whose standard output we read. */
#include "cli/child.h"

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "cli/out.h"
#include "net/interrupt.h"

/* A terminal that changes nothing: what ours would change, ours does. */
static bool open_screen(int ends[2], struct error *why)
{
	struct winsize size;
	struct termios plain;

	if (openpty(&ends[0], &ends[1], NULL, NULL, NULL) != 0)
		return error_errno(why, "no terminal for the program");
	if (tcgetattr(ends[1], &plain) == 0) {
		cfmakeraw(&plain);
		tcsetattr(ends[1], TCSANOW, &plain);
	}
	if (ioctl(1, TIOCGWINSZ, &size) == 0)
		ioctl(ends[0], TIOCSWINSZ, &size);
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	return true;
}

static void become(char *const *argv, int out)
{
	int failure;

	interrupt_restore();
	dup2(out, 1);
	execvp(argv[0], argv);
	failure = errno;
	out_say("%s: %s", argv[0], strerror(failure));
	_exit(failure == ENOENT ? 127 : 126);
}

bool child_start(struct child *child, char *const *argv, struct error *why)
{
	int ends[2];

	*child = (struct child){.out = -1, .is_screen = isatty(1)};
	if (child->is_screen) {
		if (!open_screen(ends, why))
			return false;
	} else if (pipe2(ends, O_CLOEXEC) != 0) {
		return error_errno(why, "no pipe for the program");
	}
	child->pid = fork();
	if (child->pid == 0)
		become(argv, ends[1]);
	close(ends[1]);
	child->out = ends[0];
	fcntl(child->out, F_SETFL, O_NONBLOCK);
	if (child->pid > 0)
		return true;
	child_finish(child);
	return error_errno(why, "%s", argv[0]);
}

void child_finish(struct child *child)
{
	if (child->out >= 0)
		close(child->out);
	child->out = -1;
}

void child_resize(const struct child *child)
{
	struct winsize size;

	if (child->is_screen && child->out >= 0 && ioctl(1, TIOCGWINSZ, &size) == 0)
		ioctl(child->out, TIOCSWINSZ, &size);
}

void child_look(struct child *child)
{
	if (!child->has_ended && waitpid(child->pid, &child->status, WNOHANG) == child->pid)
		child->has_ended = true;
}

int child_status(const struct child *child)
{
	if (WIFSIGNALED(child->status))
		return 128 + WTERMSIG(child->status);
	return WEXITSTATUS(child->status);
}

/* agent.c - what /proc says of who runs a hook, and of the box.
 *
 * An agent runs it by a shell, which may stay between them, and which lives on when the agent
 * is killed.
 */
#include "cli/agent.h"

#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/whole.h"
#include "net/peer.h"

#define STAT_MAX 4096

/* `PID (NAME) STATE PPID ...`: the parent, 0 when there is no such process.  A name may hold
 * spaces and brackets. */
static uint64_t read_stat(struct text stat, struct text *name, struct text *state)
{
	const char *open = stat.len ? memchr(stat.at, '(', stat.len) : NULL;
	const char *close = stat.len ? memrchr(stat.at, ')', stat.len) : NULL;
	struct text rest;
	uint64_t parent;

	if (!open || !close || close < open)
		return 0;
	*name = (struct text){open + 1, (size_t)(close - open) - 1};
	rest = text_trim((struct text){close + 1, (size_t)(stat.at + stat.len - close) - 1});
	*state = text_cut(rest, ' ', &rest);
	return text_to_u64(text_cut(rest, ' ', &rest), &parent) ? parent : 0;
}

static bool is_shell(struct text name)
{
	static const char *const shells[] = {"sh", "bash", "dash", "zsh", "ksh", "ash", "fish"};

	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++)
		if (text_is(name, shells[i]))
			return true;
	return false;
}

static void load_stat(struct buf *stat, int pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	buf_init(stat, STAT_MAX);
	whole_load(path, 0, stat, NULL);
}

int agent_pid(void)
{
	struct text name = {NULL, 0}, state;
	struct buf stat;
	uint64_t parent;
	int pid = getppid();

	load_stat(&stat, pid);
	parent = read_stat(buf_text(&stat), &name, &state);
	if (parent > 0 && parent <= INT_MAX && is_shell(name))
		pid = (int)parent;
	buf_finish(&stat);
	return pid;
}

int agent_open(void)
{
	return (int)syscall(SYS_pidfd_open, agent_pid(), 0);
}

bool agent_is_gone(int fd)
{
	struct pollfd wait = {.fd = fd, .events = POLLIN};

	return fd >= 0 && poll(&wait, 1, 0) > 0;
}

bool agent_box_is_stopped(int line)
{
	struct text name, state = {NULL, 0};
	struct peer box;
	struct buf stat;
	bool is_stopped;

	/* Of another PID namespace the kernel says 0. */
	if (!peer_of_socket(line, &box) || box.pid <= 0)
		return false;
	load_stat(&stat, box.pid);
	read_stat(buf_text(&stat), &name, &state);
	is_stopped = text_is(state, "T") || text_is(state, "t");
	buf_finish(&stat);
	return is_stopped;
}

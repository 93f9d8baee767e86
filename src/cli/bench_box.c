/* bench_box.c - a box, its keeper, and its directory. */
#include "cli/bench_box.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/must.h"
#include "base/text.h"
#include "net/interrupt.h"

#define START_MS 15000
#define STOP_MS 10000
#define STEP_MS 10
#define LOOK_MS 50 /* of the keeper: is the box still there? */
#define LOG_ROOM 512
#define CONFIG_NAME "bench.yaml"
#define LOG_NAME "log"

/* What it has to do with the machine is its disk and its socket. */
static const char config[] = "listen: ['127.0.0.1:0']\n"
			     "discover: {interval: 0s, connect: false}\n";

static uint64_t now_ms(void)
{
	return clock_mono_ns() / 1000000;
}

/* ---- the box itself ---- */

static const char **without_ours(const char *const *env)
{
	const char **kept;
	size_t n = 0;

	while (env[n])
		n++;
	kept = must_zero(n + 1, sizeof(*kept));
	n = 0;
	for (; *env; env++)
		if (!text_starts(text_of(*env), TEXT("SIGNALBOX_")))
			kept[n++] = *env;
	return kept;
}

static void become_box(const struct bench_box *box, const char *const *env)
{
	char *file = must_print("%s/" CONFIG_NAME, box->dir);
	char *log = must_print("%s/" LOG_NAME, box->dir);
	const char *argv[] = {"signalbox", "serve", "--data", box->dir, "--config", file, NULL};
	int out = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	interrupt_end_with_parent();
	dup2(out, 1);
	dup2(out, 2);
	execve("/proc/self/exe", (char **)argv, (char **)without_ours(env));
	dprintf(2, "signalbox: %s\n", strerror(errno));
	_exit(127);
}

/* ---- its keeper ---- */

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *walk)
{
	return remove(path);
}

static void remove_dir(const char *dir)
{
	nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static bool has_ended(pid_t pid, unsigned within_ms)
{
	uint64_t end = now_ms() + within_ms;

	while (waitpid(pid, NULL, WNOHANG) == 0) {
		if (now_ms() >= end)
			return false;
		poll(NULL, 0, STEP_MS);
	}
	return true;
}

/* Until nobody holds the other end.  A box that ends before that is told of by the end of
 * what we say.  True: it has ended. */
static bool wait_for_end(int leash, pid_t pid)
{
	struct pollfd end = {.fd = leash, .events = POLLIN};
	bool ended = pid < 0;

	do {
		if (!ended && waitpid(pid, NULL, WNOHANG) != 0)
			ended = true;
		if (ended)
			shutdown(leash, SHUT_WR);
	} while (poll(&end, 1, ended ? -1 : LOOK_MS) <= 0);
	return ended;
}

/* It is of another session, so that a terminal's Ctrl-C is ours alone, and holds nothing
 * of ours open. */
static void keep_box(const struct bench_box *box, int leash, const char *const *env)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	pid_t pid;

	setsid();
	for (int fd = 0; fd < 3; fd++)
		dup2(nothing, fd);
	pid = fork();
	if (pid == 0)
		become_box(box, env);
	if (!wait_for_end(leash, pid)) {
		interrupt_end(pid);
		if (!has_ended(pid, STOP_MS)) {
			interrupt_kill(pid);
			waitpid(pid, NULL, 0);
		}
	}
	remove_dir(box->dir);
	_exit(0);
}

static bool start_keeper(struct bench_box *box, const char *const *env, struct error *why)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return error_errno(why, "no connection to a box");
	box->keeper = fork();
	if (box->keeper == 0) {
		close(ends[1]);
		keep_box(box, ends[0], env);
	}
	close(ends[0]);
	box->leash = ends[1];
	if (box->keeper > 0)
		return true;
	error_errno(why, "cannot start a process for the box");
	close(ends[1]);
	return false;
}

/* ---- from outside ---- */

static bool write_config(const char *dir, struct error *why)
{
	char *path = must_print("%s/" CONFIG_NAME, dir);
	FILE *file = fopen(path, "we");
	bool good = file && fputs(config, file) >= 0;

	good = (!file || fclose(file) == 0) && good;
	if (!good)
		error_errno(why, "%s", path);
	free(path);
	return good;
}

static bool is_there(const char *dir)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool good;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/sock", dir);
	good = fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0;
	if (fd >= 0)
		close(fd);
	return good;
}

/* The last line that it said, for whoever wonders why it did not start. */
static void say_why(const char *dir, struct error *why)
{
	char *path = must_print("%s/" LOG_NAME, dir), bytes[LOG_ROOM];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	off_t size = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0;
	off_t from = size > LOG_ROOM ? size - LOG_ROOM : 0;
	ssize_t n = fd >= 0 ? pread(fd, bytes, sizeof(bytes), from) : 0;
	struct text said = text_trim((struct text){bytes, n > 0 ? (size_t)n : 0});
	const char *line = said.len ? memrchr(said.at, '\n', said.len) : NULL;

	if (line)
		said = (struct text){line + 1, said.len - (size_t)(line + 1 - said.at)};
	error_set(why, "the box does not start: %.*s", TEXT_ARG(said));
	if (fd >= 0)
		close(fd);
	free(path);
}

static bool is_over(const struct bench_box *box)
{
	char byte;

	return recv(box->leash, &byte, 1, MSG_DONTWAIT) == 0;
}

static bool wait_until_there(const struct bench_box *box, struct error *why)
{
	uint64_t end = now_ms() + START_MS;

	while (!is_there(box->dir)) {
		if (now_ms() >= end || is_over(box)) {
			say_why(box->dir, why);
			return false;
		}
		poll(NULL, 0, STEP_MS);
	}
	return true;
}

bool bench_box_start(struct bench_box *box, const char *parent, const char *const *env,
                     struct error *why)
{
	*box = (struct bench_box){.leash = -1};
	box->dir = must_print("%s/signalbox-bench-XXXXXX", parent);
	if (!mkdtemp(box->dir)) {
		error_errno(why, "%s", parent);
		free(box->dir);
		box->dir = NULL;
		return false;
	}
	if (!write_config(box->dir, why) || !start_keeper(box, env, why)) {
		remove_dir(box->dir);
		free(box->dir);
		box->dir = NULL;
		return false;
	}
	if (wait_until_there(box, why))
		return true;
	bench_box_stop(box);
	return false;
}

void bench_box_stop(struct bench_box *box)
{
	if (!box->dir)
		return;
	close(box->leash);
	while (waitpid(box->keeper, NULL, 0) < 0 && errno == EINTR)
		;
	free(box->dir);
	box->dir = NULL;
}

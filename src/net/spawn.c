/* spawn.c - posix_spawn, because its child borrows our memory until its program begins: a
 * fork copies the page tables, which of a box with a gigabyte takes longer than the rest. */
#include "net/spawn.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/must.h"
#include "base/text.h"
#include "net/interrupt.h"

/* What a program needs to find its way.  No credential, no socket of the supervisor and no
 * setting of ours is among it: who wants a program to have one names it. */
static const char *const kept[] = {
	"PATH",
	"HOME",
	"USER",
	"LOGNAME",
	"SHELL",
	"LANG",
	"LANGUAGE",
	"LC_ALL",
	"LC_CTYPE",
	"LC_MESSAGES",
	"TZ",
	"TMPDIR",
	"XDG_CACHE_HOME",
	"XDG_CONFIG_HOME",
	"XDG_DATA_HOME",
	"XDG_STATE_HOME",
};

#define LEASH (STDERR_FILENO + 1)
#define KEPT_LEN (sizeof(kept) / sizeof(*kept))

static bool is_variable(const char *variable, const char *name)
{
	size_t len = strlen(name);

	return strncmp(variable, name, len) == 0 && variable[len] == '=';
}

static bool spawn_is_named(const char *const *env, const char *name)
{
	for (; env && *env; env++)
		if (is_variable(*env, name))
			return true;
	return false;
}

static const char *find_variable(const char *name)
{
	for (char **variable = environ; variable && *variable; variable++)
		if (is_variable(*variable, name))
			return *variable;
	return NULL;
}

/* The strings stay where they are; the list is the caller's. */
static const char **make_environment(const char *const *env)
{
	size_t count = 0, len = 0;
	const char **all;

	while (env && env[count])
		count++;
	all = must_zero(KEPT_LEN + count + 1, sizeof(*all));
	for (size_t i = 0; i < KEPT_LEN; i++)
		if (!spawn_is_named(env, kept[i]) && (all[len] = find_variable(kept[i])))
			len++;
	for (size_t i = 0; i < count; i++)
		all[len++] = env[i];
	assert(len <= KEPT_LEN + count);
	return all;
}

static int add_files(posix_spawn_file_actions_t *actions, const struct spawn *spawn)
{
	int failure = 0;

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO && failure == 0; fd++) {
		if (spawn->files[fd] < 0)
			failure = posix_spawn_file_actions_addopen(actions, fd, "/dev/null", O_RDWR,
			                                           0);
		else
			failure = posix_spawn_file_actions_adddup2(actions, spawn->files[fd], fd);
	}
	if (failure == 0)
		failure = posix_spawn_file_actions_adddup2(actions, spawn->leash, LEASH);
	if (failure == 0)
		failure = posix_spawn_file_actions_addclosefrom_np(actions, LEASH + 1);
	if (failure == 0)
		failure = posix_spawn_file_actions_addchdir_np(actions, spawn->directory);
	return failure;
}

static int set_attributes(posix_spawnattr_t *attributes)
{
	int failure = posix_spawnattr_setpgroup(attributes, 0);

	if (failure == 0)
		failure = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP |
		                                                       POSIX_SPAWN_SETSIGDEF |
		                                                       POSIX_SPAWN_SETSIGMASK);
	interrupt_restore_spawned(attributes);
	return failure;
}

int spawn_open_leash(struct spawn *spawn)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	spawn->leash = ends[0];
	return ends[1];
}

void spawn_close(struct spawn *spawn)
{
	for (int i = 0; i < 3; i++)
		if (spawn->files[i] >= 0)
			close(spawn->files[i]);
	if (spawn->leash >= 0)
		close(spawn->leash);
}

/* An error number, or 0. */
static int spawn_begin_with(const struct spawn *spawn, const char **environment, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int failure = posix_spawn_file_actions_init(&actions);

	if (failure)
		return failure;
	failure = posix_spawnattr_init(&attributes);
	if (failure == 0) {
		failure = add_files(&actions, spawn);
		if (failure == 0)
			failure = set_attributes(&attributes);
		if (failure == 0)
			failure = posix_spawnp(pid, spawn->argv[0], &actions, &attributes,
			                       (char *const *)spawn->argv,
			                       (char *const *)environment);
		posix_spawnattr_destroy(&attributes);
	}
	posix_spawn_file_actions_destroy(&actions);
	return failure;
}

int spawn_begin(const struct spawn *spawn, struct error *why)
{
	const char **environment = make_environment(spawn->env);
	pid_t pid = 0;
	int failure = spawn_begin_with(spawn, environment, &pid);

	free(environment);
	if (failure == 0) {
		if (!interrupt_leash(spawn->leash, pid))
			log_warn("net", "%s may outlive this program", spawn->argv[0]);
		return pid;
	}
	/* Both have the same error number, and who reads of it looks in one of two places. */
	if (access(spawn->directory, X_OK) != 0) {
		error_errno(why, "cannot work in %s", spawn->directory);
	} else {
		errno = failure;
		error_errno(why, "cannot run %s", spawn->argv[0]);
	}
	return 0;
}

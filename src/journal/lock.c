/* lock.c - taking DATA/lock.
 *
 * The lock goes with the descriptor, so it ends with the process, however that
 * ends.  A program that this process was about to run has the descriptor, too, till its first
 * steps are done, and a kill of the one does not end the other: where the pid in the file is of
 * nobody who lives, whoever comes next waits for that moment.
 */
#include "journal/lock.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/must.h"
#include "base/proc.h"
#include "base/text.h"
#include "journal/disk.h"

#define PID_ROOM 24
#define WAIT_MS 5000 /* for what a dead holder was about to run */
#define LOOK_MS 5

/* False: the file does not say who. */
static bool read_pid(int fd, uint64_t *pid)
{
	char words[PID_ROOM];
	ssize_t got = disk_read(fd, words, sizeof words, 0);

	return text_to_u64(text_trim((struct text){words, got > 0 ? (size_t)got : 0}), pid);
}

static void say_who(int fd, const char *data_dir, struct error *why)
{
	uint64_t number;

	if (read_pid(fd, &number))
		error_set(why, "%s is in use by signalbox with pid %llu", data_dir,
		          (unsigned long long)number);
	else
		error_set(why, "%s is in use by another signalbox", data_dir);
}

static bool write_pid(int fd)
{
	char words[PID_ROOM];
	int len = snprintf(words, sizeof words, "%ld\n", (long)getpid());
	struct iovec piece = {words, (size_t)len};

	assert(len > 0 && (size_t)len < sizeof words);
	return ftruncate(fd, 0) == 0 && disk_write(fd, &piece, 1, 0);
}

static bool is_held(int fd)
{
	return flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

/* Who wrote the file has ended. */
static bool is_left(int fd)
{
	struct proc holder;
	uint64_t pid;

	return read_pid(fd, &pid) && !proc_look(pid, &holder);
}

/* False: errno says why. */
static bool take_or_wait(int fd)
{
	const struct timespec pause = {.tv_nsec = LOOK_MS * 1000000L};

	for (int waited = 0; waited < WAIT_MS && is_held(fd) && is_left(fd); waited += LOOK_MS)
		nanosleep(&pause, NULL);
	return flock(fd, LOCK_EX | LOCK_NB) == 0;
}

int lock_take(const char *data_dir, struct error *why)
{
	char *path = must_print("%s/lock", data_dir);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0) {
		error_errno(why, "%s", path);
	} else if (!take_or_wait(fd)) {
		if (errno == EWOULDBLOCK)
			say_who(fd, data_dir, why);
		else
			error_errno(why, "%s", path);
		close(fd);
		fd = -1;
	} else {
		write_pid(fd); /* a full disk must not keep us from starting */
	}
	free(path);
	return fd;
}

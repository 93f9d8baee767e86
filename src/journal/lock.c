/* lock.c - taking DATA/lock.
 *
 * The lock goes with the descriptor, so it ends with the process, however that
 * ends; the pid in the file is only for the words of the one who comes second.
 */
#include "journal/lock.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/must.h"
#include "base/text.h"
#include "journal/disk.h"

#define PID_ROOM 24

static void say_who(int fd, const char *data_dir, struct error *why)
{
	char words[PID_ROOM];
	ssize_t got = disk_read(fd, words, sizeof words, 0);
	struct text pid = text_trim((struct text){words, got > 0 ? (size_t)got : 0});
	uint64_t number;

	if (text_to_u64(pid, &number))
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

int lock_take(const char *data_dir, struct error *why)
{
	char *path = must_print("%s/lock", data_dir);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0) {
		error_errno(why, "%s", path);
	} else if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
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

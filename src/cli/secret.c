/* secret.c - reading and making token files. */
#include "cli/secret.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/must.h"
#include "base/random.h"

static bool is_private(int fd, const char *path, struct error *why)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return error_errno(why, "%s", path);
	if (!S_ISREG(st.st_mode))
		return error_set(why, "%s is not a file", path);
	if (st.st_uid != geteuid())
		return error_set(why, "%s belongs to somebody else", path);
	if (st.st_mode & 077)
		return error_set(
			why, "%s can be read by others; `chmod 600` it, or better rotate it", path);
	return true;
}

static bool read_all(int fd, const char *path, char out[SECRET_LEN + 1], struct error *why)
{
	char bytes[SECRET_LEN + 2]; /* the newline, and one that should not be there */
	ssize_t n = read(fd, bytes, sizeof(bytes));

	if (n < 0)
		return error_errno(why, "%s", path);
	if (n > 0 && bytes[n - 1] == '\n')
		n--;
	if (n != SECRET_LEN)
		return error_set(why, "%s holds no token: 64 hexadecimal characters are wanted",
		                 path);
	memcpy(out, bytes, SECRET_LEN);
	out[SECRET_LEN] = '\0';
	explicit_bzero(bytes, sizeof(bytes));
	if (strspn(out, "0123456789abcdef") != SECRET_LEN)
		return error_set(why, "%s holds no token: 64 hexadecimal characters are wanted",
		                 path);
	return true;
}

bool secret_read(const char *path, char out[SECRET_LEN + 1], struct error *why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool good;

	if (fd < 0)
		return error_errno(why, "%s", path);
	good = is_private(fd, path, why) && read_all(fd, path, out, why);
	close(fd);
	return good;
}

static bool write_new(int fd)
{
	char line[SECRET_LEN + 2];
	bool good;

	random_hex(line, SECRET_LEN / 2);
	line[SECRET_LEN] = '\n';
	good = write(fd, line, SECRET_LEN + 1) == SECRET_LEN + 1 && fsync(fd) == 0;
	explicit_bzero(line, sizeof(line));
	return good;
}

bool secret_create(const char *path, struct error *why)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0 && errno == EEXIST)
		return error_set(why, "%s is there already", path);
	if (fd < 0)
		return error_errno(why, "%s", path);
	if (!write_new(fd)) {
		error_errno(why, "%s", path);
		close(fd);
		unlink(path);
		return false;
	}
	close(fd);
	return true;
}

bool secret_replace(const char *path, struct error *why)
{
	char *fresh = must_print("%s.new", path);
	bool good;

	unlink(fresh); /* of an attempt that was cut off */
	good = secret_create(fresh, why);
	if (good && rename(fresh, path) != 0) {
		good = error_errno(why, "%s", path);
		unlink(fresh);
	}
	free(fresh);
	return good;
}

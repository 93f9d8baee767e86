/* calls.c - a library to preload: system calls that fail, once or from then on.
 *
 * Each fails as the kernel may really let it fail, by what it is called for: a file's
 * disk breaks or is full, a socket's peer is gone, a call that waits is interrupted, one
 * that would have to wait says so, and half of the bytes is enough.  Standard streams,
 * and what has no such failure (an eventfd), are left alone; so is what libuv needs for
 * itself, without which it ends the program.  torture.h says by what it
 * is led.
 */
/* Both names of each call are ours, so the headers must not make them one. */
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "torture.h"

#define SHORT (-1) /* half of it */
#define CALLER __builtin_return_address(0)

/* How a call may fail; ended by 0. */
static const int file_in[] = {EIO, SHORT, 0};
static const int file_out[] = {EIO, ENOSPC, EDQUOT, SHORT, 0};
static const int socket_in[] = {ECONNRESET, ETIMEDOUT, SHORT, 0};
static const int socket_out[] = {ECONNRESET, EPIPE, SHORT, 0};
static const int busy[] = {EAGAIN, 0};
static const int interrupted[] = {EINTR, 0};
static const int opening[] = {EMFILE, ENFILE, EACCES, EIO, 0};
static const int creating[] = {EMFILE, ENFILE, EACCES, EIO, ENOSPC, EROFS, 0};
static const int descriptor[] = {EMFILE, ENFILE, ENOMEM, 0};
static const int accepting[] = {EMFILE, ENFILE, ECONNABORTED, ENOBUFS, EAGAIN, 0};
static const int connecting[] = {ECONNREFUSED, ENETUNREACH, ETIMEDOUT, EADDRNOTAVAIL, 0};
static const int binding[] = {EADDRINUSE, EACCES, 0};
static const int syncing[] = {EIO, ENOSPC, 0};
static const int naming[] = {EIO, ENOSPC, EACCES, EROFS, 0};
static const int looking[] = {EIO, EACCES, 0};
static const int mapping[] = {ENOMEM, ENFILE, 0};
static const int watching[] = {ENOMEM, ENOSPC, 0};
static const int threading[] = {EAGAIN, 0};
static const int locking[] = {EINTR, ENOLCK, 0};

/* What fails from its turn on, when that lasts. */
static const char *lasting_call;
static int lasting_how;

static bool is_passing(int how)
{
	return how == EINTR || how == EAGAIN || how == SHORT;
}

/* 0: it is done. */
static int judge(const char *call, const int *ways, const void *caller)
{
	unsigned count = 0;
	int how;

	if (!ways)
		return 0;
	if (lasting_call && torture_lasts(caller))
		return strcmp(call, lasting_call) == 0 ? lasting_how : 0;
	if (!torture_now(caller))
		return 0;
	while (ways[count])
		count++;
	how = ways[torture_lot(count)];
	torture_tell(call, how == SHORT ? "takes half" : strerrorname_np(how), caller);
	if (torture_lasts(caller) && !is_passing(how)) {
		lasting_how = how;
		lasting_call = call;
	}
	return how;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* --- reading and writing --------------------------------------------------- */

static const int *ways_of(int fd, const int *file, const int *line)
{
	bool waits = !(syscall(SYS_fcntl, fd, F_GETFL) & O_NONBLOCK);
	struct stat st;

	if (fd <= STDERR_FILENO || REAL(fstat)(fd, &st) != 0)
		return NULL;
	if (S_ISREG(st.st_mode))
		return file;
	if (S_ISSOCK(st.st_mode) && torture_lot(2))
		return line;
	if (S_ISSOCK(st.st_mode) && !waits)
		return busy;
	/* A pipe that does not wait is libuv's own, and never full. */
	return waits && (S_ISSOCK(st.st_mode) || S_ISFIFO(st.st_mode)) ? interrupted : NULL;
}

#define FAIL(how) \
	do { \
		errno = (how); \
		return -1; \
	} while (0)

/* One that takes up to n bytes. */
#define BYTES(name, params, args, fd, n, file, line) \
	ssize_t name params \
	{ \
		int how = judge(#name, ways_of(fd, file, line), CALLER); \
\
		if (how == SHORT) \
			n = (n) > 1 ? (n) / 2 : (n); \
		else if (how) \
			FAIL(how); \
		return REAL(name) args; \
	}

BYTES(read, (int fd, void *to, size_t n), (fd, to, n), fd, n, file_in, socket_in)
BYTES(recv, (int fd, void *to, size_t n, int flags), (fd, to, n, flags), fd, n, file_in, socket_in)
BYTES(pread, (int fd, void *to, size_t n, off_t at), (fd, to, n, at), fd, n, file_in, socket_in)
BYTES(write, (int fd, const void *from, size_t n), (fd, from, n), fd, n, file_out, socket_out)
BYTES(send, (int fd, const void *from, size_t n, int flags), (fd, from, n, flags), fd, n, file_out,
      socket_out)
BYTES(pwrite, (int fd, const void *from, size_t n, off_t at), (fd, from, n, at), fd, n, file_out,
      socket_out)
BYTES(writev, (int fd, const struct iovec *from, int n), (fd, from, n), fd, n, file_out, socket_out)
BYTES(pwritev, (int fd, const struct iovec *from, int n, off_t at), (fd, from, n, at), fd, n,
      file_out, socket_out)
BYTES(pwritev2, (int fd, const struct iovec *from, int n, off_t at, int flags),
      (fd, from, n, at, flags), fd, n, file_out, socket_out)

/* --- all others ------------------------------------------------------------ */

#define CALL(type, name, params, args, ways) \
	type name params \
	{ \
		int how = judge(#name, ways, CALLER); \
\
		if (how) \
			FAIL(how); \
		return REAL(name) args; \
	}

CALL(ssize_t, recvmsg, (int fd, struct msghdr *m, int flags), (fd, m, flags),
     ways_of(fd, NULL, socket_in))
CALL(ssize_t, sendmsg, (int fd, const struct msghdr *m, int flags), (fd, m, flags),
     ways_of(fd, NULL, socket_out))
CALL(int, fsync, (int fd), (fd), syncing)
CALL(int, fdatasync, (int fd), (fd), syncing)
CALL(int, ftruncate, (int fd, off_t size), (fd, size), file_out)
CALL(int, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to), naming)
CALL(int, rename, (const char *from, const char *to), (from, to), naming)
CALL(int, unlink, (const char *path), (path), looking)
CALL(int, unlinkat, (int at, const char *path, int flags), (at, path, flags), looking)
CALL(int, mkdir, (const char *path, mode_t mode), (path, mode), naming)
CALL(int, link, (const char *from, const char *to), (from, to), naming)
CALL(int, fstat, (int fd, struct stat *st), (fd, st), looking)
CALL(int, stat, (const char *path, struct stat *st), (path, st), looking)
CALL(int, fstatat, (int at, const char *path, struct stat *st, int flags), (at, path, st, flags),
     looking)
CALL(int, flock, (int fd, int op), (fd, op), locking)
CALL(int, socket, (int domain, int type, int protocol), (domain, type, protocol), descriptor)
CALL(int, socketpair, (int domain, int type, int protocol, int fds[2]),
     (domain, type, protocol, fds), descriptor)
CALL(int, pipe2, (int fds[2], int flags), (fds, flags),
     torture_is_in(CALLER, "/libuv") ? NULL : descriptor)
CALL(int, eventfd, (unsigned first, int flags), (first, flags), descriptor)
CALL(int, memfd_create, (const char *name, unsigned flags), (name, flags), descriptor)
CALL(int, epoll_create1, (int flags), (flags), descriptor)
CALL(int, dup, (int fd), (fd), descriptor)
CALL(int, accept4, (int fd, struct sockaddr *a, socklen_t *n, int flags), (fd, a, n, flags),
     accepting)
CALL(int, connect, (int fd, const struct sockaddr *a, socklen_t n), (fd, a, n), connecting)
CALL(int, bind, (int fd, const struct sockaddr *a, socklen_t n), (fd, a, n), binding)
CALL(int, listen, (int fd, int n), (fd, n), binding)
CALL(int, poll, (struct pollfd * fds, nfds_t n, int ms), (fds, n, ms), interrupted)
CALL(int, epoll_wait, (int fd, struct epoll_event *to, int n, int ms), (fd, to, n, ms), interrupted)
CALL(int, epoll_pwait, (int fd, struct epoll_event *to, int n, int ms, const sigset_t *mask),
     (fd, to, n, ms, mask), interrupted)
CALL(int, epoll_ctl, (int ep, int op, int fd, struct epoll_event *e), (ep, op, fd, e),
     op != EPOLL_CTL_DEL && !torture_is_in(CALLER, "/libuv") ? watching : NULL)

void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
	int how = judge("mmap", mapping, CALLER);

	if (!how)
		return REAL(mmap)(at, n, protection, flags, fd, offset);
	errno = how;
	return MAP_FAILED;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *self)
{
	int how = judge("pthread_create", threading, CALLER);

	return how ? how : REAL(pthread_create)(thread, attr, run, self);
}

static int do_open(int at, const char *path, int flags, mode_t mode, const void *caller)
{
	int how = judge("open", flags & O_CREAT ? creating : opening, caller);

	if (how)
		FAIL(how);
	return REAL(openat)(at, path, flags, mode);
}

static mode_t mode_of(int flags, va_list args)
{
	return flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	return do_open(AT_FDCWD, path, flags, mode, CALLER);
}

int openat(int at, const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	return do_open(at, path, flags, mode, CALLER);
}

/* The same again, as programs with large files call them. */
#define ALSO(name, as) __typeof__(name) as __attribute__((alias(#name)))
ALSO(pread, pread64);
ALSO(pwrite, pwrite64);
ALSO(pwritev, pwritev64);
ALSO(pwritev2, pwritev64v2);
ALSO(ftruncate, ftruncate64);
ALSO(open, open64);
ALSO(openat, openat64);
ALSO(mmap, mmap64);
/* Likewise, but the headers have another type for them. */
__asm__(".globl fstat64, stat64, fstatat64\n"
        ".set fstat64, fstat\n.set stat64, stat\n.set fstatat64, fstatat");

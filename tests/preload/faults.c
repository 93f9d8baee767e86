/* faults.c - a library to preload: disks that fail, and power that goes.
 *
 * Only files under $FAULTS_DIR are concerned; without it nothing happens.
 *
 * FAULTS_FAIL     a list of CALL:WHEN:HOW, separated by commas
 *                   CALL  write     write, pwrite, writev, pwritev, pwritev2
 *                         sync      fsync, fdatasync, of files and directories
 *                         open      opening with O_CREAT
 *                         rename, unlink, truncate
 *                         any       all of these
 *                         reserve   fallocate
 *                   WHEN  3         the third such call
 *                         3+        the third and all later ones
 *                         %3        every third
 *                   HOW   EIO, ENOSPC, or `short`: a write that takes only half
 * FAULTS_SLOW     milliseconds that every sync takes longer
 * FAULTS_STALL    milliseconds that every read by preadv2 takes longer
 * FAULTS_BAD      NAME:FROM:TO: these bytes of files that end in NAME cannot be read
 * FAULTS_WHILE    a path: failures and FAULTS_CRASH happen only while a file of that
 *                 name exists, and calls are counted only then
 * FAULTS_CRASH    CALL:N: in the N-th such call the power goes
 * FAULTS_TRIGGER  a path: the power goes when a file of that name appears
 * FAULTS_LOSS     `all` (the default), `garble`, `mixed` or `none`: see loss.h
 * FAULTS_SEED     a number, for what is left to chance
 *
 * When the power goes, what was not synced is undone as FAULTS_LOSS says and the
 * process ends at once with status 99.  Unlinked files are kept for that in
 * $FAULTS_DIR.limbo, which must be on the same file system.
 */
/* Both names of each call are ours, so the headers must not make them one. */
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "loss.h"

#define RULES_MAX 16
#define CRASH_STATUS 99
#define TRIGGER_POLL_US 2000
#define SHORT (-1)

enum call {
	CALL_WRITE,
	CALL_SYNC,
	CALL_OPEN,
	CALL_RENAME,
	CALL_UNLINK,
	CALL_TRUNCATE,
	CALL_ANY,
	CALL_RESERVE, /* it changes nothing, so it is not one of any */
};

static const char *const call_names[] = {"write",  "sync",     "open", "rename",
                                         "unlink", "truncate", "any",  "reserve"};

static const char *const loss_names[] = {"all", "garble", "mixed", "none"};

struct rule {
	enum call call;
	unsigned long from;  /* the first that fails */
	unsigned long every; /* 0: only that one; 1: all from then on */
	int how;             /* errno, or SHORT */
	unsigned long seen;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char dir[PATH_MAX];
static size_t dir_len; /* 0: not concerned with anything */
static struct rule rules[RULES_MAX];
static unsigned rule_count;
static struct rule crash = {.from = ULONG_MAX};
static const char *while_path, *trigger_path;
static unsigned long slow_ms, stall_ms;
static char bad_name[NAME_MAX + 1];
static off_t bad_from, bad_to;
static bool records; /* is a power loss expected? */

/* --- what is asked for ---------------------------------------------------- */

static void bad(const char *what)
{
	fprintf(stderr, "faults: %s is not understood\n", what);
	_exit(125);
}

static enum call call_of(const char *name, size_t len)
{
	for (int i = 0; i <= CALL_RESERVE; i++)
		if (strlen(call_names[i]) == len && strncmp(call_names[i], name, len) == 0)
			return (enum call)i;
	bad(name);
	return CALL_ANY;
}

static struct rule parse_rule(const char *text)
{
	const char *colon = strchr(text, ':');
	struct rule r = {0};
	char *end;

	if (!colon)
		bad(text);
	r.call = call_of(text, (size_t)(colon - text));
	r.from = strtoul(colon + 1 + (colon[1] == '%'), &end, 10);
	if (colon[1] == '%')
		r.every = r.from;
	else if (*end == '+')
		r.every = 1, end++;
	if (r.from == 0)
		bad(text);
	if (strncmp(end, ":EIO", 4) == 0)
		r.how = EIO;
	else if (strncmp(end, ":ENOSPC", 7) == 0)
		r.how = ENOSPC;
	else if (strncmp(end, ":short", 6) == 0)
		r.how = SHORT;
	else if (*end)
		bad(text);
	return r;
}

static void parse_bad(const char *text)
{
	long long from, to;

	if (sscanf(text, "%255[^:]:%lld:%lld", bad_name, &from, &to) != 3)
		bad(text);
	bad_from = from;
	bad_to = to;
}

static void *watch_trigger(void *unused);

static void parse_loss(void)
{
	const char *loss = getenv("FAULTS_LOSS"), *seed = getenv("FAULTS_SEED");
	enum loss_manner manner = LOSS_ALL;
	char limbo[PATH_MAX + 8];
	pthread_t thread;

	for (manner = LOSS_ALL; loss && strcmp(loss, loss_names[manner]) != 0; manner++)
		if (manner == LOSS_NONE)
			bad(loss);
	snprintf(limbo, sizeof limbo, "%s.limbo", dir);
	loss_begin(limbo, manner, seed ? (unsigned)strtoul(seed, NULL, 10) : 1);
	records = true;
	if (trigger_path)
		pthread_create(&thread, NULL, watch_trigger, NULL);
}

__attribute__((constructor)) static void begin(void)
{
	const char *under = getenv("FAULTS_DIR"), *fail = getenv("FAULTS_FAIL");
	const char *at = getenv("FAULTS_CRASH"), *slow = getenv("FAULTS_SLOW");
	const char *stall = getenv("FAULTS_STALL"), *unread = getenv("FAULTS_BAD");

	if (!under || !realpath(under, dir))
		return;
	dir_len = strlen(dir);
	while_path = getenv("FAULTS_WHILE");
	trigger_path = getenv("FAULTS_TRIGGER");
	slow_ms = slow ? strtoul(slow, NULL, 10) : 0;
	stall_ms = stall ? strtoul(stall, NULL, 10) : 0;
	if (unread)
		parse_bad(unread);
	while (fail && *fail) {
		if (rule_count == RULES_MAX)
			bad(fail);
		rules[rule_count++] = parse_rule(fail);
		fail = strchr(fail, ',');
		fail += fail ? 1 : 0;
	}
	if (at)
		crash = parse_rule(at);
	if (at || trigger_path)
		parse_loss();
}

/* --- judging a call ------------------------------------------------------- */

static bool is_under_dir(const char *path)
{
	return dir_len && strncmp(path, dir, dir_len) == 0 &&
	       (path[dir_len] == '/' || path[dir_len] == '\0');
}

/* Is it a file or a directory of ours? */
static bool has_path(int fd, char path[PATH_MAX])
{
	char link[64];
	struct stat st;
	ssize_t n;

	if (!dir_len || fstat(fd, &st) != 0 || (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
		return false;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, path, PATH_MAX - 1);
	if (n <= 0)
		return false;
	path[n] = '\0';
	return is_under_dir(path);
}

static bool concerns(int fd)
{
	char path[PATH_MAX];

	return has_path(fd, path);
}

/* The absolute path of a name, if it is ours. */
static bool resolve(int at, const char *name, char out[PATH_MAX])
{
	char link[64], base[PATH_MAX];
	ssize_t n;

	if (!dir_len)
		return false;
	if (name[0] == '/') {
		snprintf(out, PATH_MAX, "%s", name);
		return is_under_dir(out);
	}
	if (at == AT_FDCWD)
		snprintf(link, sizeof link, "/proc/self/cwd");
	else
		snprintf(link, sizeof link, "/proc/self/fd/%d", at);
	n = readlink(link, base, sizeof base - 1);
	if (n <= 0)
		return false;
	base[n] = '\0';
	return snprintf(out, PATH_MAX, "%s/%s", base, name) < PATH_MAX && is_under_dir(out);
}

__attribute__((noreturn)) static void lose_power(void)
{
	loss_happen();
	_exit(CRASH_STATUS);
}

static bool strikes(struct rule *r, enum call call)
{
	if (r->call != call && (r->call != CALL_ANY || call == CALL_RESERVE))
		return false;
	r->seen++;
	return r->seen == r->from ||
	       (r->every && r->seen > r->from && (r->seen - r->from) % r->every == 0);
}

static bool is_time_to_fail(void)
{
	return !while_path || access(while_path, F_OK) == 0;
}

/* 0, an errno, or SHORT.  With the mutex; may not come back. */
static int judge(enum call call)
{
	int verdict = 0;

	if (!is_time_to_fail())
		return 0;
	if (strikes(&crash, call))
		lose_power();
	for (unsigned i = 0; i < rule_count; i++)
		if (strikes(&rules[i], call) && verdict == 0)
			verdict = rules[i].how;
	return verdict == SHORT && call != CALL_WRITE ? 0 : verdict;
}

static void *watch_trigger(void *unused)
{
	while (access(trigger_path, F_OK) != 0)
		usleep(TRIGGER_POLL_US);
	pthread_mutex_lock(&mutex);
	lose_power();
}

/* --- the calls ------------------------------------------------------------ */

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
/* An errno that was found before the mutex was let go. */
#define FAIL(error) \
	do { \
		pthread_mutex_unlock(&mutex); \
		errno = (error); \
		return -1; \
	} while (0)

/* Every write becomes this one.  offset < 0: where the file stands. */
static ssize_t do_write(int fd, const struct iovec *pieces, int n, off_t offset)
{
	__typeof__(&pwritev) at_offset = REAL(pwritev);
	__typeof__(&writev) in_place = REAL(writev);
	struct iovec half;
	size_t len = 0;
	ssize_t wrote;
	int verdict;

	if (!concerns(fd))
		return offset < 0 ? in_place(fd, pieces, n) : at_offset(fd, pieces, n, offset);
	pthread_mutex_lock(&mutex);
	verdict = judge(CALL_WRITE);
	if (verdict > 0)
		FAIL(verdict);
	for (int i = 0; i < n; i++)
		len += pieces[i].iov_len;
	if (verdict == SHORT && len > 1) {
		half = (struct iovec){pieces[0].iov_base, (pieces[0].iov_len + 1) / 2};
		pieces = &half;
		n = 1;
		len = half.iov_len;
	}
	if (records) {
		off_t at = offset < 0 ? lseek(fd, 0, SEEK_CUR) : offset;

		loss_note_write(fd, (uint64_t)at, len);
	}
	wrote = offset < 0 ? in_place(fd, pieces, n) : at_offset(fd, pieces, n, offset);
	pthread_mutex_unlock(&mutex);
	return wrote;
}

ssize_t write(int fd, const void *bytes, size_t n)
{
	struct iovec piece = {(void *)bytes, n};

	return do_write(fd, &piece, 1, -1);
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t offset)
{
	struct iovec piece = {(void *)bytes, n};

	return do_write(fd, &piece, 1, offset);
}

ssize_t writev(int fd, const struct iovec *pieces, int n)
{
	return do_write(fd, pieces, n, -1);
}

ssize_t pwritev(int fd, const struct iovec *pieces, int n, off_t offset)
{
	return do_write(fd, pieces, n, offset);
}

ssize_t pwritev2(int fd, const struct iovec *pieces, int n, off_t offset, int flags)
{
	if (!concerns(fd))
		return REAL(pwritev2)(fd, pieces, n, offset, flags);
	return do_write(fd, pieces, n, offset);
}

/* How many bytes from `offset` on can be read: all, those before the bad ones, or none. */
static size_t readable(int fd, off_t offset, size_t len)
{
	char path[PATH_MAX];
	size_t name = strlen(bad_name);

	if (!name || offset >= bad_to || offset + (off_t)len <= bad_from || !is_time_to_fail() ||
	    !has_path(fd, path) || strlen(path) < name ||
	    strcmp(path + strlen(path) - name, bad_name) != 0)
		return len;
	return offset < bad_from ? (size_t)(bad_from - offset) : 0;
}

ssize_t pread(int fd, void *into, size_t len, off_t offset)
{
	size_t can = readable(fd, offset, len);

	if (len && !can) {
		errno = EIO;
		return -1;
	}
	return REAL(pread)(fd, into, can, offset);
}

/* Asked not to wait: what cannot be read is not in the page cache. */
ssize_t preadv2(int fd, const struct iovec *pieces, int n, off_t offset, int flags)
{
	if (n == 1 && readable(fd, offset, pieces->iov_len) < pieces->iov_len) {
		errno = EAGAIN;
		return -1;
	}
	if (stall_ms && concerns(fd) && is_time_to_fail())
		usleep((useconds_t)stall_ms * 1000);
	return REAL(preadv2)(fd, pieces, n, offset, flags);
}

static int do_sync(int fd, int (*real)(int))
{
	int verdict, done;

	if (!concerns(fd))
		return real(fd);
	if (slow_ms && is_time_to_fail())
		usleep((useconds_t)slow_ms * 1000);
	pthread_mutex_lock(&mutex);
	verdict = judge(CALL_SYNC);
	if (verdict > 0) {
		if (records)
			loss_note_failed_sync(fd);
		FAIL(verdict);
	}
	/* With a power loss to come, what is synced is known without the disk. */
	done = records ? 0 : real(fd);
	if (records)
		loss_note_sync(fd);
	pthread_mutex_unlock(&mutex);
	return done;
}

int fsync(int fd)
{
	return do_sync(fd, REAL(fsync));
}

int fdatasync(int fd)
{
	return do_sync(fd, REAL(fdatasync));
}

int ftruncate(int fd, off_t size)
{
	int verdict, done;

	if (!concerns(fd))
		return REAL(ftruncate)(fd, size);
	pthread_mutex_lock(&mutex);
	verdict = judge(CALL_TRUNCATE);
	if (verdict > 0)
		FAIL(verdict);
	if (records)
		loss_note_cut(fd, (uint64_t)size);
	done = REAL(ftruncate)(fd, size);
	pthread_mutex_unlock(&mutex);
	return done;
}

int fallocate(int fd, int mode, off_t at, off_t len)
{
	int verdict;

	if (!concerns(fd))
		return REAL(fallocate)(fd, mode, at, len);
	pthread_mutex_lock(&mutex);
	verdict = judge(CALL_RESERVE);
	if (verdict > 0)
		FAIL(verdict);
	pthread_mutex_unlock(&mutex);
	return REAL(fallocate)(fd, mode, at, len);
}

static int do_open(int at, const char *name, int flags, mode_t mode)
{
	__typeof__(&openat) real = REAL(openat);
	char path[PATH_MAX];
	int verdict, fd;
	bool existed;

	if (!(flags & O_CREAT) || !resolve(at, name, path))
		return real(at, name, flags, mode);
	pthread_mutex_lock(&mutex);
	verdict = judge(CALL_OPEN);
	if (verdict > 0)
		FAIL(verdict);
	existed = access(path, F_OK) == 0;
	if (records && existed && (flags & O_TRUNC)) {
		fd = real(at, name, O_RDWR | O_CLOEXEC);
		if (fd >= 0) {
			loss_note_cut(fd, 0);
			close(fd);
		}
	}
	fd = real(at, name, flags, mode);
	if (records && fd >= 0 && !existed)
		loss_note_create(path);
	pthread_mutex_unlock(&mutex);
	return fd;
}

#define TAKE_MODE(mode) \
	do { \
		va_list args; \
\
		va_start(args, flags); \
		(mode) = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0; \
		va_end(args); \
	} while (0)

int open(const char *name, int flags, ...)
{
	mode_t mode;

	TAKE_MODE(mode);
	return do_open(AT_FDCWD, name, flags, mode);
}

int openat(int at, const char *name, int flags, ...)
{
	mode_t mode;

	TAKE_MODE(mode);
	return do_open(at, name, flags, mode);
}

int unlinkat(int at, const char *name, int flags)
{
	char path[PATH_MAX];
	int verdict, done;

	if (!resolve(at, name, path) || (flags & AT_REMOVEDIR))
		return REAL(unlinkat)(at, name, flags);
	pthread_mutex_lock(&mutex);
	verdict = judge(CALL_UNLINK);
	if (verdict > 0)
		FAIL(verdict);
	if (records && access(path, F_OK) == 0)
		loss_note_unlink(path);
	done = REAL(unlinkat)(at, name, flags);
	pthread_mutex_unlock(&mutex);
	return done;
}

int unlink(const char *name)
{
	return unlinkat(AT_FDCWD, name, 0);
}

int renameat(int from_at, const char *from, int to_at, const char *to)
{
	char from_path[PATH_MAX], to_path[PATH_MAX];
	int verdict, done;

	if (!resolve(from_at, from, from_path) || !resolve(to_at, to, to_path))
		return REAL(renameat)(from_at, from, to_at, to);
	pthread_mutex_lock(&mutex);
	verdict = judge(CALL_RENAME);
	if (verdict > 0)
		FAIL(verdict);
	if (records)
		loss_note_rename(from_path, to_path);
	done = REAL(renameat)(from_at, from, to_at, to);
	pthread_mutex_unlock(&mutex);
	return done;
}

int rename(const char *from, const char *to)
{
	return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

/* The same again, as programs with large files call them. */
#define ALSO(name, as) __typeof__(name) as __attribute__((alias(#name)))
ALSO(pwrite, pwrite64);
ALSO(pwritev, pwritev64);
ALSO(pwritev2, pwritev64v2);
ALSO(pread, pread64);
ALSO(preadv2, preadv64v2);
ALSO(ftruncate, ftruncate64);
ALSO(fallocate, fallocate64);
ALSO(open, open64);
ALSO(openat, openat64);

/* loss.c - the memory of what is not synced, and its end. */
#include "loss.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PIECE 512

/* A stretch of a file as it was. */
struct change {
	struct change *before;
	uint64_t offset;
	uint64_t size;   /* of the file */
	size_t len, had; /* changed bytes, and how many of them there were */
	bool doomed;
	char old[];
};

struct file {
	struct file *next;
	dev_t dev;
	ino_t ino;
	int fd; /* ours, to read and to put back */
	struct change *newest;
};

enum name_kind { CREATED, UNLINKED, RENAMED };

struct naming {
	struct naming *before;
	enum name_kind kind;
	dev_t dir_dev;
	ino_t dir_ino;
	char *path, *to;
	char *limbo; /* a link to the file that lost this name; NULL: there was none */
};

static struct file *files;
static struct naming *namings;
static char limbo_dir[PATH_MAX];
static unsigned limbo_count;
static enum loss_manner manner;
static unsigned seed;

/* The calls below must not come back to the interposed functions. */
static ssize_t put(int fd, const void *bytes, size_t n, uint64_t at)
{
	return syscall(SYS_pwrite64, fd, bytes, n, at);
}

static unsigned lot(unsigned n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 8) % n;
}

static void *get_memory(size_t n)
{
	void *p = calloc(1, n);

	if (!p)
		_exit(125);
	return p;
}

void loss_begin(const char *limbo, enum loss_manner how, unsigned first_seed)
{
	snprintf(limbo_dir, sizeof limbo_dir, "%s", limbo);
	mkdir(limbo_dir, 0700);
	manner = how;
	seed = first_seed;
}

/* --- files ---------------------------------------------------------------- */

static struct file *file_of(int fd)
{
	char name[64];
	struct stat st;
	struct file *f;

	if (fstat(fd, &st) != 0)
		return NULL;
	for (f = files; f; f = f->next)
		if (f->dev == st.st_dev && f->ino == st.st_ino)
			return f;
	f = get_memory(sizeof *f);
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	f->fd = (int)syscall(SYS_openat, AT_FDCWD, name, O_RDWR | O_CLOEXEC, 0);
	f->next = files;
	files = f;
	return f;
}

static void remember(int fd, uint64_t offset, size_t len)
{
	struct file *f = file_of(fd);
	struct change *c;
	struct stat st;
	ssize_t had;

	if (!f || f->fd < 0 || fstat(f->fd, &st) != 0)
		return;
	c = get_memory(sizeof *c + len);
	c->offset = offset;
	c->size = (uint64_t)st.st_size;
	c->len = len;
	had = pread(f->fd, c->old, len, (off_t)offset);
	c->had = had > 0 ? (size_t)had : 0;
	c->before = f->newest;
	f->newest = c;
}

void loss_note_write(int fd, uint64_t offset, size_t len)
{
	remember(fd, offset, len);
}

void loss_note_cut(int fd, uint64_t size)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return;
	remember(fd, size, (uint64_t)st.st_size > size ? (size_t)((uint64_t)st.st_size - size) : 0);
}

static void forget_namings(const struct stat *dir)
{
	struct naming **at = &namings;

	while (*at) {
		struct naming *n = *at;

		if (n->dir_dev != dir->st_dev || n->dir_ino != dir->st_ino) {
			at = &n->before;
			continue;
		}
		*at = n->before;
		if (n->limbo)
			syscall(SYS_unlinkat, AT_FDCWD, n->limbo, 0);
		free(n->path);
		free(n->to);
		free(n->limbo);
		free(n);
	}
}

void loss_note_sync(int fd)
{
	struct change **at;
	struct file *f;
	struct stat st;

	if (fstat(fd, &st) != 0)
		return;
	if (S_ISDIR(st.st_mode)) {
		forget_namings(&st);
		return;
	}
	f = file_of(fd);
	for (at = f ? &f->newest : NULL; at && *at;) {
		struct change *c = *at;

		if (c->doomed) {
			at = &c->before;
			continue;
		}
		*at = c->before;
		free(c);
	}
}

void loss_note_failed_sync(int fd)
{
	struct file *f = file_of(fd);

	for (struct change *c = f ? f->newest : NULL; c; c = c->before)
		c->doomed = true;
}

/* --- names ---------------------------------------------------------------- */

static char *copy(const char *s)
{
	char *c = get_memory(strlen(s) + 1);

	memcpy(c, s, strlen(s));
	return c;
}

/* Keeps the file of that name alive, for the case that the name must be given
 * back to it. */
static char *keep_in_limbo(const char *path)
{
	char *name = get_memory(PATH_MAX + 16);

	snprintf(name, PATH_MAX + 16, "%s/%u", limbo_dir, limbo_count++);
	if (syscall(SYS_linkat, AT_FDCWD, path, AT_FDCWD, name, 0) == 0)
		return name;
	free(name);
	return NULL;
}

static struct naming *remember_name(enum name_kind kind, const char *path, const char *changed)
{
	struct naming *n = get_memory(sizeof *n);
	char *parent = copy(changed);
	struct stat st;

	if (stat(dirname(parent), &st) == 0) {
		n->dir_dev = st.st_dev;
		n->dir_ino = st.st_ino;
	}
	free(parent);
	n->kind = kind;
	n->path = copy(path);
	n->before = namings;
	namings = n;
	return n;
}

void loss_note_create(const char *path)
{
	remember_name(CREATED, path, path);
}

void loss_note_unlink(const char *path)
{
	struct naming *n = remember_name(UNLINKED, path, path);

	n->limbo = keep_in_limbo(path);
}

void loss_note_rename(const char *from, const char *to)
{
	struct naming *n = remember_name(RENAMED, from, to);

	n->to = copy(to);
	n->limbo = keep_in_limbo(to);
}

/* --- the loss ------------------------------------------------------------- */

static void put_back(struct file *f, const struct change *c)
{
	put(f->fd, c->old, c->had, c->offset);
	syscall(SYS_ftruncate, f->fd, c->size);
}

static void garble_piece(struct file *f, const char *fresh, size_t n, uint64_t at)
{
	char rubbish[PIECE];

	switch (lot(4)) {
	case 0:
		return;
	case 1:
		put(f->fd, fresh, n, at);
		return;
	case 2:
		memset(rubbish, 0, n);
		break;
	default:
		for (size_t i = 0; i < n; i++)
			rubbish[i] = (char)lot(256);
	}
	put(f->fd, rubbish, n, at);
}

/* First everything as it was, then a piece here and there of what was to be. */
static void garble(struct file *f)
{
	struct stat now;
	char *fresh;

	if (fstat(f->fd, &now) != 0)
		return;
	fresh = get_memory((size_t)now.st_size + 1);
	if (pread(f->fd, fresh, (size_t)now.st_size, 0) < 0)
		_exit(125);
	for (struct change *c = f->newest; c; c = c->before)
		put_back(f, c);
	for (struct change *c = f->newest; c; c = c->before) {
		uint64_t at = c->offset, end = c->offset + c->len;

		while (at < end && at < (uint64_t)now.st_size) {
			uint64_t stop = (at / PIECE + 1) * PIECE;

			stop = stop < end ? stop : end;
			stop = stop < (uint64_t)now.st_size ? stop : (uint64_t)now.st_size;
			garble_piece(f, fresh + at, (size_t)(stop - at), at);
			at = stop;
		}
	}
	free(fresh);
}

static void lose_bytes(struct file *f)
{
	unsigned how = manner == LOSS_ALL ? 0 : manner == LOSS_GARBLE ? 1 : lot(3);

	if (f->fd < 0 || !f->newest)
		return;
	if (how == 0)
		for (struct change *c = f->newest; c; c = c->before)
			put_back(f, c);
	else if (how == 1)
		garble(f);
}

static void undo_naming(const struct naming *n)
{
	if (n->kind == CREATED)
		syscall(SYS_unlinkat, AT_FDCWD, n->path, 0);
	if (n->kind == RENAMED) {
		syscall(SYS_linkat, AT_FDCWD, n->to, AT_FDCWD, n->path, 0);
		syscall(SYS_unlinkat, AT_FDCWD, n->to, 0);
	}
	if (n->limbo)
		syscall(SYS_linkat, AT_FDCWD, n->limbo, AT_FDCWD,
		        n->kind == RENAMED ? n->to : n->path, 0);
}

/* A directory keeps its changes in order: some of the latest are undone. */
static void lose_names(void)
{
	unsigned count = 0, undone;

	for (struct naming *n = namings; n; n = n->before)
		count++;
	undone = manner == LOSS_ALL ? count : lot(count + 1);
	for (struct naming *n = namings; n && undone > 0; n = n->before, undone--)
		undo_naming(n);
}

void loss_happen(void)
{
	if (manner == LOSS_NONE)
		return;
	for (struct file *f = files; f; f = f->next)
		lose_bytes(f);
	lose_names();
}

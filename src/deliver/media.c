/* media.c - files that people sent, on the disk. */
#define _GNU_SOURCE
#include "deliver/media.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/must.h"
#include "base/whole.h"
#include "deliver/files.h"

#define REQUESTS_MAX 10000 /* that one look counts; what is more waits for the next */
#define PART ".part"

struct media {
	char *path;
	uint64_t total; /* bytes of all, as far as is known */
};

struct media_file {
	struct media *media;
	int dir, fd;
	char *name, *part;
	uint64_t size;
};

struct media *media_create(const char *data)
{
	struct media *m = must_zero(1, sizeof(*m));
	char *whole = realpath(data, NULL);

	m->path = must_print("%s/media", whole ? whole : data);
	free(whole);
	return m;
}

void media_destroy(struct media *m)
{
	if (!m)
		return;
	free(m->path);
	free(m);
}

/* ---- what there is ---- */

struct media_request {
	char *name;
	int64_t at_ms;
	uint64_t size;
};

struct media_look {
	DIR *dir;
	struct media_request *all;
	size_t count;
};

static bool is_dots(const char *name)
{
	return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

static DIR *open_dir(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir && fd >= 0)
		close(fd);
	return dir;
}

/* What the files of a request take; removed: they go. */
static uint64_t walk_request(int at, const char *name, bool removes)
{
	DIR *dir = open_dir(at, name);
	const struct dirent *one;
	uint64_t size = 0;
	struct stat st;

	while (dir && (one = readdir(dir))) {
		if (is_dots(one->d_name))
			continue;
		if (fstatat(dirfd(dir), one->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
			size += (uint64_t)st.st_size;
		if (removes)
			unlinkat(dirfd(dir), one->d_name, 0);
	}
	if (dir)
		closedir(dir);
	if (removes && unlinkat(at, name, AT_REMOVEDIR) != 0)
		log_warn("deliver", "files of %.40s cannot be removed: %s", name, strerror(errno));
	return size;
}

static void look_at_request(struct media_look *look, const char *name)
{
	struct media_request *r;
	struct stat st;

	if (is_dots(name) || fstatat(dirfd(look->dir), name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !S_ISDIR(st.st_mode))
		return;
	look->all = must_grow(look->all, (look->count + 1) * sizeof(*look->all));
	r = &look->all[look->count++];
	r->name = must_dup(name);
	r->at_ms = (int64_t)st.st_mtime * 1000;
	r->size = walk_request(dirfd(look->dir), name, false);
}

static int by_age(const void *a, const void *b)
{
	const struct media_request *x = a, *y = b;

	return (x->at_ms > y->at_ms) - (x->at_ms < y->at_ms);
}

void media_sweep(struct media *m, const struct media_rules *rules, uint64_t needed)
{
	struct media_look look = {.dir = open_dir(AT_FDCWD, m->path)};
	const struct dirent *one;

	m->total = 0;
	while (look.dir && look.count < REQUESTS_MAX && (one = readdir(look.dir)))
		look_at_request(&look, one->d_name);
	for (size_t i = 0; i < look.count; i++)
		m->total += look.all[i].size;
	if (look.count)
		qsort(look.all, look.count, sizeof(*look.all), by_age);
	for (size_t i = 0; i < look.count; i++) {
		const struct media_request *r = &look.all[i];

		if ((m->total + needed > rules->room ||
		     r->at_ms + rules->keep_ms < rules->wall_ms) &&
		    !rules->is_wanted(rules->self, text_of(r->name))) {
			walk_request(dirfd(look.dir), r->name, true);
			m->total -= r->size;
		}
		free(r->name);
	}
	free(look.all);
	if (look.dir)
		closedir(look.dir);
}

char *media_find(const struct media *m, const char *request, const char *name, uint64_t *size)
{
	char *path = must_print("%s/%s/%s", m->path, request, name);
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISREG(st.st_mode)) {
		*size = (uint64_t)st.st_size;
		return path;
	}
	free(path);
	return NULL;
}

/* ---- one that comes ---- */

static int make_dir(const struct media *m, const char *request)
{
	char *path = must_print("%s/%s", m->path, request);
	int fd;

	whole_make_dirs(path);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	free(path);
	return fd;
}

static void free_file(struct media_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	if (f->dir >= 0)
		close(f->dir);
	free(f->name);
	free(f->part);
	free(f);
}

struct media_file *media_begin(struct media *m, const struct media_rules *rules,
                               const char *request, const char *name, struct error *why)
{
	struct media_file *f;

	if (m->total + FILES_BYTES_MAX > rules->room)
		media_sweep(m, rules, FILES_BYTES_MAX);
	if (m->total + FILES_BYTES_MAX > rules->room) {
		error_set(why, "there is no room for files now");
		return NULL;
	}
	f = must_zero(1, sizeof(*f));
	f->media = m;
	f->fd = -1;
	f->name = must_dup(name);
	f->part = must_print("%s" PART, name);
	f->dir = make_dir(m, request);
	if (f->dir >= 0)
		f->fd = openat(f->dir, f->part,
		               O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (f->fd >= 0)
		return f;
	log_warn("deliver", "a file cannot be kept in %s: %s", m->path, strerror(errno));
	error_set(why, "the box cannot keep it");
	free_file(f);
	return NULL;
}

bool media_add(struct media_file *f, struct text bytes, size_t max, struct error *why)
{
	if (bytes.len > max - f->size)
		return error_set(why, "it is larger than %zu MiB", max / MIB);
	if (!whole_write(f->fd, bytes))
		return error_errno(why, "the box cannot keep it");
	f->size += bytes.len;
	return true;
}

bool media_end(struct media_file *f, struct error *why)
{
	if (fdatasync(f->fd) != 0 || renameat(f->dir, f->part, f->dir, f->name) != 0 ||
	    fsync(f->dir) != 0) {
		error_errno(why, "the box cannot keep it");
		media_drop(f);
		return false;
	}
	f->media->total += f->size;
	free_file(f);
	return true;
}

void media_drop(struct media_file *f)
{
	if (!f)
		return;
	unlinkat(f->dir, f->part, 0);
	free_file(f);
}

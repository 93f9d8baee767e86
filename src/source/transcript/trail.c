/* trail.c - a path step by step, pieces of files, their lines. */
#include "source/transcript/trail.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"

#define PIECE_BYTES (128 * KIB)
#define HELD_BYTES_MAX (64 * MIB) /* of lines that are not whole yet; then ... */
#define SHORT_BYTES MIB           /* ... one that is longer is passed over */

/* --- opening -------------------------------------------------------------------------- */

static int open_below(const char *root, const char *below, int last)
{
	int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct text rest = text_of(below);

	while (fd >= 0 && rest.len) {
		struct text step = text_cut(rest, '/', &rest);
		int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
		char name[256];
		int next = -1;

		if (step.len == 0)
			continue;
		if (step.len < sizeof(name) && !text_is(step, ".") && !text_is(step, "..")) {
			memcpy(name, step.at, step.len);
			name[step.len] = '\0';
			next = openat(fd, name, flags | (rest.len ? O_DIRECTORY : last));
		}
		close(fd);
		fd = next;
	}
	return fd;
}

int trail_open_dir(const char *root, const char *below)
{
	return open_below(root, below, O_DIRECTORY);
}

int trail_open(const char *root, const char *below, struct stat *is)
{
	int fd = open_below(root, below, 0);

	if (fd >= 0 && (fstat(fd, is) != 0 || !S_ISREG(is->st_mode) || is->st_uid != geteuid())) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* --- lines ---------------------------------------------------------------------------- */

static void trail_count(struct trail *f)
{
	assert(f->all->held >= f->held);
	f->all->held += f->rest.len - f->held;
	f->held = f->rest.len;
}

static bool is_too_long(const struct trail *f)
{
	if (f->rest.len > SHORT_BYTES && f->all->held - f->held + f->rest.len > HELD_BYTES_MAX)
		return true;
	return f->rest.len > TRAIL_LINE_MAX - PIECE_BYTES;
}

static void trail_take_lines(struct trail *f)
{
	const char *from = f->rest.at, *end = from + f->rest.len, *lf;

	while (from < end && (lf = memchr(from, '\n', (size_t)(end - from)))) {
		struct text line = {from, (size_t)(lf - from)};

		f->at += line.len + 1;
		from = lf + 1;
		if (!f->skips)
			f->kind->line(f, line);
		f->skips = false;
	}
	buf_drop(&f->rest, f->rest.len - (size_t)(end - from));
}

/* What was read last is the end of the rest; before it is no whole line. */
static void trail_take(struct trail *f, size_t last)
{
	assert(f->rest.len >= last);
	if (memchr(f->rest.at + f->rest.len - last, '\n', last))
		trail_take_lines(f);
	if (is_too_long(f)) {
		f->at += f->rest.len;
		f->skips = true;
		buf_clear(&f->rest);
	}
}

/* --- files ---------------------------------------------------------------------------- */

static void trail_start(struct trail *f, const struct stat *is)
{
	f->at = 0;
	f->skips = false;
	buf_clear(&f->rest);
	f->kind->start(f, is);
	f->device = is->st_dev;
	f->inode = is->st_ino;
}

static bool is_another(const struct trail *f, const struct stat *is)
{
	return !f->inode || is->st_dev != f->device || is->st_ino != f->inode ||
	       (uint64_t)is->st_size < f->at + f->rest.len;
}

/* One piece of what has come.  True: there is more. */
static bool trail_read(struct trail *f)
{
	struct stat is;
	int fd = trail_open(f->root, f->below, &is);
	bool has_more = false;
	char *to = NULL;
	ssize_t n;

	if (fd < 0)
		return false;
	if (is_another(f, &is))
		trail_start(f, &is);
	f->changed_s = is.st_mtim.tv_sec;
	if ((uint64_t)is.st_size > f->at + f->rest.len)
		to = buf_reserve(&f->rest, PIECE_BYTES);
	n = to ? pread(fd, to, PIECE_BYTES, (off_t)(f->at + f->rest.len)) : 0;
	if (n > 0) {
		f->rest.len += (size_t)n;
		trail_take(f, (size_t)n);
		has_more = (uint64_t)is.st_size > f->at + f->rest.len;
	}
	if (f->rest.len == 0)
		buf_finish(&f->rest);
	trail_count(f);
	close(fd);
	return has_more;
}

/* The others have their turn before it is read again. */
static bool trails_end_turn(struct turn *turn)
{
	struct trails *all = list_of(turn, struct trails, turn);
	struct trail *f;

	if (list_is_empty(&all->ready))
		return false;
	f = list_of(all->ready.next, struct trail, in_ready);
	list_remove(&f->in_ready);
	if (trail_read(f))
		trail_read_soon(f);
	return true;
}

/* --- life ----------------------------------------------------------------------------- */

void trails_init(struct trails *all, struct loop *loop)
{
	*all = (struct trails){.loop = loop, .turn.end = trails_end_turn};
	list_init(&all->ready);
	loop_add_turn(loop, &all->turn);
}

void trails_finish(struct trails *all)
{
	assert(list_is_empty(&all->ready) && all->held == 0);
	loop_remove_turn(&all->turn);
}

void trail_init(struct trail *f, struct trails *all, const char *root, char *below)
{
	f->all = all;
	f->root = root;
	f->below = below;
	f->changed_s = clock_wall_ms() / 1000;
	buf_init(&f->rest, TRAIL_LINE_MAX);
	list_init(&f->in_ready);
}

void trail_finish(struct trail *f)
{
	list_remove(&f->in_ready);
	buf_finish(&f->rest);
	trail_count(f);
	free(f->below);
}

void trail_read_soon(struct trail *f)
{
	if (list_is_empty(&f->in_ready))
		list_add(&f->all->ready, &f->in_ready);
}

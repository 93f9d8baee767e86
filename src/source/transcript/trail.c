/* trail.c - a path step by step, pieces of files, their lines. */
#include "source/transcript/trail.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/clock.h"
#include "base/must.h"

#define PIECE_BYTES (128 * KIB)
#define OPEN_MAX 256              /* files that stay open while they are busy */
#define HELD_BYTES_MAX (64 * MIB) /* of lines that are not whole yet; then ... */
#define SHORT_BYTES (256 * KIB)   /* ... one of which more is left is passed over */

/* A whole line is read at once, so what is left of it may take the loop's time.  Strings are what
 * tools are given, too: patches, and plans as JSON within JSON. */
static const struct condense_limits limits = {
	.most = TRAIL_LINE_MAX,
	.much = TRAIL_LINE_MAX / 2,
	.string = 256 * KIB,
	.then = KIB,
};

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
	f->all->held += f->rest.out.len - f->held;
	f->held = f->rest.out.len;
}

static bool is_too_much(const struct trail *f)
{
	return f->rest.is_bad || (f->rest.out.len > SHORT_BYTES &&
	                          f->all->held - f->held + f->rest.out.len > HELD_BYTES_MAX);
}

static void trail_hold(struct trail *f, struct text part)
{
	f->ahead += part.len;
	if (!f->skips)
		condense_add(&f->rest, part);
	if (!f->skips && is_too_much(f)) {
		f->skips = true;
		condense_finish(&f->rest);
	}
}

static void trail_line_is(struct trail *f, uint64_t len, uint64_t hash)
{
	f->at += len + 1;
	f->last = len;
	f->mark = hash;
}

static void trail_end_line(struct trail *f)
{
	trail_line_is(f, f->ahead, 0); /* what is condensed has a hash of another kind */
	f->ahead = 0;
	if (!f->skips)
		f->kind->line(f, buf_text(&f->rest.out), condense_hash(&f->rest));
	f->skips = false;
	condense_finish(&f->rest);
}

/* As far as the slice of time goes, a line at least. */
static void trail_take(struct trail *f, struct text piece)
{
	const char *from = piece.at, *end = from + piece.len;

	do {
		const char *lf = memchr(from, '\n', (size_t)(end - from));
		struct text part = {from, (size_t)((lf ? lf : end) - from)};

		from += part.len + (lf != NULL);
		if (lf && f->ahead == 0 && part.len <= limits.string) {
			trail_line_is(f, part.len, XXH3_64bits_withSeed(part.at, part.len, 0));
			f->kind->line(f, part, f->mark);
		} else {
			trail_hold(f, part);
			if (lf)
				trail_end_line(f);
		}
	} while (from < end && !loop_slice_is_over(f->all->loop));
}

/* --- files ---------------------------------------------------------------------------- */

static void trail_start(struct trail *f, const struct stat *is)
{
	f->at = f->ahead = f->mark = 0;
	f->skips = false;
	condense_finish(&f->rest);
	f->kind->start(f, is);
	f->device = is->st_dev;
	f->inode = is->st_ino;
}

static bool is_another(const struct trail *f, const struct stat *is)
{
	return !f->inode || is->st_dev != f->device || is->st_ino != f->inode ||
	       (uint64_t)is->st_size < f->at + f->ahead;
}

/* Somebody wrote it anew, and all that was taken stands there as before. */
static bool is_copy(const struct trail *f, const struct stat *is)
{
	char *piece = f->all->piece;
	size_t len = (size_t)f->last;

	return f->inode && f->mark && (uint64_t)is->st_size >= f->at && len < PIECE_BYTES &&
	       pread(f->fd, piece, len + 1, (off_t)(f->at - len - 1)) == (ssize_t)len + 1 &&
	       piece[len] == '\n' && XXH3_64bits_withSeed(piece, len, 0) == f->mark;
}

static void trail_go_on(struct trail *f, const struct stat *is)
{
	f->ahead = 0;
	f->skips = false;
	condense_finish(&f->rest);
	f->device = is->st_dev;
	f->inode = is->st_ino;
}

static void trail_close(struct trail *f)
{
	if (f->fd < 0)
		return;
	close(f->fd);
	f->fd = -1;
	list_remove(&f->in_open);
	assert(f->all->open_count > 0);
	f->all->open_count--;
}

/* The news of its name tells when it is another: so it may stay open while it is busy. */
static bool trail_is_open(struct trail *f, struct stat *is)
{
	struct trails *all = f->all;

	f->read_in = all->rests;
	if (f->fd >= 0 && fstat(f->fd, is) == 0)
		return true;
	trail_close(f);
	f->fd = trail_open(f->root, f->below, is);
	if (f->fd < 0)
		return false;
	list_add(&all->open, &f->in_open);
	all->open_count++;
	return true;
}

/* One piece of what has come.  True: there is more. */
static bool trail_read(struct trail *f)
{
	struct stat is;
	ssize_t n = 0;

	if (!trail_is_open(f, &is))
		return false;
	f->all->reads++;
	if (is_another(f, &is) && is_copy(f, &is))
		trail_go_on(f, &is);
	else if (is_another(f, &is))
		trail_start(f, &is);
	f->changed_s = is.st_mtim.tv_sec;
	if ((uint64_t)is.st_size > f->at + f->ahead)
		n = pread(f->fd, f->all->piece, PIECE_BYTES, (off_t)(f->at + f->ahead));
	if (!watcher_is_on(&f->watcher) || f->all->open_count > OPEN_MAX)
		trail_close(f);
	if (n > 0)
		trail_take(f, (struct text){f->all->piece, (size_t)n});
	trail_count(f);
	return n > 0 && (uint64_t)is.st_size > f->at + f->ahead;
}

/* The others have their turn before a file is read again. */
static bool trails_end_turn(struct turn *turn)
{
	struct trails *all = list_of(turn, struct trails, turn);

	if (list_is_empty(&all->ready))
		return false;
	if (!all->piece)
		all->piece = must_alloc(PIECE_BYTES);
	loop_slice(all->loop, SLICE_OWN_NS);
	do {
		struct trail *f = list_of(all->ready.next, struct trail, in_ready);

		list_remove(&f->in_ready);
		if (trail_read(f))
			trail_read_soon(f);
	} while (!list_is_empty(&all->ready) && !loop_slice_is_over(all->loop));
	return !list_is_empty(&all->ready);
}

/* --- life ----------------------------------------------------------------------------- */

void trails_init(struct trails *all, struct loop *loop, struct watches *watches)
{
	*all = (struct trails){.loop = loop, .watches = watches, .turn.end = trails_end_turn};
	list_init(&all->ready);
	list_init(&all->open);
	loop_add_turn(loop, &all->turn);
}

void trails_finish(struct trails *all)
{
	assert(list_is_empty(&all->ready) && all->held == 0);
	loop_remove_turn(&all->turn);
	free(all->piece);
}

static void trail_has_news(struct watcher *w, const struct watch_news *news)
{
	struct trail *f = list_of(w, struct trail, watcher);

	if (news->is_made)
		trail_reopen(f);
	else
		trail_read_soon(f);
}

void trail_init(struct trail *f, struct trails *all, const char *root, char *below)
{
	const char *slash = strrchr(below, '/');

	f->all = all;
	f->root = root;
	f->below = below;
	f->changed_s = clock_wall_ms() / 1000;
	condense_init(&f->rest, &limits);
	f->fd = -1;
	list_init(&f->in_ready);
	list_init(&f->in_open);
	f->watcher.news = trail_has_news;
	f->watcher.name = slash ? slash + 1 : below;
	watcher_init(&f->watcher, all->watches, root,
	             (struct text){below, slash ? (size_t)(slash - below) : 0});
	trail_read_soon(f);
}

void trail_finish(struct trail *f)
{
	watcher_finish(&f->watcher);
	trail_close(f);
	list_remove(&f->in_ready);
	condense_finish(&f->rest);
	trail_count(f);
	free(f->below);
}

void trail_read_soon(struct trail *f)
{
	if (list_is_empty(&f->in_ready))
		list_add(&f->all->ready, &f->in_ready);
}

void trail_reopen(struct trail *f)
{
	trail_close(f);
	trail_read_soon(f);
}

void trails_rest(struct trails *all)
{
	list_each(&all->open, l) {
		struct trail *f = list_of(l, struct trail, in_open);

		if (f->read_in != all->rests)
			trail_close(f);
	}
	all->rests++;
}

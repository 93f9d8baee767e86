/* lines.c - reading lines, through zstd where the bytes say so. */
#include "cli/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/buf.h"
#include "base/must.h"
#include "cli/interrupt.h"

#define LINE_LEN_MAX (16 * MIB) /* the box takes less */
#define PIECE (128 * KIB)
#define WINDOW_LOG_MAX 27 /* 128 MiB: what `zstd --ultra` makes is readable, no more */

static const char magic[4] = {'\x28', '\xb5', '\x2f', '\xfd'};

struct lines {
	int fd;
	uint64_t done, total, number;
	char *piece; /* as it was read */
	ZSTD_inBuffer in;
	ZSTD_DCtx *zstd; /* NULL: it is not compressed, or nothing was read yet */
	size_t owed;     /* of zstd: not 0 in the middle of a frame */
	struct buf text; /* from `at` on: not given yet */
	size_t at;
	uint64_t dropped; /* text before it */
	bool has_begun, is_over, skipping;
};

struct lines *lines_open(const char *path, struct error *why)
{
	struct lines *l;
	struct stat st;
	int fd = strcmp(path, "-") == 0 ? 0 : open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		error_errno(why, "%s", path);
		return NULL;
	}
	l = must_zero(1, sizeof(*l));
	l->fd = fd;
	l->piece = must_alloc(PIECE);
	buf_init(&l->text, LINE_LEN_MAX + 2 * PIECE);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		l->total = (uint64_t)st.st_size;
	return l;
}

void lines_close(struct lines *l)
{
	if (!l)
		return;
	if (l->fd > 0)
		close(l->fd);
	ZSTD_freeDCtx(l->zstd);
	buf_finish(&l->text);
	free(l->piece);
	free(l);
}

/* ---- bytes ---- */

/* At least four bytes at the beginning, to know what it is. */
static bool read_piece(struct lines *l, struct error *why)
{
	size_t have = 0;

	do {
		ssize_t n = read(l->fd, l->piece + have, PIECE - have);

		if (n < 0 && errno == EINTR && !interrupt_came())
			continue;
		if (n < 0)
			return error_errno(why, "cannot read");
		if (n == 0)
			break;
		have += (size_t)n;
	} while (!l->has_begun && have < sizeof(magic));
	l->in = (ZSTD_inBuffer){l->piece, have, 0};
	l->done += have;
	if (!l->has_begun && have >= sizeof(magic) && memcmp(l->piece, magic, sizeof(magic)) == 0) {
		l->zstd = ZSTD_createDCtx();
		ZSTD_DCtx_setParameter(l->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	}
	l->has_begun = true;
	return true;
}

static bool take_plain(struct lines *l)
{
	buf_add(&l->text, (struct text){l->piece, l->in.size});
	l->in.pos = l->in.size;
	l->is_over = l->in.size == 0;
	return true;
}

/* At the end of the file, what zstd still holds comes out; then the frame must be whole. */
static bool unpack(struct lines *l, struct error *why)
{
	char *room = buf_reserve(&l->text, PIECE);
	ZSTD_outBuffer out = {room, PIECE, 0};

	if (l->in.size == 0 && l->owed == 0) {
		l->is_over = true;
		return true;
	}
	l->owed = ZSTD_decompressStream(l->zstd, &out, &l->in);
	if (ZSTD_isError(l->owed))
		return error_set(why, "zstd: %s", ZSTD_getErrorName(l->owed));
	l->text.len += out.pos;
	if (l->in.size == 0 && out.pos == 0 && l->owed)
		return error_set(why, "the file is truncated");
	return true;
}

/* More text, or is_over.  There is room for a piece. */
static bool fetch(struct lines *l, struct error *why)
{
	size_t before = l->text.len;

	buf_drop(&l->text, l->at);
	l->dropped += l->at;
	before -= l->at;
	l->at = 0;
	while (l->text.len == before && !l->is_over) {
		if (l->in.pos == l->in.size && !read_piece(l, why))
			return false;
		if (l->zstd ? !unpack(l, why) : !take_plain(l))
			return false;
	}
	return true;
}

/* ---- lines ---- */

static enum lines_answer give_line(struct lines *l, size_t len, struct text *line)
{
	struct text whole = {l->text.at + l->at, len};

	l->at += len;
	if (l->at < l->text.len)
		l->at++; /* the newline */
	l->number++;
	if (l->skipping) {
		l->skipping = false;
		return LINES_TOO_LONG;
	}
	*line = text_trim(whole);
	return LINES_ONE;
}

enum lines_answer lines_next(struct lines *l, struct text *line, struct error *why)
{
	size_t seen = 0;

	for (;;) {
		size_t len = l->text.len - l->at;
		const char *start = len ? l->text.at + l->at : NULL;
		const char *end =
			start && len > seen ? memchr(start + seen, '\n', len - seen) : NULL;

		if (end)
			return give_line(l, (size_t)(end - start), line);
		if (l->is_over)
			return len || l->skipping ? give_line(l, len, line) : LINES_END;
		if (len > LINE_LEN_MAX) {
			l->skipping = true;
			l->at = l->text.len;
			len = 0;
		}
		seen = len;
		if (!fetch(l, why))
			return LINES_BAD;
	}
}

uint64_t lines_number(const struct lines *l)
{
	return l->number;
}

uint64_t lines_done(const struct lines *l)
{
	uint64_t read = l->done - (l->in.size - l->in.pos);
	uint64_t text = l->dropped + l->text.len;

	return text ? (uint64_t)((double)read * (double)(l->dropped + l->at) / (double)text) : 0;
}

uint64_t lines_total(const struct lines *l)
{
	return l->total;
}

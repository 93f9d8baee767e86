/* import_zstd.c - frame after frame, a piece at a time. */
#include "cli/import_zstd.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include "base/buf.h"
#include "base/must.h"

#define PIECE (256 * KIB)
#define WINDOW_LOG_MAX 27 /* 128 MiB, and no more memory than that */

struct unpacking {
	const struct import_zstd *from;
	ZSTD_DCtx *zstd;
	char *in, *out;
	size_t owed; /* not 0 in the middle of a frame */
};

/* False: enough, or it is damaged. */
static bool unpack(struct unpacking *u, size_t n)
{
	ZSTD_inBuffer in = {u->in, n, 0};
	uint64_t read = n;
	bool is_full = true;

	/* A frame whose end has been read owes nothing: asked again, it would want another. */
	while (in.pos < in.size || (is_full && u->owed)) {
		ZSTD_outBuffer out = {u->out, PIECE, 0};

		u->owed = ZSTD_decompressStream(u->zstd, &out, &in);
		if (ZSTD_isError(u->owed)) {
			errno = EBADMSG;
			return false;
		}
		if (out.pos && !u->from->take(u->from->self, (struct text){u->out, out.pos}, read))
			return false;
		read = out.pos ? 0 : read;
		is_full = out.pos == out.size;
	}
	return true;
}

static bool unpack_all(struct unpacking *u)
{
	for (;;) {
		ssize_t n = read(u->from->fd, u->in, PIECE);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		if (n == 0 && u->owed)
			errno = EBADMSG;
		if (n == 0)
			return u->owed == 0;
		if (!unpack(u, (size_t)n))
			return false;
	}
}

bool import_zstd_read(const struct import_zstd *from)
{
	struct unpacking u = {.from = from,
	                      .zstd = ZSTD_createDCtx(),
	                      .in = must_alloc(PIECE),
	                      .out = must_alloc(PIECE)};
	bool good;

	if (!u.zstd)
		must_give_up("zstd");
	ZSTD_DCtx_setParameter(u.zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	good = unpack_all(&u);
	ZSTD_freeDCtx(u.zstd);
	free(u.in);
	free(u.out);
	return good;
}

/* sink.c - writing lines, through zstd where the name asks for it. */
#include "cli/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include "base/must.h"

#define LEVEL 6 /* where lines of JSON stop getting much smaller */

struct sink {
	struct out *out; /* `file`, or standard output */
	struct out file;
	ZSTD_CCtx *zstd; /* NULL: as it is */
	char *packed;
	size_t packed_room;
	const char *trouble; /* of zstd */
};

static bool ends_in_zst(const char *path)
{
	size_t len = strlen(path);

	return len > 4 && strcmp(path + len - 4, ".zst") == 0;
}

static void start_packing(struct sink *s)
{
	s->zstd = ZSTD_createCCtx();
	s->packed_room = ZSTD_CStreamOutSize();
	s->packed = must_alloc(s->packed_room);
	ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_checksumFlag, 1);
}

struct sink *sink_open(const char *path, struct out *out, struct error *why)
{
	struct sink *s = must_zero(1, sizeof(*s));
	int fd;

	s->out = out;
	if (!path || strcmp(path, "-") == 0)
		return s;
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0) {
		error_errno(why, "%s", path);
		free(s);
		return NULL;
	}
	out_init(&s->file, fd);
	s->out = &s->file;
	if (ends_in_zst(path))
		start_packing(s);
	return s;
}

static bool pack(struct sink *s, struct text bytes, ZSTD_EndDirective how)
{
	ZSTD_inBuffer in = {bytes.at, bytes.len, 0};
	size_t left;

	do {
		ZSTD_outBuffer out = {s->packed, s->packed_room, 0};

		left = ZSTD_compressStream2(s->zstd, &out, &in, how);
		if (ZSTD_isError(left)) {
			s->trouble = ZSTD_getErrorName(left);
			return false;
		}
		out_add(s->out, (struct text){s->packed, out.pos});
	} while (how == ZSTD_e_end ? left > 0 : in.pos < in.size);
	return !s->out->failure;
}

bool sink_add(struct sink *s, struct text bytes)
{
	if (s->zstd)
		return !s->trouble && pack(s, bytes, ZSTD_e_continue);
	out_add(s->out, bytes);
	return !s->out->failure;
}

static bool is_synced(int fd)
{
	return fsync(fd) == 0 || errno == EINVAL || errno == EROFS; /* a pipe, a device */
}

static bool close_file(struct sink *s, struct error *why)
{
	struct out *file = &s->file;
	bool good = out_flush(file);

	errno = file->failure;
	if (good)
		good = is_synced(file->fd);
	if (!good)
		error_errno(why, "cannot write");
	if (close(file->fd) != 0 && good)
		good = error_errno(why, "cannot write");
	buf_finish(&file->bytes);
	return good;
}

bool sink_close(struct sink *s, struct error *why)
{
	bool good = true;

	if (!s)
		return true;
	if (s->zstd && !s->trouble)
		pack(s, TEXT(""), ZSTD_e_end);
	if (s->out == &s->file)
		good = close_file(s, why);
	if (s->trouble)
		good = error_set(why, "zstd: %s", s->trouble);
	ZSTD_freeCCtx(s->zstd);
	free(s->packed);
	free(s);
	return good;
}

/* recording.c - reading ahead in a file, off the loop. */
#include "source/stream/recording.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include "base/buf.h"
#include "base/must.h"
#include "net/loop.h"

#define RECORDING_CHUNK (64 * KIB)
#define RECORDING_LINE_MAX (1 * MIB)

struct recording {
	uv_fs_t read;
	uv_loop_t *uv;
	int fd;
	int64_t offset; /* of what is read next */
	struct buf bytes;
	size_t used;
	char chunk[RECORDING_CHUNK];
	bool is_reading, is_over, has_failed, is_closed;
	bool is_long; /* the rest of a long line is on its way */
	void (*ready)(void *self);
	void *self;
};

struct recording *recording_open(struct loop *loop, const char *path, void (*ready)(void *self),
                                 void *self, struct error *why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct recording *r;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0) {
		error_errno(why, "%s", path);
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	if (!S_ISREG(st.st_mode)) {
		close(fd);
		error_set(why, "%s is not a file", path);
		return NULL;
	}
	r = must_zero(1, sizeof(*r));
	r->uv = loop_uv(loop);
	r->fd = fd;
	r->ready = ready;
	r->self = self;
	buf_init(&r->bytes, RECORDING_LINE_MAX + RECORDING_CHUNK);
	return r;
}

static void free_recording(struct recording *r)
{
	close(r->fd);
	buf_finish(&r->bytes);
	free(r);
}

static void have_read(uv_fs_t *read)
{
	struct recording *r = read->data;
	ssize_t n = read->result;

	uv_fs_req_cleanup(read);
	r->is_reading = false;
	if (r->is_closed) {
		free_recording(r);
		return;
	}
	r->has_failed = n < 0;
	r->is_over = n == 0;
	if (n > 0) {
		r->offset += n;
		buf_add(&r->bytes, (struct text){r->chunk, (size_t)n});
	}
	r->ready(r->self);
}

static enum recording_news read_on(struct recording *r)
{
	uv_buf_t chunk = uv_buf_init(r->chunk, RECORDING_CHUNK);

	r->read.data = r;
	r->is_reading = uv_fs_read(r->uv, &r->read, r->fd, &chunk, 1, r->offset, have_read) == 0;
	return r->is_reading ? RECORDING_WAIT : RECORDING_FAILED;
}

/* Neither a newline nor room for one. */
static bool overflows(struct recording *r)
{
	if (r->bytes.len < RECORDING_LINE_MAX)
		return false;
	buf_clear(&r->bytes);
	r->is_long = true;
	return true;
}

enum recording_news recording_next(struct recording *r, struct text *line)
{
	struct text rest;
	bool was_long = r->is_long;

	if (r->is_reading)
		return RECORDING_WAIT;
	buf_drop(&r->bytes, r->used);
	r->used = 0;
	*line = text_cut(buf_text(&r->bytes), '\n', &rest);
	if (!rest.at && r->has_failed)
		return RECORDING_FAILED;
	if (!rest.at && !r->is_over) {
		overflows(r);
		return read_on(r);
	}
	if (!rest.at && !line->len && !was_long)
		return RECORDING_END;
	r->used = line->len + (rest.at ? 1 : 0);
	r->is_long = false;
	return was_long ? RECORDING_LONG : RECORDING_LINE;
}

void recording_rewind(struct recording *r)
{
	r->offset = 0;
	r->is_over = false;
	buf_clear(&r->bytes);
	r->used = 0;
}

void recording_close(struct recording *r)
{
	if (!r)
		return;
	r->is_closed = true;
	if (!r->is_reading)
		free_recording(r);
}

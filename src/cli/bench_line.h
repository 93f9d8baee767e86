/* bench_line.h - a WebSocket to a box that costs next to nothing, for measuring.
 *
 * It goes to the box's Unix socket.  Frames are made once and written with a mask of
 * zeroes, which the box takes off like any other; so what is measured is the box.
 */
#ifndef CLI_BENCH_LINE_H
#define CLI_BENCH_LINE_H

#include "base/buf.h"
#include "base/error.h"
#include "net/ws.h"

struct bench_line {
	int fd;
	struct ws_reader reader;
	struct buf out;
	size_t out_at;   /* up to here it went out */
	struct buf rest; /* that came before it was ours to read */
};

/* `path` is a route with its query.  It waits for the answer, ten seconds at most. */
bool bench_line_open(struct bench_line *line, const char *data, const char *path,
                     struct error *why);
void bench_line_close(struct bench_line *line); /* also one that never was opened */

/* Everything that is there now; false when it has ended. */
typedef void bench_heard_fn(void *self, struct text message);
bool bench_line_read(struct bench_line *line, bench_heard_fn *heard, void *self, struct error *why);

/* Out goes what the socket takes now; false when it has ended. */
bool bench_line_flush(struct bench_line *line, struct error *why);

static inline bool bench_line_waits(const struct bench_line *line)
{
	return line->out_at < line->out.len;
}

/* The head of a frame with so many bytes, to which they are added as they are. */
void bench_line_add_head(struct buf *frame, size_t len);

#endif

/* bench_line.c - opening it as every WebSocket is opened, then bytes both ways without a loop:
 * what the loop does for its connections would be measured too. */
#include "cli/bench_line.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/must.h"
#include "cli/remote.h"
#include "net/loop.h"
#include "net/ws_client.h"

#define PATIENCE_MS 10000
#define INPUT_ROOM (256 * KIB)
#define OUT_MAX (8 * MIB)
#define MESSAGE_MAX (4 * MIB)

static const struct ws_limits limits = {
	.message_max = MESSAGE_MAX, .fragments_max = 4096, .of_server = true};

/* ---- opening ---- */

struct opening {
	struct bench_line *line;
	struct ws_client *client;
	bool is_over;
	int status; /* of an upgrade that was refused */
	struct error why;
};

static void on_open(void *self)
{
	struct opening *o = self;

	o->line->fd = ws_client_take(o->client, &o->line->rest);
	o->is_over = true;
}

static void on_closed(void *self, uint16_t code, int status, const char *why)
{
	struct opening *o = self;

	o->is_over = true;
	o->status = status;
	error_set(&o->why, "%s", why);
}

static bool open_line(struct opening *o, struct remote *box, const char *path, struct error *why)
{
	struct remote_target target = remote_target(box);
	char *url = must_print("ws://localhost%s", path);
	const struct ws_client_options options = {
		.url = url,
		.path = target.sock,
		.message_max = MESSAGE_MAX,
		.connect_ms = PATIENCE_MS,
		.self = o,
		.open = on_open,
		.closed = on_closed,
	};

	o->client = ws_client_create(target.loop, &options, why);
	free(url);
	while (o->client && !o->is_over)
		loop_step(target.loop, true);
	ws_client_destroy(o->client);
	if (o->line->fd >= 0)
		return true;
	if (o->status)
		error_set(why, "%s", o->why.words);
	else if (o->is_over)
		error_set(why, "no signalbox is running on %s (%s)", remote_data(box),
		          o->why.words);
	return false;
}

bool bench_line_open(struct bench_line *line, const char *data, const char *path, struct error *why)
{
	struct opening o = {.line = line};
	struct remote *box = remote_at(data);
	bool good;

	*line = (struct bench_line){.fd = -1};
	ws_init(&line->reader, &limits);
	buf_init(&line->out, OUT_MAX);
	buf_init(&line->rest, INPUT_ROOM);
	good = open_line(&o, box, path, why);
	remote_destroy(box);
	if (!good)
		bench_line_close(line);
	return good;
}

void bench_line_close(struct bench_line *line)
{
	if (!line->reader.limits)
		return;
	if (line->fd >= 0)
		close(line->fd);
	ws_finish(&line->reader);
	buf_finish(&line->out);
	buf_finish(&line->rest);
	*line = (struct bench_line){.fd = -1};
}

/* ---- bytes ---- */

static bool take_news(struct bench_line *line, enum ws_event event, const struct ws_news *news,
                      struct error *why)
{
	if (event == WS_PING)
		ws_add_masked(&line->out, WS_OP_PONG, news->body);
	if (event == WS_CLOSE)
		return error_set(why, "the box closed the connection: %u %.*s", news->code,
		                 TEXT_ARG(news->body));
	return event != WS_BAD || error_set(why, "the box sent an invalid WebSocket frame");
}

/* What came with the answer to the upgrade is first. */
static ssize_t receive(struct bench_line *line, char input[INPUT_ROOM])
{
	size_t n = line->rest.len < INPUT_ROOM ? line->rest.len : INPUT_ROOM;

	if (!n)
		return recv(line->fd, input, INPUT_ROOM, 0);
	memcpy(input, line->rest.at, n);
	buf_drop(&line->rest, n);
	return (ssize_t)n;
}

bool bench_line_read(struct bench_line *line, bench_heard_fn *heard, void *self, struct error *why)
{
	static char input[INPUT_ROOM];
	ssize_t got = receive(line, input);
	size_t n = got > 0 ? (size_t)got : 0;
	struct ws_news news;
	enum ws_event event;
	char *at = input;

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (got <= 0)
		return error_set(why, "the box is gone");
	while ((event = ws_read(&line->reader, &at, &n, &news)) != WS_WAIT) {
		if (event == WS_TEXT)
			heard(self, news.body);
		else if (!take_news(line, event, &news, why))
			return false;
	}
	return true;
}

bool bench_line_flush(struct bench_line *line, struct error *why)
{
	ssize_t n;

	if (!bench_line_waits(line))
		return true;
	n = send(line->fd, line->out.at + line->out_at, line->out.len - line->out_at, MSG_NOSIGNAL);
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		return error_set(why, "the box is gone");
	line->out_at += n > 0 ? (size_t)n : 0;
	if (!bench_line_waits(line)) {
		buf_clear(&line->out);
		line->out_at = 0;
	}
	return true;
}

void bench_line_add_head(struct buf *frame, size_t len)
{
	char head[WS_HEADER_MAX + 4] = {0};
	size_t n = ws_header(head, WS_OP_TEXT, len);

	head[1] = (char)(head[1] | 0x80);
	memset(head + n, 0, 4);
	buf_add(frame, (struct text){head, n + 4});
}

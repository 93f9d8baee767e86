/* bench_line.c - opening it, and bytes both ways. */
#include "cli/bench_line.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cli/remote.h"
#include "net/peer.h"
#include "net/url.h"
#include "net/ws_upgrade.h"

#define PATIENCE_S 10
#define HEAD_ROOM (8 * KIB)
#define INPUT_ROOM (256 * KIB)
#define OUT_MAX (8 * MIB)
#define MESSAGE_MAX (4 * MIB)

static const struct ws_limits limits = {
	.message_max = MESSAGE_MAX, .fragments_max = 4096, .of_server = true};

/* ---- opening ---- */

static bool connect_to(struct bench_line *line, const char *data, struct error *why)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct timeval patience = {.tv_sec = PATIENCE_S};

	if (strlen(data) + sizeof("/sock") > sizeof(address.sun_path))
		return error_set(why, "%s: too long for a socket", data);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/sock", data);
	line->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (line->fd < 0)
		return error_errno(why, "no socket");
	setsockopt(line->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(line->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (connect(line->fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return peer_is_ours(line->fd, why);
	if (errno == ENOENT || errno == ECONNREFUSED)
		return error_set(why, "no signalbox is running on %s", data);
	return error_errno(why, "%s", address.sun_path);
}

/* The head of the answer and not a byte more: what follows is the WebSocket's. */
static bool read_head(struct bench_line *line, char head[HEAD_ROOM], size_t *len)
{
	for (;;) {
		ssize_t n = recv(line->fd, head, HEAD_ROOM, MSG_PEEK);
		const char *end = n > 0 ? memmem(head, (size_t)n, "\r\n\r\n", 4) : NULL;

		if (n <= 0 || (!end && n == HEAD_ROOM))
			return false;
		*len = end ? (size_t)(end + 4 - head) : 0;
		if (end)
			return recv(line->fd, head, *len, 0) == (ssize_t)*len;
		usleep(1000); /* a head in two pieces is rare */
	}
}

static bool upgrade(struct bench_line *line, const char *path, struct error *why)
{
	const struct url url = {.path = text_of(path), .authority = TEXT("localhost")};
	char head[HEAD_ROOM], key[WS_KEY_LEN + 1];
	int status = 0;
	size_t len;
	ssize_t n;

	if (!ws_upgrade_ask(&line->out, &url, NULL, key, why))
		return false;
	n = send(line->fd, line->out.at, line->out.len, MSG_NOSIGNAL);
	buf_clear(&line->out);
	if (n < 0 || !read_head(line, head, &len))
		return error_set(why, "the box does not answer");
	if (ws_upgrade_check((struct text){head, len}, key, &status, why))
		return true;
	n = recv(line->fd, head, sizeof(head), 0);
	remote_refusal(status, (struct text){head, n > 0 ? (size_t)n : 0}, why);
	return false;
}

bool bench_line_open(struct bench_line *line, const char *data, const char *path, struct error *why)
{
	*line = (struct bench_line){.fd = -1};
	ws_init(&line->reader, &limits);
	buf_init(&line->out, OUT_MAX);
	if (!connect_to(line, data, why) || !upgrade(line, path, why)) {
		bench_line_close(line);
		return false;
	}
	fcntl(line->fd, F_SETFL, O_NONBLOCK);
	return true;
}

void bench_line_close(struct bench_line *line)
{
	if (!line->reader.limits)
		return;
	if (line->fd >= 0)
		close(line->fd);
	ws_finish(&line->reader);
	buf_finish(&line->out);
	*line = (struct bench_line){.fd = -1};
}

/* ---- bytes ---- */

static bool take(struct bench_line *line, enum ws_event event, const struct ws_news *news,
                 struct error *why)
{
	if (event == WS_PING)
		ws_add_masked(&line->out, WS_OP_PONG, news->body);
	if (event == WS_CLOSE)
		return error_set(why, "the box closed the connection: %u %.*s", news->code,
		                 TEXT_ARG(news->body));
	return event != WS_BAD || error_set(why, "the box sent an invalid WebSocket frame");
}

bool bench_line_read(struct bench_line *line, bench_heard_fn *heard, void *self, struct error *why)
{
	static char input[INPUT_ROOM];
	ssize_t got = recv(line->fd, input, sizeof(input), 0);
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
		else if (!take(line, event, &news, why))
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

/* steer.c - a WebSocket on the box's Unix socket that never blocks. */
#include "cli/steer.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include <yyjson.h>

#include "base/buf.h"
#include "base/must.h"
#include "net/peer.h"
#include "net/url.h"
#include "net/ws.h"
#include "net/ws_upgrade.h"
#include "signal/json.h"

#define HEAD_MAX (16 * KIB)
#define MESSAGE_MAX (1 * MIB)
#define OUT_MAX (64 * KIB)
#define PIECE (16 * KIB)
#define FIRST_MS 1000
#define LONGEST_MS 10000

static const struct ws_limits limits = {
	.message_max = MESSAGE_MAX, .fragments_max = 64, .of_server = true};

struct steer {
	char *sock, *path;
	int fd; /* -1: there is no line */
	struct buf out, head;
	size_t sent;
	char key[WS_KEY_LEN + 1];
	bool is_open; /* the upgrade was answered */
	struct ws_reader reader;
	uint64_t again_ms; /* when the next try is */
	unsigned wait_ms;
};

/* ---- the line ---- */

static char *make_path(const char *session)
{
	struct buf path;
	char *whole;

	buf_init(&path, MIB);
	buf_add(&path, TEXT("/ws/run?role=agent&session="));
	for (const char *c = session; *c; c++)
		buf_print(&path, isalnum((unsigned char)*c) || strchr("-._~", *c) ? "%c" : "%%%02X",
		          (unsigned char)*c);
	whole = text_dup(buf_text(&path));
	buf_finish(&path);
	return whole;
}

struct steer *steer_create(const char *data, const char *session)
{
	struct steer *s = must_zero(1, sizeof(*s));

	s->fd = -1;
	s->path = make_path(session);
	s->sock = must_print("%s/sock", data);
	buf_init(&s->out, OUT_MAX);
	buf_init(&s->head, HEAD_MAX);
	ws_init(&s->reader, &limits);
	return s;
}

static void hang_up(struct steer *s, uint64_t now_ms)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	s->is_open = false;
	ws_finish(&s->reader);
	ws_init(&s->reader, &limits);
	s->wait_ms = s->wait_ms ? 2 * s->wait_ms : FIRST_MS;
	if (s->wait_ms > LONGEST_MS)
		s->wait_ms = LONGEST_MS;
	s->again_ms = now_ms + s->wait_ms;
}

void steer_destroy(struct steer *s)
{
	if (!s)
		return;
	if (s->fd >= 0)
		close(s->fd);
	ws_finish(&s->reader);
	buf_finish(&s->out);
	buf_finish(&s->head);
	free(s->sock);
	free(s->path);
	free(s);
}

static bool call(struct steer *s)
{
	const struct url url = {.path = text_of(s->path), .authority = TEXT("localhost")};

	s->fd = peer_connect(s->sock, SOCK_STREAM | SOCK_NONBLOCK, NULL);
	if (s->fd < 0)
		return false;
	buf_clear(&s->out);
	buf_clear(&s->head);
	s->sent = 0;
	return ws_upgrade_ask(&s->out, &url, NULL, s->key, NULL);
}

static bool send_some(struct steer *s)
{
	while (s->sent < s->out.len) {
		ssize_t n = send(s->fd, s->out.at + s->sent, s->out.len - s->sent, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN;
		s->sent += (size_t)n;
	}
	buf_clear(&s->out);
	s->sent = 0;
	return !s->out.full;
}

/* ---- what is heard ---- */

struct ear {
	void (*told)(void *self, struct text op);
	void *self;
};

static void take_message(struct text message, const struct ear *ear)
{
	yyjson_doc *doc = yyjson_read(message.at, message.len, 0);
	yyjson_val *root = yyjson_doc_get_root(doc);

	if (yyjson_equals_str(yyjson_obj_get(root, "kind"), "control"))
		ear->told(ear->self, json_text_at(root, "op"));
	yyjson_doc_free(doc);
}

/* False: the line is of no more use. */
static bool take_frames(struct steer *s, char *bytes, size_t n, const struct ear *ear)
{
	struct ws_news news;

	for (;;) {
		switch (ws_read(&s->reader, &bytes, &n, &news)) {
		case WS_TEXT:
			take_message(news.body, ear);
			break;
		case WS_PING:
			if (!ws_add_masked(&s->out, WS_OP_PONG, news.body))
				return false;
			break;
		case WS_BINARY:
		case WS_PONG:
			break;
		case WS_WAIT:
			return true;
		default:
			return false;
		}
	}
}

static bool take_bytes(struct steer *s, char *bytes, size_t n, const struct ear *ear)
{
	char *end;
	size_t len;
	int status;

	if (s->is_open)
		return take_frames(s, bytes, n, ear);
	if (!buf_add(&s->head, (struct text){bytes, n}))
		return false;
	end = memmem(s->head.at, s->head.len, "\r\n\r\n", 4);
	if (!end)
		return true;
	len = (size_t)(end - s->head.at) + 4;
	if (!ws_upgrade_check((struct text){s->head.at, len}, s->key, &status, NULL))
		return false;
	s->is_open = true;
	s->wait_ms = 0;
	return take_frames(s, s->head.at + len, s->head.len - len, ear);
}

static bool receive_some(struct steer *s, const struct ear *ear)
{
	char bytes[PIECE];

	for (;;) {
		ssize_t n = recv(s->fd, bytes, sizeof(bytes), 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN;
		if (n == 0 || !take_bytes(s, bytes, (size_t)n, ear))
			return false;
	}
}

void steer_step(struct steer *s, uint64_t now_ms, void (*told)(void *self, struct text op),
                void *self)
{
	const struct ear ear = {told, self};

	if (s->fd < 0) {
		if (now_ms < s->again_ms)
			return;
		if (!call(s)) {
			hang_up(s, now_ms);
			return;
		}
	}
	if (!send_some(s) || !receive_some(s, &ear) || !send_some(s))
		hang_up(s, now_ms);
}

struct pollfd steer_poll(const struct steer *s)
{
	return (struct pollfd){.fd = s->fd,
	                       .events = POLLIN | (s->sent < s->out.len ? POLLOUT : 0)};
}

int steer_patience(const struct steer *s, uint64_t now_ms)
{
	if (s->fd >= 0)
		return -1;
	return now_ms < s->again_ms ? (int)(s->again_ms - now_ms) : 0;
}

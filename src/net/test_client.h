/* test_client.h - the other end of a connection, for tests: a socket whose
 * server runs in the same thread, turn by turn. */
#ifndef NET_TEST_CLIENT_H
#define NET_TEST_CLIENT_H

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#include "base/buf.h"
#include "net/loop.h"
#include "net/test_clock.h"

struct test_client {
	struct loop *loop;
	int fd;
	struct buf heard;
	bool ended; /* the server closed */
};

/* Connects with a socketpair; the server's end is returned. */
static inline int client_init(struct test_client *c, struct loop *loop)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) != 0)
		return -1;
	*c = (struct test_client){.loop = loop, .fd = pair[0]};
	buf_init(&c->heard, 64 * MIB);
	return pair[1];
}

static inline void client_turn(struct test_client *c)
{
	char bytes[65536];
	ssize_t n;

	uv_run(loop_uv(c->loop), UV_RUN_NOWAIT);
	while ((n = recv(c->fd, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0)
		buf_add(&c->heard, (struct text){bytes, (size_t)n});
	if (n == 0 || errno == ECONNRESET)
		c->ended = true;
}

/* Until nothing more happens by itself. */
static inline void client_settle(struct test_client *c)
{
	for (int i = 0; i < 6; i++)
		client_turn(c);
}

/* Lets the time go by, step by step, by a clock that was stopped. */
static inline void client_wait(struct test_client *c, unsigned ms)
{
	const unsigned step_ms = 10;

	for (unsigned waited = 0; waited < ms; waited += step_ms) {
		test_clock_forward(step_ms);
		client_turn(c);
	}
}

/* At most `size` bytes a turn. */
static inline void client_say_by(struct test_client *c, struct text t, size_t size)
{
	while (t.len) {
		size_t most = t.len < size ? t.len : size;
		ssize_t n = send(c->fd, t.at, most, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n > 0)
			t = (struct text){t.at + n, t.len - (size_t)n};
		else if (errno != EAGAIN)
			break;
		client_turn(c);
	}
	client_settle(c);
}

static inline void client_say(struct test_client *c, struct text t)
{
	client_say_by(c, t, t.len);
}

/* What was heard, as a string; its Date lines are cut out for good. */
static inline const char *client_heard(struct test_client *c)
{
	struct text rest = buf_text(&c->heard), line;
	struct buf out;

	buf_init(&out, c->heard.max);
	while (rest.at) {
		line = text_cut(rest, '\n', &rest);
		if (text_starts(line, TEXT("Date: ")))
			continue;
		buf_add(&out, line);
		if (rest.at)
			buf_add_char(&out, '\n');
	}
	buf_add_char(&out, '\0');
	buf_finish(&c->heard);
	c->heard = out;
	c->heard.len--;
	return c->heard.at;
}

/* The server gets some turns to notice. */
static inline void client_finish(struct test_client *c)
{
	close(c->fd);
	for (int i = 0; i < 4; i++)
		uv_run(loop_uv(c->loop), UV_RUN_NOWAIT);
	buf_finish(&c->heard);
}

#endif

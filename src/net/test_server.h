/* test_server.h - a server for the tests of our clients: a thread of its own with
 * blocking sockets on loopback, plain or TLS, that says to one connection after
 * the other what a test wants said. */
#ifndef NET_TEST_SERVER_H
#define NET_TEST_SERVER_H

#include <arpa/inet.h>
#include <errno.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#include "base/buf.h"
#include "base/clock.h"
#include "net/loop.h"

struct server {
	int fd;
	unsigned port;
	SSL_CTX *tls; /* NULL: plain */
	pthread_t thread;
	/* Called for each connection; closing is done after it. */
	void (*serve)(struct server *server);
	void *self;
	_Atomic int conns;  /* so many were accepted */
	_Atomic int closes; /* so many saw the peer close */
	_Atomic bool stop;

	/* Of the connection that is there; only for serve(). */
	int conn;
	SSL *ssl;
	struct buf heard;
};

/* False after 10 s, or when the test is over. */
static inline bool server_wait(struct server *s, short events)
{
	uint64_t until = clock_mono_ns() + 10000000000;
	struct pollfd fd = {s->conn, events, 0};

	if (s->ssl && events == POLLIN && SSL_pending(s->ssl))
		return true;
	while (!s->stop && clock_mono_ns() < until)
		if (poll(&fd, 1, 20) > 0)
			return true;
	return false;
}

static inline bool server_say(struct server *s, struct text t)
{
	while (t.len) {
		ssize_t n;

		if (!server_wait(s, POLLOUT))
			return false;
		n = s->ssl ? SSL_write(s->ssl, t.at, (int)t.len)
		           : send(s->conn, t.at, t.len, MSG_NOSIGNAL);
		if (n <= 0)
			return false;
		t = (struct text){t.at + n, t.len - (size_t)n};
	}
	return true;
}

/* Adds what comes to heard; false at the end. */
static inline bool server_hear(struct server *s)
{
	char bytes[16384];
	ssize_t n;

	if (!server_wait(s, POLLIN))
		return false;
	n = s->ssl ? SSL_read(s->ssl, bytes, sizeof(bytes))
	           : recv(s->conn, bytes, sizeof(bytes), 0);
	if (n <= 0)
		return false;
	buf_add(&s->heard, (struct text){bytes, (size_t)n});
	return true;
}

static inline bool server_heard(struct server *s, const char *words)
{
	return s->heard.len && memmem(s->heard.at, s->heard.len, words, strlen(words));
}

/* Hears until the words came. */
static inline bool server_await(struct server *s, const char *words)
{
	while (!server_heard(s, words))
		if (!server_hear(s))
			return false;
	return true;
}

/* Until the peer closes. */
static inline void server_await_close(struct server *s)
{
	while (server_hear(s))
		;
	if (!s->stop)
		s->closes++;
}

/* The peer gets a reset instead of an end. */
static inline void server_reset(struct server *s)
{
	struct linger now = {1, 0};

	setsockopt(s->conn, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
}

static inline void server_serve(struct server *s)
{
	bool good = true;

	buf_init(&s->heard, 16 * MIB);
	if (s->tls) {
		s->ssl = SSL_new(s->tls);
		SSL_set_fd(s->ssl, s->conn);
		good = SSL_accept(s->ssl) == 1;
	}
	if (good)
		s->serve(s);
	if (good && s->ssl)
		SSL_shutdown(s->ssl);
	SSL_free(s->ssl);
	s->ssl = NULL;
	close(s->conn);
	buf_finish(&s->heard);
}

static inline void *server_run(void *self)
{
	struct server *s = self;

	while (!s->stop) {
		struct pollfd fd = {s->fd, POLLIN, 0};

		if (poll(&fd, 1, 20) <= 0)
			continue;
		s->conn = accept(s->fd, NULL, NULL);
		if (s->conn < 0)
			continue;
		s->conns++;
		server_serve(s);
	}
	return NULL;
}

/* Zeroed but for serve, self and tls. */
static inline bool server_start(struct server *s)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);

	s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(s->fd, (struct sockaddr *)&at, sizeof(at)) != 0 || listen(s->fd, 128) != 0 ||
	    getsockname(s->fd, (struct sockaddr *)&at, &len) != 0)
		return false;
	s->port = ntohs(at.sin_port);
	return pthread_create(&s->thread, NULL, server_run, s) == 0;
}

static inline void server_finish(struct server *s)
{
	s->stop = true;
	pthread_join(s->thread, NULL);
	close(s->fd);
	SSL_CTX_free(s->tls);
}

/* Runs the loop until *flag is set; false after 10 s. */
static inline bool run_until(struct loop *loop, const bool *flag)
{
	uint64_t until = clock_mono_ns() + 10000000000;

	while (!*flag && clock_mono_ns() < until) {
		uv_run(loop_uv(loop), UV_RUN_NOWAIT);
		usleep(500);
	}
	return *flag;
}

static inline void run_for(struct loop *loop, unsigned ms)
{
	uint64_t until = clock_mono_ns() + (uint64_t)ms * 1000000;

	while (clock_mono_ns() < until) {
		uv_run(loop_uv(loop), UV_RUN_NOWAIT);
		usleep(500);
	}
}

#endif

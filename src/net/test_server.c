/* test_server.c - poll(2), and what comes of it. */
#include "net/test_server.h"

#include <poll.h>
#include <sys/socket.h>

#include "net/interrupt.h"

/* False after 10 s, or when the test is over. */
static bool server_wait(struct server *s, short events)
{
	uint64_t until = clock_mono_ns() + 60000000000;
	struct pollfd fd = {s->conn, events, 0};

	if (s->ssl && events == POLLIN && SSL_pending(s->ssl))
		return true;
	while (!s->stop && clock_mono_ns() < until)
		if (poll(&fd, 1, 20) > 0)
			return true;
	return false;
}

bool server_say(struct server *s, struct text t)
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

bool server_hear(struct server *s)
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

bool server_heard(struct server *s, const char *words)
{
	return s->heard.len && memmem(s->heard.at, s->heard.len, words, strlen(words));
}

bool server_await(struct server *s, const char *words)
{
	while (!server_heard(s, words))
		if (!server_hear(s))
			return false;
	return true;
}

void server_await_close(struct server *s)
{
	while (server_hear(s))
		;
	if (!s->stop)
		s->closes++;
}

void server_reset(struct server *s)
{
	struct linger now = {1, 0};

	setsockopt(s->conn, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
}

static void server_serve(struct server *s)
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

static void *server_run(void *self)
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

bool server_start(struct server *s)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);

	interrupt_ignore_pipe();
	s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(s->fd, (struct sockaddr *)&at, sizeof(at)) != 0 || listen(s->fd, 128) != 0 ||
	    getsockname(s->fd, (struct sockaddr *)&at, &len) != 0)
		return false;
	s->port = ntohs(at.sin_port);
	return pthread_create(&s->thread, NULL, server_run, s) == 0;
}

void server_finish(struct server *s)
{
	s->stop = true;
	pthread_join(s->thread, NULL);
	close(s->fd);
	SSL_CTX_free(s->tls);
}

bool run_until(struct loop *loop, const bool *flag)
{
	uint64_t until = clock_mono_ns() + 60000000000;

	while (!*flag && clock_mono_ns() < until) {
		uv_run(loop_uv(loop), UV_RUN_NOWAIT);
		usleep(500);
	}
	return *flag;
}

void run_for(struct loop *loop, unsigned ms)
{
	uint64_t until = clock_mono_ns() + (uint64_t)ms * 1000000;

	while (clock_mono_ns() < until) {
		uv_run(loop_uv(loop), UV_RUN_NOWAIT);
		usleep(500);
	}
}

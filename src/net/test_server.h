/* test_server.h - a server for the tests of our clients: a thread of its own with
 * blocking sockets on loopback, plain or TLS, that says to one connection after
 * the other what a test wants said. */
#ifndef NET_TEST_SERVER_H
#define NET_TEST_SERVER_H

#include <arpa/inet.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
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

/* Zeroed but for serve, self and tls. */
bool server_start(struct server *s);
void server_finish(struct server *s);

/* For serve(): false when the peer left, after 10 s, or when the test is over. */
bool server_say(struct server *s, struct text t);
bool server_hear(struct server *s);                     /* adds what comes to heard */
bool server_await(struct server *s, const char *words); /* hears until they came */
bool server_heard(struct server *s, const char *words);
void server_await_close(struct server *s);
void server_reset(struct server *s); /* the peer will get a reset instead of an end */

/* Runs the loop: until *flag is set, false after 10 s; or for a while. */
bool run_until(struct loop *loop, const bool *flag);
void run_for(struct loop *loop, unsigned ms);

#endif

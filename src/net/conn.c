/* conn.c - sockets on uv_poll_t with our own recv and send.
 *
 * libuv's poll handle costs system calls whenever what it watches changes, so it
 * is told only then.  Sending is one send(2) and nothing else. */
#include "net/conn.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/pool.h"
#include "net/address.h"
#include "net/inside.h"
#include "net/seats.h"
#include "net/tls.h"

/* One connection's share of a turn: one that sends without end must not keep
 * the others waiting. */
#define CONN_RECEIVES_MAX 4

/* One read that takes longer than a slice is too much, and the next is half of it.  At first
 * it is not all there could be, because nobody knows yet what it costs. */
#define CONN_SHRINK 2
#define CONN_SHRINK_MAX 6

static void conn_on_event(uv_poll_t *poll, int status, int events);

/* What libuv does not tell of: a record that was taken only in part. */
static bool has_more(const struct conn *conn)
{
	return conn->tls && !conn->hushed && tls_has_more(conn->tls);
}

/* Tells libuv what to watch for, if that is not what it watches. */
static void conn_watch(struct conn *conn)
{
	uint8_t events = 0;

	if (conn->closing || conn->broken)
		return;
	if (!conn->hushed)
		events |= UV_READABLE;
	if (conn->tls ? tls_wants_room(conn->tls) || has_more(conn) : conn->wants_write)
		events |= UV_WRITABLE;
	if (events == conn->events)
		return;
	conn->events = events;
	uv_poll_start(&conn->poll, events, conn_on_event);
}

static void conn_end(struct conn *conn, const char *why)
{
	const struct conn_user *user = conn->user;
	struct error words;

	assert(!conn->closing);
	/* Those of a tls go when the user closes. */
	if (conn->tls) {
		error_set(&words, "%s", why);
		why = words.words;
	}
	if (user)
		user->gone(conn, why);
	conn_close(conn);
}

static void report_failure(struct later *later)
{
	struct conn *conn = list_of(later, struct conn, failed);

	conn_end(conn, conn->tls ? tls_why(conn->tls) : "the connection failed");
}

void conn_fail(struct conn *conn)
{
	if (conn->broken || conn->closing)
		return;
	deadline_clear(&conn->deadline);
	conn->broken = true;
	uv_poll_stop(&conn->poll);
	conn->failed = (struct later){.run = report_failure};
	loop_later(conn->loop, &conn->failed);
}

static void conn_on_late(struct deadline *deadline)
{
	struct conn *conn = list_of(deadline, struct conn, deadline);

	if (conn->user && conn->user->late)
		conn->user->late(conn);
	else
		conn_end(conn, "it took too long");
}

/* Is this connection one to give more input to? */
static bool is_listening(const struct conn *conn)
{
	return !conn->closing && !conn->broken && !conn->hushed && conn->user;
}

static size_t share(const struct conn *conn)
{
	size_t max = conn->input_max * KIB >> conn->shrink;

	assert(max <= LOOP_INPUT);
	return max < KIB ? KIB : max;
}

uint64_t conn_slice(const struct conn *conn)
{
	return conn->seat && conn->seat->place > PLACE_OWN ? SLICE_NS : SLICE_OWN_NS;
}

static void adapt(struct conn *conn, uint64_t took_ns, bool was_all)
{
	uint64_t slice = conn_slice(conn);

	if (took_ns > slice && conn->shrink < CONN_SHRINK_MAX)
		conn->shrink++;
	else if (took_ns < slice / 2 && was_all && conn->shrink)
		conn->shrink--;
	assert(conn->shrink <= CONN_SHRINK_MAX);
}

/* Says whether there may be more. */
static bool conn_hear(struct conn *conn, size_t max)
{
	char *input = loop_input(conn->loop);
	ssize_t n = conn->tls ? tls_recv(conn->tls, input, max)
	                      : recv(conn->fd, input, max, MSG_DONTWAIT);

	assert(max > 0 && max <= LOOP_INPUT);
	if (n > 0)
		conn->user->heard(conn, input, (size_t)n);
	else if (n == 0)
		conn_end(conn, "the peer closed the connection");
	else if (errno != EAGAIN && errno != EINTR)
		conn_end(conn, conn->tls ? tls_why(conn->tls) : strerror(errno));
	/* A short read emptied the socket: the next event says when there is more, and
	 * asking now would only cost a call. */
	return n == (ssize_t)max;
}

static void conn_receive(struct conn *conn)
{
	uint64_t slice = conn_slice(conn), began = loop_slice(conn->loop, slice), before;
	uint64_t now = began;
	bool more = true;

	for (int i = 0; ((i < CONN_RECEIVES_MAX && more) || has_more(conn)) &&
	                now - began < slice && is_listening(conn);
	     i++) {
		before = now;
		more = conn_hear(conn, share(conn));
		now = clock_mono_ns();
		adapt(conn, now - before, more);
	}
	if (conn->seat)
		conn->seat->is_greedy = now - began > slice / 2;
}

void conn_serve(struct conn *conn)
{
	bool again = conn->seat->wants_again;

	conn->seat->wants_again = false;
	if (!again)
		conn_receive(conn);
	else if (conn->user && conn->user->again && !conn->broken)
		conn->user->again(conn);
	conn_watch(conn);
}

bool conn_again(struct conn *conn)
{
	if (!conn->seat)
		return false;
	conn->seat->wants_again = true;
	slices_queue(conn);
	return true;
}

static void conn_on_event(uv_poll_t *poll, int status, int events)
{
	struct conn *conn = (struct conn *)poll;

	if (status < 0) {
		/* What came before the failure is there to be read, and then its name. */
		conn_receive(conn);
		if (!conn->closing && !conn->broken)
			conn_end(conn, "the connection failed");
		return;
	}
	/* TLS may have waited for bytes before it could send. */
	if (conn->wants_write && (events & UV_WRITABLE || conn->tls)) {
		conn->wants_write = false;
		if (conn->user)
			conn->user->writable(conn);
	}
	if ((events & UV_READABLE || has_more(conn)) && !slices_defer(conn))
		conn_receive(conn);
	conn_watch(conn);
}

struct conn *conn_create(struct loop *loop, int fd, const struct conn_user *user, void *self)
{
	struct conn *conn = pool_take(loop_conns(loop));

	assert(fd >= 0);
	conn->loop = loop;
	conn->fd = fd;
	conn->user = user;
	conn->self = self;
	conn->input_max = LOOP_INPUT / KIB;
	conn->shrink = CONN_SHRINK;
	conn->deadline.fire = conn_on_late;
	if (uv_poll_init(loop_uv(loop), &conn->poll, fd) != 0) {
		log_error("net", "the kernel does not watch an accepted socket");
		abort();
	}
	conn_watch(conn);
	return conn;
}

static void free_conn(struct grave *grave)
{
	struct conn *conn = list_of(grave, struct conn, grave);

	pool_give(loop_conns(conn->loop), conn);
}

/* Even when libuv is done with it, somebody may still hold the connection until
 * the turn's work is over. */
static void bury_conn(uv_handle_t *handle)
{
	struct conn *conn = (struct conn *)handle;

	conn->grave = (struct grave){.free = free_conn};
	loop_bury(conn->loop, &conn->grave);
}

void conn_close(struct conn *conn)
{
	if (!conn || conn->closing)
		return;
	if (conn->broken)
		loop_forget(&conn->failed);
	else
		deadline_clear(&conn->deadline);
	conn->closing = true;
	tls_destroy(conn->tls);
	conn->tls = NULL;
	listen_part(conn);
	/* libuv lets go of the descriptor here, not in its callback. */
	uv_close((uv_handle_t *)&conn->poll, bury_conn);
	close(conn->fd);
	assert(conn->fd >= 0);
	conn->fd = -1;
}

void conn_secure(struct conn *conn, struct tls *tls)
{
	assert(!conn->tls);
	conn->tls = tls;
	conn_watch(conn);
}

void conn_hand(struct conn *conn, const struct conn_user *user, void *self)
{
	conn->user = user;
	conn->self = self;
}

/* The C library's send() is a place where a thread may be cancelled, which costs a
 * program that has threads two atomic operations for each call.  We cancel none. */
static ssize_t send_plain(int fd, const void *bytes, size_t n)
{
	return syscall(SYS_sendto, fd, bytes, n, MSG_NOSIGNAL | MSG_DONTWAIT, NULL, 0);
}

size_t conn_send(struct conn *conn, const void *bytes, size_t n)
{
	ssize_t sent = conn->tls ? tls_send(conn->tls, bytes, n) : send_plain(conn->fd, bytes, n);

	if (sent == (ssize_t)n)
		return n;
	if (conn->closing || conn->broken)
		return n;
	if (sent < 0 && errno != EAGAIN && errno != EINTR) {
		conn_fail(conn);
		return n;
	}
	conn->wants_write = true;
	conn_watch(conn);
	return sent < 0 ? 0 : (size_t)sent;
}

void conn_hush(struct conn *conn, bool hush)
{
	if (conn->hushed != hush)
		input_pause(conn->seat, hush);
	conn->hushed = hush;
	conn_watch(conn);
}

void conn_deadline(struct conn *conn, unsigned after_ms)
{
	if (conn->closing || conn->broken)
		return;
	if (after_ms)
		deadline_set(conn->loop, &conn->deadline, after_ms);
	else
		deadline_clear(&conn->deadline);
}

void conn_half_close(struct conn *conn)
{
	if (conn->closing)
		return;
	if (conn->tls)
		tls_half_close(conn->tls);
	shutdown(conn->fd, SHUT_WR);
}

bool conn_peer(const struct conn *conn, struct peer *peer)
{
	if (!conn->seat)
		return peer_of_socket(conn->fd, peer);
	*peer = conn->seat->peer;
	return true;
}

void conn_vouch(struct conn *conn)
{
	seats_vouch(conn->seat);
}

void conn_own(struct conn *conn, uint64_t owner)
{
	if (conn->seat)
		conn->seat->owner = owner;
}

bool conn_here(const struct conn *conn, char out[CONN_HERE_MAX])
{
	struct address here;

	if (!address_here(&here, conn->fd))
		return false;
	snprintf(out, CONN_HERE_MAX, "%.*s", CONN_HERE_MAX - 1, here.words);
	return true;
}

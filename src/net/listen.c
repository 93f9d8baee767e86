/* listen.c - accepting, within a count and a number of descriptors. */
#include "net/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/must.h"
#include "net/address.h"
#include "net/conn.h"
#include "net/inside.h"
#include "net/seats.h"
#include "net/tls.h"

/* Accepted before the connections that are there get their turn again, if there is time. */
#define LISTEN_ACCEPTS_MAX 64

struct listen {
	uv_poll_t poll;
	struct loop *loop;
	struct listen_options o;
	struct address address;
	struct grave grave;
	struct link seats; /* seat.in_listen */
	struct peer guest; /* who is being accepted */
	int fd;            /* -1: stopped */
	int reserve;       /* a descriptor to give up when there is no other */
	bool closed;       /* libuv is done with it */
	bool destroyed;    /* and so is everybody else */
};

static int open_reserve(void)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* There is no descriptor left: the reserve lets us take one from the backlog and
 * hang up, where it would wait for ever otherwise. */
static bool turn_away(struct listen *listen)
{
	int fd;

	if (listen->reserve < 0)
		return false;
	close(listen->reserve);
	fd = accept4(listen->fd, NULL, NULL, SOCK_CLOEXEC);
	if (fd >= 0)
		close(fd);
	listen->reserve = open_reserve();
	return fd >= 0;
}

static bool accept_one(struct listen *listen)
{
	int fd = accept4(listen->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd < 0 && (errno == EMFILE || errno == ENFILE))
		return turn_away(listen);
	/* One that hung up in the backlog is no reason to stop. */
	if (fd < 0)
		return errno == ECONNABORTED || errno == EINTR;
	/* Another thread may have been quicker when it was given up last. */
	if (listen->reserve < 0)
		listen->reserve = open_reserve();
	if (seats_meet(listen->o.seats, fd, &listen->guest))
		listen->o.accepted(listen->o.self, listen, fd);
	else
		close(fd);
	return true;
}

static void on_event(uv_poll_t *poll, int status, int events)
{
	struct listen *listen = (struct listen *)poll;

	(void)events;
	if (status < 0)
		log_error("net", "%s: %s", listen->address.words, uv_strerror(status));
	loop_slice(listen->loop, SLICE_NS);
	for (int i = 0; i < LISTEN_ACCEPTS_MAX && listen->fd >= 0 && accept_one(listen); i++)
		if (loop_slice_is_over(listen->loop))
			return;
}

struct listen *listen_create(struct loop *loop, const struct listen_options *o, struct error *why)
{
	struct address address;
	struct listen *listen;
	int fd;

	if (!address_parse(&address, o->address, why))
		return NULL;
	fd = o->socket ? o->socket : address_open(&address, why);
	if (fd < 0)
		return NULL;
	listen = must_zero(1, sizeof(*listen));
	listen->loop = loop;
	listen->o = *o;
	listen->address = address;
	listen->fd = fd;
	listen->reserve = open_reserve();
	list_init(&listen->seats);
	uv_poll_init(loop_uv(loop), &listen->poll, fd);
	uv_poll_start(&listen->poll, UV_READABLE, on_event);
	return listen;
}

static void free_listen(struct grave *grave)
{
	free(list_of(grave, struct listen, grave));
}

static void bury_listen(struct listen *listen)
{
	if (!listen->closed || !listen->destroyed)
		return;
	listen->grave.free = free_listen;
	loop_bury(listen->loop, &listen->grave);
}

static void listen_on_closed(uv_handle_t *handle)
{
	struct listen *listen = (struct listen *)handle;

	listen->closed = true;
	bury_listen(listen);
}

void listen_stop(struct listen *listen)
{
	if (listen->fd < 0)
		return;
	/* Before close(2): libuv must not touch a number that is another's. */
	uv_close((uv_handle_t *)&listen->poll, listen_on_closed);
	close(listen->fd);
	listen->fd = -1;
	address_remove(&listen->address);
}

void listen_destroy(struct listen *listen)
{
	if (!listen)
		return;
	listen_stop(listen);
	while (!list_is_empty(&listen->seats))
		listen_part(list_of(listen->seats.next, struct seat, in_listen)->conn);
	if (listen->reserve >= 0)
		close(listen->reserve);
	tls_context_destroy(listen->o.tls);
	listen->destroyed = true;
	bury_listen(listen);
}

void listen_renew(struct listen *listen, struct tls_context *tls)
{
	tls_context_destroy(listen->o.tls);
	listen->o.tls = tls;
}

bool listen_is_secure(const struct listen *listen)
{
	return listen->o.tls != NULL;
}

void listen_keep(struct listen *listen, struct conn *conn)
{
	if (listen->o.tls)
		conn_secure(conn, tls_accept(listen->o.tls, conn->fd));
	conn->seat = seats_give(listen->o.seats, conn, &listen->guest);
	conn->seat->listen = listen;
	list_add(&listen->seats, &conn->seat->in_listen);
}

void listen_part(struct conn *conn)
{
	if (!conn->seat)
		return;
	list_remove(&conn->seat->in_listen);
	seats_leave(conn->seat);
	conn->seat = NULL;
}

void listen_end_owned(struct listen *listen, uint64_t owner)
{
	list_each(&listen->seats, l) {
		struct seat *seat = list_of(l, struct seat, in_listen);

		if (seat->owner == owner)
			conn_fail(seat->conn);
	}
}

struct listen *listen_of(const struct conn *conn)
{
	return conn->seat ? conn->seat->listen : NULL;
}

const char *listen_address(const struct listen *listen)
{
	return listen->address.words;
}

bool listen_is_unix(const struct listen *listen)
{
	return listen->address.sa.any.sa_family == AF_UNIX;
}

bool listen_is_any(const struct listen *listen)
{
	return address_is_any(&listen->address);
}

unsigned listen_port(const struct listen *listen)
{
	return address_port(&listen->address);
}

bool listen_is_local(const char *text)
{
	struct address address;

	return address_parse(&address, text, NULL) && address_is_local(&address);
}

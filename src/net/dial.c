/* dial.c - name, addresses, connect(2), and one timer over it all. */
#include "net/dial.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "base/error.h"
#include "base/must.h"
#include "net/lookup.h"
#include "net/loop.h"
#include "net/peer.h"
#include "net/reach.h"

/* One address.  On its own, because libuv keeps a handle for a while after it is
 * closed, and the next address is tried at once. */
struct attempt {
	uv_poll_t poll;
	struct dial *dial;
	int fd;
};

struct dial {
	struct loop *loop;
	uv_timer_t timer; /* of the lookup, then of each attempt */
	struct lookup *lookup;
	const struct addrinfo *next; /* to be tried; the lookup's */
	struct attempt *attempt;     /* under way, or NULL */
	uint64_t until_ms;
	char *host; /* or the path of a Unix socket */
	uint16_t port;
	struct error why; /* of the last address */
	void *self;
	void (*connected)(void *self, int fd);
	void (*failed)(void *self, const char *why);
};

static void try_next(struct dial *dial);

static void free_dial(uv_handle_t *handle)
{
	struct dial *dial = handle->data;

	free(dial->host);
	free(dial);
}

static void free_attempt(uv_handle_t *handle)
{
	free(handle->data);
}

/* Ends the attempt that is under way; its descriptor is the caller's, or -1. */
static int leave_attempt(struct dial *dial)
{
	struct attempt *attempt = dial->attempt;
	int fd;

	if (!attempt)
		return -1;
	fd = attempt->fd;
	dial->attempt = NULL;
	uv_close((uv_handle_t *)&attempt->poll, free_attempt);
	return fd;
}

void dial_stop(struct dial *dial)
{
	int fd;

	if (!dial)
		return;
	fd = leave_attempt(dial);
	if (fd >= 0)
		close(fd);
	lookup_stop(dial->lookup);
	uv_close((uv_handle_t *)&dial->timer, free_dial);
}

static void dial_fail(struct dial *dial)
{
	char words[sizeof(dial->why.words)];

	memcpy(words, dial->why.words, sizeof(words));
	dial_stop(dial);
	dial->failed(dial->self, words);
}

static void dial_succeed(struct dial *dial)
{
	int fd = leave_attempt(dial), yes = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof(yes));
	dial_stop(dial);
	dial->connected(dial->self, fd);
}

static void dial_give_up(struct dial *dial, int code)
{
	error_set(&dial->why, "%.100s port %u cannot be reached: %s", dial->host, dial->port,
	          strerror(code));
	close(leave_attempt(dial));
	try_next(dial);
}

static void on_answer(uv_poll_t *poll, int status, int events)
{
	struct attempt *attempt = poll->data;
	socklen_t len = sizeof(int);
	int code = 0;

	if (getsockopt(attempt->fd, SOL_SOCKET, SO_ERROR, &code, &len) != 0)
		code = errno;
	if (status < 0 && code == 0)
		code = -status;
	if (code)
		dial_give_up(attempt->dial, code);
	else
		dial_succeed(attempt->dial);
}

static void on_time(uv_timer_t *timer)
{
	struct dial *dial = timer->data;

	if (dial->attempt) {
		dial_give_up(dial, ETIMEDOUT);
		return;
	}
	error_set(&dial->why, "the lookup of %.100s timed out", dial->host);
	dial_fail(dial);
}

/* The time that is left is for all addresses that are left. */
static void start_timer(struct dial *dial)
{
	uint64_t now = loop_now_ms(dial->loop), left = 1;
	unsigned shares = 0;

	if (dial->until_ms > now)
		left = dial->until_ms - now;
	for (const struct addrinfo *a = dial->next; a; a = a->ai_next)
		shares++;
	uv_timer_start(&dial->timer, on_time, left / (shares + 1), 0);
}

static bool try_address(struct dial *dial, const struct addrinfo *to)
{
	struct attempt *attempt;
	int fd;

	if (!reach_allows(to->ai_addr))
		return error_set(&dial->why, "%.100s leads to an address that no server has",
		                 dial->host);
	fd = socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return error_errno(&dial->why, "cannot create a socket");
	if (connect(fd, to->ai_addr, to->ai_addrlen) != 0 && errno != EINPROGRESS) {
		error_errno(&dial->why, "%.100s port %u cannot be reached", dial->host, dial->port);
		close(fd);
		return false;
	}
	attempt = must_zero(1, sizeof(*attempt));
	attempt->dial = dial;
	attempt->fd = fd;
	attempt->poll.data = attempt;
	if (uv_poll_init(loop_uv(dial->loop), &attempt->poll, fd) != 0) {
		free(attempt);
		close(fd);
		return error_set(&dial->why, "the kernel does not watch a socket");
	}
	dial->attempt = attempt;
	start_timer(dial);
	uv_poll_start(&attempt->poll, UV_WRITABLE, on_answer);
	return true;
}

static void try_next(struct dial *dial)
{
	while (dial->next && loop_now_ms(dial->loop) < dial->until_ms) {
		const struct addrinfo *to = dial->next;

		dial->next = to->ai_next;
		if (try_address(dial, to))
			return;
	}
	dial_fail(dial);
}

static void on_found(void *self, const struct addrinfo *addresses, const char *why)
{
	struct dial *dial = self;

	error_set(&dial->why, "the name %.100s is not known: %s", dial->host, why ? why : "");
	dial->next = addresses;
	try_next(dial);
}

/* A Unix socket: there is nothing to wait for. */

static void connect_local(uv_timer_t *timer)
{
	struct dial *dial = timer->data;
	int fd = peer_connect(dial->host, SOCK_STREAM | SOCK_NONBLOCK, &dial->why);

	if (fd < 0) {
		dial_fail(dial);
		return;
	}
	dial_stop(dial);
	dial->connected(dial->self, fd);
}

struct dial *dial_start(struct loop *loop, const struct dial_options *options)
{
	struct dial *dial = must_zero(1, sizeof(*dial));
	struct lookup_question question = {options->host, options->port, dial, on_found};

	dial->loop = loop;
	dial->until_ms = loop_now_ms(loop) + options->ms;
	dial->host = must_dup(options->path ? options->path : options->host);
	dial->port = options->port;
	dial->self = options->self;
	dial->connected = options->connected;
	dial->failed = options->failed;
	uv_timer_init(loop_uv(loop), &dial->timer);
	dial->timer.data = dial;
	if (options->path) {
		uv_timer_start(&dial->timer, connect_local, 0, 0);
		return dial;
	}
	uv_timer_start(&dial->timer, on_time, options->ms, 0);
	dial->lookup = lookup_start(loop, &question);
	return dial;
}

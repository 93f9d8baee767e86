/* dial_test.c - connections that are made, refused, too late and given up. */
#include "net/dial.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <uv.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/must.h"
#include "net/loop.h"

struct world {
	struct loop *loop;
	struct dial *dial;
	int listener;
	unsigned port;
	int fd; /* -1: not connected */
	unsigned ends;
	char why[300];
};

static void on_connected(void *self, int fd)
{
	struct world *w = self;

	w->fd = fd;
	w->ends++;
}

static void on_failed(void *self, const char *why)
{
	struct world *w = self;

	snprintf(w->why, sizeof(w->why), "%s", why);
	w->ends++;
}

static int set_up(void **state)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct world *w = must_zero(1, sizeof(*w));
	socklen_t len = sizeof(at);

	w->loop = loop_create();
	w->fd = -1;
	w->listener = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(w->listener, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(w->listener, 0), 0);
	getsockname(w->listener, (struct sockaddr *)&at, &len);
	w->port = ntohs(at.sin_port);
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	if (w->fd >= 0)
		close(w->fd);
	close(w->listener);
	loop_destroy(w->loop);
	free(w);
	return 0;
}

static void turn(struct world *w, unsigned ms)
{
	uint64_t until = clock_mono_ns() + (uint64_t)ms * 1000000;

	while (clock_mono_ns() < until) {
		uv_run(loop_uv(w->loop), UV_RUN_NOWAIT);
		usleep(500);
	}
}

static void begin(struct world *w, const char *host, unsigned port, unsigned ms)
{
	struct dial_options o = {host, (uint16_t)port, ms, w, on_connected, on_failed};

	w->ends = 0;
	w->dial = dial_start(w->loop, &o);
	assert_int_equal(w->ends, 0);
}

static void finish(struct world *w)
{
	for (int i = 0; i < 6000 && !w->ends; i++)
		turn(w, 10);
	turn(w, 20);
	assert_int_equal(w->ends, 1);
}

static void an_address_is_connected_to(void **state)
{
	struct world *w = *state;
	struct sockaddr_in peer;
	socklen_t len = sizeof(peer);

	begin(w, "127.0.0.1", w->port, 60000);
	finish(w);
	assert_true(w->fd >= 0);
	assert_int_equal(getpeername(w->fd, (struct sockaddr *)&peer, &len), 0);
	assert_int_equal(ntohs(peer.sin_port), w->port);
}

/* Where localhost is ::1 first, that is refused and 127.0.0.1 is tried next. */
static void all_addresses_of_a_name_are_tried(void **state)
{
	struct world *w = *state;

	begin(w, "localhost", w->port, 60000);
	finish(w);
	assert_true(w->fd >= 0);
}

static void nobody_there_is_told(void **state)
{
	struct world *w = *state;

	begin(w, "127.0.0.1", 1, 60000);
	finish(w);
	assert_string_equal(w->why, "127.0.0.1 port 1 cannot be reached: Connection refused");
	begin(w, "no-such-name.invalid", 1, 60000);
	finish(w);
	assert_non_null(strstr(w->why, "the name no-such-name.invalid is not known"));
	begin(w, "169.254.169.254", 80, 60000);
	finish(w);
	assert_non_null(strstr(w->why, "leads to an address that no server has"));
	assert_int_equal(w->fd, -1);
}

/* A listener whose queue is full does not answer at all. */
static void a_connection_that_does_not_come_is_not_awaited(void **state)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct world *w = *state;
	uint64_t began;
	int fds[8];

	at.sin_port = htons((uint16_t)w->port);
	for (int i = 0; i < 8; i++) {
		fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		connect(fds[i], (struct sockaddr *)&at, sizeof(at));
	}
	began = clock_mono_ns();
	begin(w, "127.0.0.1", w->port, 150);
	finish(w);
	assert_non_null(strstr(w->why, "cannot be reached: Connection timed out"));
	assert_true(clock_mono_ns() - began >= 140000000);
	begin(w, "127.0.0.1", w->port, 60000);
	turn(w, 20);
	dial_stop(w->dial);
	for (int i = 0; i < 8; i++)
		close(fds[i]);
	turn(w, 20);
	assert_int_equal(w->ends, 0);
}

static void stopping_is_silent_at_any_time(void **state)
{
	struct world *w = *state;

	dial_stop(NULL);
	for (unsigned i = 0; i < 20; i++) {
		begin(w, i % 2 ? "no-such-name.invalid" : "localhost", 1, 60000);
		for (unsigned k = 0; k < i / 2 && !w->ends; k++)
			uv_run(loop_uv(w->loop), UV_RUN_NOWAIT);
		if (!w->ends)
			dial_stop(w->dial);
		turn(w, 2);
	}
	begin(w, "localhost", 1, 60000);
	dial_stop(w->dial);
	turn(w, 20);
	assert_int_equal(w->ends, 0);
}

static void a_unix_socket_is_connected_to_and_one_that_is_not_there_is_told(void **state)
{
	struct world *w = *state;
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	struct dial_options options = {
		.path = at.sun_path, .self = w, .connected = on_connected, .failed = on_failed};
	int listener = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(at.sun_path, sizeof(at.sun_path), "/tmp/dial_test.%d", (int)getpid());
	assert_int_equal(bind(listener, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(listener, 1), 0);
	w->dial = dial_start(w->loop, &options);
	assert_int_equal(w->ends, 0);
	finish(w);
	assert_true(w->fd >= 0);
	unlink(at.sun_path);
	close(listener);
	w->ends = 0;
	w->dial = dial_start(w->loop, &options);
	finish(w);
	assert_non_null(strstr(w->why, "cannot be reached"));
	w->ends = 0;
	dial_stop(dial_start(w->loop, &options));
	turn(w, 20);
	assert_int_equal(w->ends, 0);
}

#define world_test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		world_test(an_address_is_connected_to),
		world_test(all_addresses_of_a_name_are_tried),
		world_test(nobody_there_is_told),
		world_test(a_connection_that_does_not_come_is_not_awaited),
		world_test(stopping_is_silent_at_any_time),
		world_test(a_unix_socket_is_connected_to_and_one_that_is_not_there_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

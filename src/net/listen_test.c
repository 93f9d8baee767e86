/* listen_test.c - real listeners on loopback and on Unix sockets, who connects
 * to them, and what happens when there is no room. */
#include "net/listen.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/must.h"
#include "net/conn.h"
#include "net/seats.h"

struct world {
	struct loop *loop;
	char directory[64];
	struct conn *conns[8];
	unsigned accepted;
	struct seats seats;
};

static void no_bytes(struct conn *conn, char *bytes, size_t n)
{
	(void)conn, (void)bytes, (void)n;
}

static void no_room(struct conn *conn)
{
	(void)conn;
}

static void gone(struct conn *conn, const char *why)
{
	(void)conn, (void)why;
}

static const struct conn_user user = {no_bytes, no_room, gone, NULL};

static void on_accept(void *self, struct listen *listen, int fd)
{
	struct world *w = self;

	assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_true(w->accepted < 8);
	w->conns[w->accepted] = conn_create(w->loop, fd, &user, w);
	listen_keep(listen, w->conns[w->accepted++]);
}

static int set_up(void **state)
{
	struct world *w = must_zero(1, sizeof(*w));

	w->loop = loop_create();
	seats_init(&w->seats, w->loop, 3);
	snprintf(w->directory, sizeof(w->directory), "/tmp/listen_test.XXXXXX");
	assert_non_null(mkdtemp(w->directory));
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	seats_finish(&w->seats);
	loop_destroy(w->loop);
	assert_int_equal(rmdir(w->directory), 0);
	free(w);
	return 0;
}

static void turns(struct world *w)
{
	for (int i = 0; i < 10; i++)
		uv_run(loop_uv(w->loop), UV_RUN_NOWAIT);
}

/* Without a why it must be there. */
static struct listen *open_at(struct world *w, const char *address, struct error *why)
{
	struct listen_options o = {address, &w->seats, on_accept, w};
	struct listen *listen = listen_create(w->loop, &o, why);

	assert_true(listen || why);
	return listen;
}

static struct listen *open_unix(struct world *w, struct error *why)
{
	char address[128];

	snprintf(address, sizeof(address), "unix:%s/sock", w->directory);
	return open_at(w, address, why);
}

/* Connects to what listen_address() says. */
static int dial(const char *address)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_addr = in6addr_loopback};
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	struct sockaddr *to = (struct sockaddr *)&v4;
	socklen_t len = sizeof(v4);
	uint64_t port = 0;
	int fd;

	text_to_u64(text_of(strrchr(address, ':') + 1), &port);
	v4.sin_port = v6.sin6_port = htons((uint16_t)port);
	v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (address[0] == '[') {
		to = (struct sockaddr *)&v6;
		len = sizeof(v6);
	} else if (address[0] == 'u') {
		snprintf(un.sun_path, sizeof(un.sun_path), "%s", address + 5);
		to = (struct sockaddr *)&un;
		len = sizeof(un);
	}
	fd = socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(fd >= 0);
	assert_int_equal(connect(fd, to, len), 0);
	return fd;
}

static bool hung_up(int fd)
{
	char c;

	return recv(fd, &c, 1, MSG_DONTWAIT) == 0;
}

static void a_port_of_zero_becomes_a_real_one(void **state)
{
	struct world *w = *state;
	struct listen *listen = open_at(w, "localhost:0", NULL);
	char words[32];
	int fd, on = 0;
	socklen_t len = sizeof(on);

	assert_non_null(listen);
	assert_true(listen_port(listen) > 0);
	assert_false(listen_is_unix(listen));
	snprintf(words, sizeof(words), "127.0.0.1:%u", listen_port(listen));
	assert_string_equal(listen_address(listen), words);
	fd = dial(words);
	turns(w);
	assert_int_equal(w->accepted, 1);
	assert_int_equal(seats_taken(&w->seats), 1);
	getsockopt(w->conns[0]->fd, IPPROTO_TCP, TCP_NODELAY, &on, &len);
	assert_true(on);
	conn_close(w->conns[0]);
	assert_int_equal(seats_taken(&w->seats), 0);
	close(fd);
	listen_destroy(listen);
	listen_destroy(NULL);
}

static void only_as_many_as_allowed_are_kept(void **state)
{
	struct world *w = *state;
	struct listen *one = open_at(w, "127.0.0.1:0", NULL), *two = open_unix(w, NULL);
	int fds[5];

	for (int i = 0; i < 5; i++) {
		fds[i] = dial(listen_address(i % 2 ? one : two));
		turns(w);
	}
	assert_int_equal(w->accepted, 3);
	assert_int_equal(seats_taken(&w->seats), 3);
	assert_false(hung_up(fds[2]));
	assert_true(hung_up(fds[3]));
	assert_true(hung_up(fds[4]));
	conn_close(w->conns[1]);
	close(fds[4]);
	fds[4] = dial(listen_address(one));
	turns(w);
	assert_int_equal(w->accepted, 4);
	for (int i = 0; i < 5; i++)
		close(fds[i]);
	listen_destroy(one); /* before its connections: they are counted no more */
	listen_destroy(two);
	assert_int_equal(seats_taken(&w->seats), 0);
	turns(w);
}

/* So many descriptors and no more; the limit before that. */
static struct rlimit leave_descriptors(unsigned count)
{
	struct rlimit before, low;
	int next = dup(0);

	close(next);
	getrlimit(RLIMIT_NOFILE, &before);
	low = before;
	low.rlim_cur = (rlim_t)next + count;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	return before;
}

static void without_descriptors_callers_are_turned_away(void **state)
{
	struct world *w = *state;
	struct listen *listen = open_unix(w, NULL);
	int fds[3] = {dial(listen_address(listen)), dial(listen_address(listen)), -1};
	struct rlimit before = leave_descriptors(0);

	turns(w);
	setrlimit(RLIMIT_NOFILE, &before);
	assert_int_equal(w->accepted, 0);
	assert_true(hung_up(fds[0]));
	assert_true(hung_up(fds[1]));
	fds[2] = dial(listen_address(listen));
	turns(w);
	assert_int_equal(w->accepted, 1);
	for (int i = 0; i < 3; i++)
		close(fds[i]);
	turns(w);
	listen_destroy(listen);
}

static void a_reserve_that_was_lost_is_made_up_for(void **state)
{
	struct world *w = *state;
	struct rlimit before = leave_descriptors(1);
	struct listen *listen = open_at(w, "127.0.0.1:0", NULL);
	int fds[2];

	setrlimit(RLIMIT_NOFILE, &before);
	fds[0] = dial(listen_address(listen));
	turns(w);
	assert_int_equal(w->accepted, 1);
	fds[1] = dial(listen_address(listen));
	leave_descriptors(0);
	turns(w);
	setrlimit(RLIMIT_NOFILE, &before);
	assert_int_equal(w->accepted, 1);
	assert_true(hung_up(fds[1]));
	close(fds[0]);
	close(fds[1]);
	turns(w);
	listen_destroy(listen);
}

static void a_unix_socket_is_ours_alone(void **state)
{
	struct world *w = *state;
	mode_t mask = umask(0);
	struct listen *listen = open_unix(w, NULL);
	const char *path = listen_address(listen) + 5;
	struct stat st;

	umask(mask);
	assert_true(listen_is_unix(listen));
	assert_int_equal(listen_port(listen), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	listen_stop(listen);
	listen_stop(listen);
	assert_int_equal(stat(path, &st), -1);
	turns(w);
	listen_destroy(listen);
}

static void a_dead_socket_is_replaced_and_a_live_one_is_not(void **state)
{
	struct world *w = *state;
	struct listen *listen = open_unix(w, NULL);
	const char *path = listen_address(listen) + 5;
	char aside[128], there[128];
	struct error why;
	int fd;

	assert_null(open_unix(w, &why));
	assert_non_null(strstr(why.words, "somebody else listens there"));
	/* What a server that was killed leaves behind: a name nobody answers at. */
	snprintf(there, sizeof(there), "%s", path);
	snprintf(aside, sizeof(aside), "%s.aside", path);
	rename(there, aside);
	listen_destroy(listen);
	rename(aside, there);
	listen = open_unix(w, &why);
	assert_non_null(listen);
	close(dial(listen_address(listen)));
	turns(w);
	listen_destroy(listen);
	/* A file is never taken for a socket. */
	fd = open(there, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	close(fd);
	assert_null(open_unix(w, &why));
	assert_non_null(strstr(why.words, "is not a socket"));
	unlink(there);
}

static void a_successors_socket_is_left_alone(void **state)
{
	struct world *w = *state;
	struct listen *first = open_unix(w, NULL), *second;
	char path[128];
	struct stat st;

	snprintf(path, sizeof(path), "%s", listen_address(first) + 5);
	unlink(path);
	second = open_unix(w, NULL);
	assert_non_null(second);
	listen_destroy(first);
	assert_int_equal(stat(path, &st), 0);
	listen_destroy(second);
	assert_int_equal(stat(path, &st), -1);
}

static void bad_addresses_are_refused_with_words(void **state)
{
	static const struct {
		const char *address, *words;
	} table[] = {
		{"", "an address is"},
		{"7446", "an address is"},
		{"127.0.0.1", "an address is"},
		{"127.0.0.1:", "an address is"},
		{"127.0.0.1:65536", "an address is"},
		{"127.0.0.1:-1", "an address is"},
		{"127.0.0.1:x", "an address is"},
		{"::1:7446", "an address is"},
		{"[::1:7446", "an address is"},
		{"::1]:7446", "an address is"},
		{"[]:7446", "is not an IP address"},
		{"[:7446", "an address is"},
		{":7446", "is not an IP address"},
		{"example.org:7446", "is not an IP address"},
		{"127.1:7446", "is not an IP address"},
		{"0x7f.0.0.1:7446", "is not an IP address"},
		{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa:1", "an address is"},
		{"unix:", "begins with /"},
		{"unix:sock", "begins with /"},
		{"unix:/no/such/directory/sock", "No such file"},
		{"192.0.2.1:0", "Cannot assign"},
		{"unix:/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	         "aaaaaaaaaa"
	         "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	         "at most 103 bytes"},
	};
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct error why = {"nothing"};

		assert_null(open_at(w, table[i].address, &why));
		if (!strstr(why.words, table[i].words))
			fail_msg("%s: %s", table[i].address, why.words);
	}
}

static void a_taken_port_is_an_error(void **state)
{
	struct world *w = *state;
	struct listen *listen = open_at(w, "127.0.0.1:0", NULL);
	struct error why;

	assert_null(open_at(w, listen_address(listen), &why));
	assert_non_null(strstr(why.words, "in use"));
	listen_destroy(listen);
}

static void only_this_machine_reaches_local_addresses(void **state)
{
	static const char *const local[] = {"127.0.0.1:1", "127.255.0.1:1",        "[::1]:1",
	                                    "localhost:1", "[::ffff:127.0.0.1]:1", "unix:/a"};
	static const char *const not_local[] = {
		"0.0.0.0:1",
		"[::]:1",
		"192.168.0.1:1",
		"127.0.0.1.evil.com:1",
		"localhost.x:1",
		"128.0.0.1:1",
		"[::ffff:10.0.0.1]:1",
		"[fe80::1]:1",
		"rubbish",
		"",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(local) / sizeof(local[0]); i++)
		assert_true(listen_is_local(local[i]));
	for (size_t i = 0; i < sizeof(not_local) / sizeof(not_local[0]); i++)
		assert_false(listen_is_local(not_local[i]));
}

static void the_kernel_says_who_a_tcp_peer_is(void **state)
{
	struct world *w = *state;
	static const char *const addresses[] = {"127.0.0.1:0", "[::1]:0"};

	for (int i = 0; i < 2; i++) {
		struct listen *listen = open_at(w, addresses[i], NULL);
		struct peer peer;
		int fd;

		if (!listen)
			continue; /* a machine without IPv6 */
		w->accepted = 0;
		fd = dial(listen_address(listen));
		turns(w);
		assert_int_equal(w->accepted, 1);
		assert_true(conn_peer(w->conns[0], &peer));
		assert_false(peer.is_unix);
		assert_true(peer.is_loopback);
		assert_true(peer.uid_known);
		assert_int_equal(peer.uid, getuid());
		/* Nobody holds the other end any more: nobody is known. */
		conn_hush(w->conns[0], true);
		close(fd);
		if (peer_of_socket(w->conns[0]->fd, &peer))
			assert_false(peer.uid_known);
		conn_close(w->conns[0]);
		listen_destroy(listen);
		turns(w);
	}
}

static void a_mapped_peer_is_found_too(void **state)
{
	struct sockaddr_in6 any = {.sin6_family = AF_INET6};
	socklen_t len = sizeof(any);
	char words[32];
	int off = 0, server = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0), fd, accepted;
	struct peer peer;

	(void)state;
	setsockopt(server, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	inet_pton(AF_INET6, "::ffff:127.0.0.1", &any.sin6_addr);
	if (server < 0 || bind(server, (struct sockaddr *)&any, len) != 0)
		return; /* a machine without IPv6 */
	listen(server, 1);
	getsockname(server, (struct sockaddr *)&any, &len);
	snprintf(words, sizeof(words), "127.0.0.1:%u", ntohs(any.sin6_port));
	fd = dial(words);
	accepted = accept(server, NULL, NULL);
	assert_true(peer_of_socket(accepted, &peer));
	assert_true(peer.is_loopback);
	assert_true(peer.uid_known);
	assert_int_equal(peer.uid, getuid());
	/* And from the other side, whose other end is the mapped one. */
	assert_true(peer_of_socket(fd, &peer));
	assert_true(peer.uid_known);
	close(fd);
	close(accepted);
	close(server);
}

static void the_kernel_says_who_a_unix_peer_is(void **state)
{
	struct world *w = *state;
	struct listen *listen = open_unix(w, NULL);
	int fd = dial(listen_address(listen));
	struct peer peer;

	turns(w);
	assert_true(conn_peer(w->conns[0], &peer));
	assert_true(peer.is_unix);
	assert_true(peer.uid_known);
	assert_int_equal(peer.uid, getuid());
	assert_int_equal(peer.pid, getpid());
	conn_close(w->conns[0]);
	assert_false(conn_peer(w->conns[0], &peer));
	close(fd);
	listen_destroy(listen);
	turns(w);
}

static void what_is_not_connected_has_no_peer(void **state)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct peer peer;

	(void)state;
	assert_false(peer_of_socket(fd, &peer));
	assert_false(peer_of_socket(-1, &peer));
	close(fd);
}

#define world_test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		world_test(a_port_of_zero_becomes_a_real_one),
		world_test(only_as_many_as_allowed_are_kept),
		world_test(without_descriptors_callers_are_turned_away),
		world_test(a_reserve_that_was_lost_is_made_up_for),
		world_test(a_unix_socket_is_ours_alone),
		world_test(a_dead_socket_is_replaced_and_a_live_one_is_not),
		world_test(a_successors_socket_is_left_alone),
		world_test(bad_addresses_are_refused_with_words),
		world_test(a_taken_port_is_an_error),
		world_test(only_this_machine_reaches_local_addresses),
		world_test(the_kernel_says_who_a_tcp_peer_is),
		world_test(a_mapped_peer_is_found_too),
		world_test(the_kernel_says_who_a_unix_peer_is),
		world_test(what_is_not_connected_has_no_peer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* peer_test.c - who listens on a port, asked of the kernel about real sockets. */
#include "net/peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "net/address.h"

/* A listener on an address that may be any; at gets 127.0.0.1 or ::1 with its port. */
static int listen_on(const char *words, struct address *at, const char *reached_at)
{
	struct address open;
	struct error why;
	char literal[64];
	int fd;

	assert_true(address_parse(&open, words, &why));
	fd = address_open(&open, &why);
	assert_true(fd >= 0);
	snprintf(literal, sizeof(literal), "%s:%u", reached_at, address_port(&open));
	assert_true(address_parse(at, literal, &why));
	return fd;
}

static void check_ours(const char *words, const char *reached_at)
{
	struct address at;
	uid_t uid = (uid_t)-1;
	int fd = listen_on(words, &at, reached_at);

	assert_true(peer_of_listener(&at.sa.any, &uid));
	assert_int_equal(uid, geteuid());
	close(fd);
	assert_false(peer_of_listener(&at.sa.any, &uid));
}

static void a_listener_of_ours_is_found_until_it_closes(void **state)
{
	check_ours("127.0.0.1:0", "127.0.0.1");
}

static void one_on_every_address_answers_for_loopback(void **state)
{
	check_ours("0.0.0.0:0", "127.0.0.1");
}

static void one_on_the_other_loopback_address_does_not(void **state)
{
	struct address at;
	uid_t uid;
	int fd = listen_on("127.0.0.2:0", &at, "127.0.0.1");

	assert_false(peer_of_listener(&at.sa.any, &uid));
	close(fd);
}

/* A connection from that port is no listener. */
static void a_connection_is_no_listener(void **state)
{
	struct address at;
	struct sockaddr_in mine;
	socklen_t len = sizeof(mine);
	uid_t uid;
	int listener = listen_on("127.0.0.1:0", &at, "127.0.0.1");
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(connect(fd, &at.sa.any, sizeof(at.sa.v4)), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&mine, &len), 0);
	assert_false(peer_of_listener((struct sockaddr *)&mine, &uid));
	close(fd);
	close(listener);
}

static void an_address_of_elsewhere_is_not_asked_about(void **state)
{
	struct sockaddr_in far = {.sin_family = AF_INET, .sin_port = htons(80)};
	uid_t uid;

	inet_pton(AF_INET, "192.0.2.1", &far.sin_addr);
	assert_false(peer_of_listener((struct sockaddr *)&far, &uid));
}

static void a_peer_is_at_its_own_address_alone(void **state)
{
	struct peer four = {.is_ipv4 = true}, six = {0}, local = {.is_unix = true};

	inet_pton(AF_INET, "192.0.2.7", four.address);
	inet_pton(AF_INET6, "2001:db8::7", six.address);
	assert_true(peer_is_at(&four, "192.0.2.7"));
	assert_false(peer_is_at(&four, "192.0.2.8"));
	assert_false(peer_is_at(&four, "c000:207::"));
	assert_true(peer_is_at(&six, "2001:db8:0::7"));
	assert_false(peer_is_at(&six, "2001:db8::8"));
	assert_false(peer_is_at(&six, "no address"));
	assert_false(peer_is_at(&local, "0.0.0.0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_peer_is_at_its_own_address_alone),
		cmocka_unit_test(a_listener_of_ours_is_found_until_it_closes),
		cmocka_unit_test(one_on_every_address_answers_for_loopback),
		cmocka_unit_test(one_on_the_other_loopback_address_does_not),
		cmocka_unit_test(a_connection_is_no_listener),
		cmocka_unit_test(an_address_of_elsewhere_is_not_asked_about),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

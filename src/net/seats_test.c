/* seats_test.c - who gets a place and who loses one, with peers of our invention. */
#include "net/seats.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/must.h"
#include "net/conn.h"

#define PLACES 16 /* two for the Unix socket, two for us, four for the unknown */

struct world {
	struct loop *loop;
	struct seats seats;
	struct conn *conns[64];
	int others[64];
	unsigned count;
};

static void gone(struct conn *conn, const char *why)
{
	struct world *w = conn->self;

	for (unsigned i = 0; i < w->count; i++)
		if (w->conns[i] == conn)
			w->conns[i] = NULL;
	seats_leave(conn->seat);
	conn->seat = NULL;
}

static const struct conn_user user = {.gone = gone};

static int set_up(void **state)
{
	struct world *w = must_zero(1, sizeof(*w));

	w->loop = loop_create();
	seats_init(&w->seats, w->loop, PLACES);
	*state = w;
	return 0;
}

static void turns(struct world *w)
{
	for (int i = 0; i < 5; i++)
		uv_run(loop_uv(w->loop), UV_RUN_NOWAIT);
}

static void leave(struct world *w, unsigned i)
{
	seats_leave(w->conns[i]->seat);
	w->conns[i]->seat = NULL;
	conn_close(w->conns[i]);
	w->conns[i] = NULL;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	for (unsigned i = 0; i < w->count; i++) {
		if (w->conns[i])
			leave(w, i);
		close(w->others[i]);
	}
	turns(w);
	assert_int_equal(seats_taken(&w->seats), 0);
	assert_int_equal(w->seats.parties.count, 0);
	seats_finish(&w->seats);
	loop_destroy(w->loop);
	free(w);
	return 0;
}

static bool comes(struct world *w, struct peer peer)
{
	int pair[2];

	if (!seats_admit(&w->seats, &peer))
		return false;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair),
	                 0);
	w->others[w->count] = pair[1];
	w->conns[w->count] = conn_create(w->loop, pair[0], &user, w);
	w->conns[w->count]->seat = seats_give(&w->seats, w->conns[w->count], &peer);
	w->count++;
	return true;
}

static struct peer at_socket(void)
{
	return (struct peer){.is_unix = true, .uid_known = true, .uid = geteuid()};
}

static struct peer of_user(uid_t uid)
{
	return (struct peer){.is_loopback = true, .uid_known = true, .uid = uid};
}

static struct peer from(const char *address)
{
	struct peer peer = {0};

	inet_pton(strchr(address, ':') ? AF_INET6 : AF_INET, address, peer.address);
	return peer;
}

#define STRANGER (geteuid() + 54321)

static void the_unknown_have_a_quarter_and_their_oldest_goes(void **state)
{
	struct world *w = *state;

	for (unsigned i = 0; i < 10; i++)
		assert_true(comes(w, of_user(STRANGER)));
	turns(w);
	assert_int_equal(w->seats.counts[PLACE_UNKNOWN], PLACES / 4);
	assert_int_equal(w->seats.evicted, 6);
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(w->conns[i] != NULL, i >= 6);
}

static void the_party_with_the_most_loses_and_one_alone_stays(void **state)
{
	struct world *w = *state;

	assert_true(comes(w, from("192.0.2.1")));
	assert_true(comes(w, from("2001:db8::1")));
	for (unsigned i = 0; i < 20; i++)
		assert_true(comes(w, of_user(STRANGER)));
	turns(w);
	assert_non_null(w->conns[0]);
	assert_non_null(w->conns[1]);
	assert_int_equal(w->seats.counts[PLACE_UNKNOWN], PLACES / 4);
}

static void a_network_of_ipv6_is_one_party(void **state)
{
	struct world *w = *state;

	assert_true(comes(w, from("2001:db8:1::1")));
	assert_true(comes(w, from("2001:db8::1")));
	assert_true(comes(w, from("2001:db8::2")));
	assert_true(comes(w, from("2001:db8:0:0:ffff::1")));
	assert_true(comes(w, from("2001:db8::3")));
	turns(w);
	assert_non_null(w->conns[0]);
	assert_null(w->conns[1]);
}

static void who_showed_a_credential_is_not_evicted(void **state)
{
	struct world *w = *state;

	for (unsigned i = 0; i < 4; i++) {
		assert_true(comes(w, of_user(STRANGER)));
		conn_vouch(w->conns[i]);
		conn_vouch(w->conns[i]);
	}
	for (unsigned i = 0; i < 10; i++)
		assert_true(comes(w, of_user(STRANGER)));
	turns(w);
	for (unsigned i = 0; i < 4; i++)
		assert_non_null(w->conns[i]);
	assert_int_equal(w->seats.counts[PLACE_KNOWN], 4);
}

static void others_leave_our_own_places_and_those_of_the_socket(void **state)
{
	struct world *w = *state;
	unsigned n = 0;

	while (comes(w, of_user(STRANGER)))
		conn_vouch(w->conns[n++]);
	assert_int_equal(n, PLACES - 4);
	assert_int_equal(w->seats.turned_away, 1);
	assert_true(comes(w, of_user(geteuid())));
	assert_true(comes(w, of_user(geteuid())));
	assert_false(comes(w, of_user(geteuid())));
	assert_true(comes(w, at_socket()));
	assert_true(comes(w, at_socket()));
	assert_false(comes(w, at_socket()));
	leave(w, 0);
	assert_true(comes(w, at_socket()));
	assert_int_equal(seats_taken(&w->seats), PLACES);
}

static void we_may_have_all_but_what_is_the_sockets(void **state)
{
	struct world *w = *state;
	unsigned n = 0;

	while (comes(w, of_user(geteuid())))
		n++;
	assert_int_equal(n, PLACES - 2);
	assert_true(comes(w, at_socket()));
	assert_true(comes(w, at_socket()));
}

static void the_unknown_make_room_for_their_betters(void **state)
{
	struct world *w = *state;

	for (unsigned i = 0; i < 4; i++)
		assert_true(comes(w, of_user(STRANGER)));
	for (unsigned i = 0; i < PLACES - 2; i++)
		assert_true(comes(w, of_user(geteuid())));
	turns(w);
	assert_int_equal(w->seats.evicted, 4);
	assert_int_equal(w->seats.counts[PLACE_OWN], PLACES - 2);
	assert_false(comes(w, of_user(STRANGER)));
}

static void a_peer_has_a_name(void **state)
{
	struct peer unsure = {.is_loopback = true}, four = from("192.0.2.1"),
		    six = from("2001:db8::42"), user_1000 = of_user(1000);
	char name[PEER_NAME_MAX];

	peer_name(&user_1000, name);
	assert_string_equal(name, "uid 1000");
	peer_name(&unsure, name);
	assert_string_equal(name, "a user of this machine");
	peer_name(&four, name);
	assert_string_equal(name, "192.0.2.1");
	peer_name(&six, name);
	assert_string_equal(name, "2001:db8::");
}

#define world_test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		world_test(the_unknown_have_a_quarter_and_their_oldest_goes),
		world_test(the_party_with_the_most_loses_and_one_alone_stays),
		world_test(a_network_of_ipv6_is_one_party),
		world_test(who_showed_a_credential_is_not_evicted),
		world_test(others_leave_our_own_places_and_those_of_the_socket),
		world_test(we_may_have_all_but_what_is_the_sockets),
		world_test(the_unknown_make_room_for_their_betters),
		world_test(a_peer_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* inputs_test.c - who is cut off when too much is unfinished, and when something takes too
 * long, with peers of our invention and a clock of ours. */
#include "net/inputs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/must.h"
#include "net/http.h"
#include "net/seats.h"
#include "net/test_client.h"

#define CEILING (64 * KIB) /* eight for the socket, eight for us, sixteen for the unknown */
#define WHOLE_MS 2000
#define STRANGER (geteuid() + 54321)

struct guest {
	struct conn *conn;
	int other;
	unsigned late, crowded;
};

struct world {
	struct loop *loop;
	struct seats seats;
	struct guest guests[16];
	unsigned count;
};

static struct guest *guest_of(struct conn *conn)
{
	return conn->self;
}

static void gone(struct conn *conn, const char *why)
{
	seats_leave(conn->seat);
	conn->seat = NULL;
	guest_of(conn)->conn = NULL;
}

static void cut(struct conn *conn, enum conn_fault why)
{
	if (why == CONN_LATE)
		guest_of(conn)->late++;
	else
		guest_of(conn)->crowded++;
}

static const struct conn_user user = {.gone = gone, .cut = cut};

static int set_up(void **state)
{
	struct world *w = must_zero(1, sizeof(*w));

	test_clock_stop();
	w->loop = loop_create();
	seats_init(&w->seats, w->loop, 100);
	inputs_set_max(&w->seats.inputs, CEILING);
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	for (unsigned i = 0; i < w->count; i++) {
		if (w->guests[i].conn) {
			seats_leave(w->guests[i].conn->seat);
			w->guests[i].conn->seat = NULL;
			conn_close(w->guests[i].conn);
		}
		close(w->guests[i].other);
	}
	for (int i = 0; i < 5; i++)
		uv_run(loop_uv(w->loop), UV_RUN_NOWAIT);
	for (int i = 0; i < PLACE_KINDS; i++) {
		assert_int_equal(w->seats.inputs.held[i], 0);
		assert_true(list_is_empty(&w->seats.inputs.lists[i]));
	}
	seats_finish(&w->seats);
	loop_destroy(w->loop);
	free(w);
	return 0;
}

static struct guest *comes(struct world *w, struct peer peer)
{
	struct guest *g = &w->guests[w->count++];
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair),
	                 0);
	g->other = pair[1];
	g->conn = conn_create(w->loop, pair[0], &user, g);
	g->conn->seat = seats_give(&w->seats, g->conn, &peer);
	return g;
}

static struct peer at_socket(void)
{
	return (struct peer){.is_unix = true, .uid_known = true, .uid = geteuid()};
}

static struct peer of_user(uid_t uid)
{
	return (struct peer){.is_loopback = true, .uid_known = true, .uid = uid};
}

static void wait_ms(struct world *w, unsigned ms)
{
	for (unsigned i = 0; i < ms; i += 50) {
		test_clock_forward(50);
		uv_run(loop_uv(w->loop), UV_RUN_NOWAIT);
	}
}

/* ---- the ceiling ---- */

static void the_unknown_have_a_quarter_and_the_largest_goes(void **state)
{
	struct world *w = *state;
	struct guest *a = comes(w, of_user(STRANGER)), *b = comes(w, of_user(STRANGER)),
		     *c = comes(w, of_user(STRANGER));

	input_hold(a->conn, 6 * KIB, 0);
	input_hold(b->conn, 7 * KIB, 0);
	input_hold(c->conn, 3 * KIB, 0);
	assert_int_equal(w->seats.inputs.crowded, 0);
	input_hold(c->conn, 4 * KIB, 0);
	assert_int_equal(b->crowded, 1);
	assert_int_equal(a->crowded + c->crowded, 0);
	assert_int_equal(w->seats.inputs.held[PLACE_UNKNOWN], 10 * KIB);
	assert_int_equal(w->seats.inputs.crowded, 1);
}

static void of_two_that_are_as_large_the_older_goes(void **state)
{
	struct world *w = *state;
	struct guest *a = comes(w, of_user(STRANGER)), *b = comes(w, of_user(STRANGER)),
		     *c = comes(w, of_user(STRANGER));

	input_hold(b->conn, 8 * KIB, 0);
	input_hold(a->conn, 8 * KIB, 0);
	input_hold(c->conn, 1, 0);
	assert_int_equal(b->crowded, 1);
	assert_int_equal(a->crowded, 0);
}

static void the_party_that_holds_the_most_loses(void **state)
{
	struct world *w = *state;
	struct guest *alone = comes(w, of_user(STRANGER + 1));

	input_hold(alone->conn, 7 * KIB, 0);
	for (unsigned i = 1; i <= 5; i++)
		input_hold(comes(w, of_user(STRANGER))->conn, 2 * KIB, 0);
	assert_int_equal(alone->crowded, 0);
	assert_int_equal(w->guests[1].crowded, 1);
	assert_int_equal(w->seats.inputs.crowded, 1);
}

static void strangers_go_before_those_who_showed_a_credential_and_those_before_us(void **state)
{
	struct world *w = *state;
	struct guest *own = comes(w, of_user(geteuid())), *known = comes(w, of_user(STRANGER)),
		     *unknown = comes(w, of_user(STRANGER));

	input_hold(unknown->conn, 8 * KIB, 0);
	input_hold(known->conn, 2 * KIB, 0);
	conn_vouch(known->conn);
	assert_int_equal(w->seats.inputs.held[PLACE_KNOWN], 2 * KIB);
	input_hold(own->conn, 50 * KIB, 0);
	assert_int_equal(unknown->crowded, 1);
	assert_int_equal(known->crowded, 0);
	input_hold(own->conn, 55 * KIB, 0);
	assert_int_equal(known->crowded, 1);
	assert_int_equal(own->crowded, 0);
	input_hold(own->conn, 57 * KIB, 0); /* an eighth is the socket's */
	assert_int_equal(own->crowded, 1);
}

static void what_others_hold_costs_the_owner_nothing(void **state)
{
	struct world *w = *state;
	struct guest *socket = comes(w, at_socket()), *own = comes(w, of_user(geteuid()));

	input_hold(socket->conn, 8 * KIB, 0);
	input_hold(own->conn, 8 * KIB, 0);
	for (unsigned i = 0; i < 8; i++) {
		struct guest *g = comes(w, of_user(STRANGER));

		conn_vouch(g->conn);
		input_hold(g->conn, 16 * KIB, 0);
	}
	assert_int_equal(socket->crowded + own->crowded, 0);
	assert_int_equal(w->seats.inputs.held[PLACE_KNOWN], 48 * KIB);
	assert_int_equal(w->seats.inputs.crowded, 5);
}

static void what_is_whole_or_left_makes_room(void **state)
{
	struct world *w = *state;
	struct guest *a = comes(w, of_user(STRANGER)), *b = comes(w, of_user(STRANGER));

	for (unsigned i = 0; i < 10; i++) {
		input_hold(a->conn, 15 * KIB, 0);
		input_end(a->conn);
	}
	input_hold(a->conn, 15 * KIB, 0);
	conn_fail(a->conn);
	wait_ms(w, 50);
	input_hold(b->conn, 15 * KIB, 0);
	assert_int_equal(w->seats.inputs.crowded, 0);
}

static void one_who_lost_its_place_holds_nothing(void **state)
{
	struct world *w = *state;
	struct guest *first = comes(w, of_user(STRANGER));
	struct peer peer = of_user(STRANGER);

	input_hold(first->conn, 5 * KIB, 0);
	w->seats.max = 4;
	assert_true(seats_admit(&w->seats, &peer));
	assert_int_equal(w->seats.inputs.held[PLACE_UNKNOWN], 0);
	input_hold(first->conn, 6 * KIB, 0);
	assert_int_equal(w->seats.inputs.held[PLACE_UNKNOWN], 0);
}

/* ---- the time ---- */

static void what_takes_too_long_is_cut_off_however_it_drips(void **state)
{
	struct world *w = *state;
	struct guest *g = comes(w, of_user(geteuid()));

	unsigned i = 0;

	while (!g->late && i < 10) {
		input_hold(g->conn, ++i, WHOLE_MS);
		wait_ms(w, WHOLE_MS / 4);
	}
	assert_in_range(i, 4, 6);
	assert_int_equal(w->seats.inputs.late, 1);
}

static void each_has_its_own_time(void **state)
{
	struct world *w = *state;
	struct guest *g = comes(w, of_user(geteuid()));

	for (unsigned i = 1; i <= 10; i++) {
		input_hold(g->conn, i, WHOLE_MS);
		wait_ms(w, WHOLE_MS / 2);
		input_end(g->conn);
	}
	assert_int_equal(g->late, 0);
}

static void the_time_in_which_it_is_not_read_does_not_count(void **state)
{
	struct world *w = *state;
	struct guest *g = comes(w, of_user(geteuid()));

	input_hold(g->conn, 1, WHOLE_MS);
	wait_ms(w, WHOLE_MS / 2);
	conn_hush(g->conn, true);
	conn_hush(g->conn, true);
	wait_ms(w, 5 * WHOLE_MS);
	conn_hush(g->conn, false);
	wait_ms(w, WHOLE_MS / 2 - DEADLINE_TICK_MS);
	assert_int_equal(g->late, 0);
	wait_ms(w, 4 * DEADLINE_TICK_MS);
	assert_int_equal(g->late, 1);
}

static void one_that_begins_while_it_is_not_read_has_all_of_its_time(void **state)
{
	struct world *w = *state;
	struct guest *g = comes(w, of_user(geteuid()));

	conn_hush(g->conn, true);
	input_hold(g->conn, 1, WHOLE_MS);
	wait_ms(w, 5 * WHOLE_MS);
	conn_hush(g->conn, false);
	wait_ms(w, WHOLE_MS - DEADLINE_TICK_MS);
	assert_int_equal(g->late, 0);
	wait_ms(w, 4 * DEADLINE_TICK_MS);
	assert_int_equal(g->late, 1);
}

static void what_came_while_the_machine_slept_is_read_before_anybody_is_judged(void **state)
{
	struct world *w = *state;
	struct guest *g = comes(w, of_user(geteuid()));

	input_hold(g->conn, 1, WHOLE_MS);
	test_clock_forward(20 * WHOLE_MS);
	uv_run(loop_uv(w->loop), UV_RUN_NOWAIT);
	assert_int_equal(g->late, 0);
	input_end(g->conn);
	wait_ms(w, 5 * WHOLE_MS);
	assert_int_equal(g->late, 0);
}

/* ---- over HTTP ---- */

struct site {
	struct http_site site;
	unsigned gone, wholes, lines;
};

static void site_piece(void *self, struct http *http, struct text bytes)
{
	struct site *s = self;

	if (!text_is(http_request(http)->path, "/lines"))
		return;
	s->lines += text_find(bytes, '\n') >= 0;
	http_used(http, text_find(bytes, '\n') >= 0 ? 0 : bytes.len, text_find(bytes, '\n') >= 0);
}

static void site_whole(void *self, struct http *http)
{
	((struct site *)self)->wholes++;
	http_answer(http, 200, "text/plain", TEXT("good"), NULL);
}

static void site_gone(void *self, struct http *http)
{
	((struct site *)self)->gone++;
}

static void site_begin(void *self, struct http *http)
{
	static const struct http_handler handler = {
		.piece = site_piece, .whole = site_whole, .gone = site_gone};

	http_accept(http, MIB, &handler, self);
}

static const struct http_limits limits = {
	4096, 1024, 20, 60000, 60000, 60000, WHOLE_MS,
};

static void serve(struct world *w, struct test_client *c, struct site *s)
{
	struct peer peer = at_socket();
	struct conn *conn = conn_create(w->loop, client_init(c, w->loop), NULL, NULL);

	*s = (struct site){.site = {.self = s, .limits = &limits, .begin = site_begin}};
	conn->seat = seats_give(&w->seats, conn, &peer);
	list_init(&conn->seat->in_listen);
	http_serve(conn, &s->site);
}

#define HEAD(path) "POST " path " HTTP/1.1\r\nHost: a\r\nContent-Length: 90000\r\n\r\n"

static void a_body_that_drips_is_answered_408(void **state)
{
	struct test_client c;
	struct site s;

	serve(*state, &c, &s);
	client_say(&c, TEXT(HEAD("/body")));
	for (unsigned i = 0; i < 20 && !c.heard.len; i++) {
		client_say(&c, TEXT("x"));
		client_wait(&c, WHOLE_MS / 4);
	}
	assert_non_null(strstr(client_heard(&c), "408 Request Timeout"));
	assert_non_null(strstr(client_heard(&c), "\"code\":\"too_slow\""));
	assert_int_equal(s.gone, 1);
	client_finish(&c);
}

static void a_body_of_many_lines_has_its_time_for_each(void **state)
{
	struct world *w = *state;
	struct test_client c;
	struct site s;

	serve(w, &c, &s);
	client_say(&c, TEXT(HEAD("/lines")));
	for (unsigned i = 0; i < 20; i++) {
		client_say(&c, TEXT("{}\n"));
		client_wait(&c, WHOLE_MS / 2);
	}
	assert_int_equal(s.lines, 20);
	assert_int_equal(c.heard.len, 0);
	assert_int_equal(w->seats.inputs.held[PLACE_UNIX], 0);
	for (unsigned i = 0; i < 20 && !c.heard.len; i++) {
		client_say(&c, TEXT("x"));
		client_wait(&c, WHOLE_MS / 4);
	}
	assert_non_null(strstr(client_heard(&c), "408 Request Timeout"));
	client_finish(&c);
}

static void a_body_for_which_there_is_no_room_is_answered_503(void **state)
{
	struct world *w = *state;
	struct test_client c;
	struct site s;
	char *much = must_zero(1, CEILING + 2);

	memset(much, 'x', CEILING + 1);
	serve(w, &c, &s);
	client_say(&c, TEXT(HEAD("/body")));
	client_say(&c, (struct text){much, CEILING});
	assert_int_equal(w->seats.inputs.held[PLACE_UNIX], CEILING);
	assert_int_equal(s.gone, 0);
	client_say(&c, TEXT("x"));
	assert_non_null(strstr(client_heard(&c), "503 Service Unavailable"));
	assert_non_null(strstr(client_heard(&c), "\"code\":\"busy\""));
	assert_int_equal(s.gone, 1);
	assert_int_equal(w->seats.inputs.held[PLACE_UNIX], 0);
	client_finish(&c);
	free(much);
}

static void half_a_head_counts_and_a_whole_request_does_not(void **state)
{
	struct world *w = *state;
	struct test_client c;
	struct site s;

	serve(w, &c, &s);
	client_say(&c, TEXT("POST /body HTTP/1.1\r\nHost: a\r\nContent-Le"));
	assert_int_not_equal(w->seats.inputs.held[PLACE_UNIX], 0);
	client_wait(&c, 5 * WHOLE_MS); /* its time is another's matter */
	assert_int_equal(c.heard.len, 0);
	client_say(&c, TEXT("ngth: 3\r\n\r\nab"));
	assert_int_equal(w->seats.inputs.held[PLACE_UNIX], 2);
	client_say(&c, TEXT("c"));
	assert_int_equal(w->seats.inputs.held[PLACE_UNIX], 0);
	assert_non_null(strstr(client_heard(&c), "200 OK"));
	client_finish(&c);
}

#define world_test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		world_test(the_unknown_have_a_quarter_and_the_largest_goes),
		world_test(of_two_that_are_as_large_the_older_goes),
		world_test(the_party_that_holds_the_most_loses),
		world_test(strangers_go_before_those_who_showed_a_credential_and_those_before_us),
		world_test(what_others_hold_costs_the_owner_nothing),
		world_test(what_is_whole_or_left_makes_room),
		world_test(one_who_lost_its_place_holds_nothing),
		world_test(what_takes_too_long_is_cut_off_however_it_drips),
		world_test(each_has_its_own_time),
		world_test(the_time_in_which_it_is_not_read_does_not_count),
		world_test(one_that_begins_while_it_is_not_read_has_all_of_its_time),
		world_test(what_came_while_the_machine_slept_is_read_before_anybody_is_judged),
		world_test(a_body_that_drips_is_answered_408),
		world_test(a_body_of_many_lines_has_its_time_for_each),
		world_test(a_body_for_which_there_is_no_room_is_answered_503),
		world_test(half_a_head_counts_and_a_whole_request_does_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

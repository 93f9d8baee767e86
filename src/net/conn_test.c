/* conn_test.c - a connection whose user closes, hushes and hands it on from
 * inside its own callbacks. */
#include "net/conn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/must.h"
#include "net/test_client.h"

struct world {
	struct test_client client;
	struct loop *loop;
	struct conn *conn;
	unsigned heards, bytes, rooms, gones, lates;
	enum { LISTEN, CLOSE, HUSH, HAND, ANSWER } mood;
	char *fill;
};

static void on_heard(struct conn *conn, char *bytes, size_t n);

static void on_writable(struct conn *conn)
{
	struct world *w = conn->self;

	w->rooms++;
}

static void on_gone(struct conn *conn, const char *why)
{
	struct world *w = conn->self;

	assert_non_null(why);
	w->gones++;
	w->conn = NULL;
}

static void on_late(struct conn *conn)
{
	struct world *w = conn->self;

	w->lates++;
}

static void heard_by_next(struct conn *conn, char *bytes, size_t n)
{
	struct world *w = conn->self;

	(void)bytes;
	w->rooms += 100 * (unsigned)n;
}

static const struct conn_user first = {on_heard, on_writable, on_gone, on_late};
static const struct conn_user next = {heard_by_next, on_writable, on_gone, NULL};

static void on_heard(struct conn *conn, char *bytes, size_t n)
{
	struct world *w = conn->self;

	w->heards++;
	w->bytes += (unsigned)n;
	if (w->mood == CLOSE) {
		conn_close(conn);
		conn_close(conn);
		w->conn = NULL;
	}
	if (w->mood == HUSH)
		conn_hush(conn, true);
	if (w->mood == HAND)
		conn_hand(conn, &next, w);
	if (w->mood == ANSWER)
		conn_send(conn, bytes, n);
}

static int set_up(void **state)
{
	struct world *w = must_zero(1, sizeof(*w));
	int fd;

	w->loop = loop_create();
	w->fill = must_zero(1, 4 * MIB);
	fd = client_init(&w->client, w->loop);
	w->conn = conn_create(w->loop, fd, &first, w);
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	client_finish(&w->client);
	assert_null(w->conn);
	loop_destroy(w->loop);
	free(w->fill);
	free(w);
	return 0;
}

static void bytes_are_heard_and_sent(void **state)
{
	struct world *w = *state;

	w->mood = ANSWER;
	client_say(&w->client, TEXT("hello"));
	assert_true(text_is(buf_text(&w->client.heard), "hello"));
	assert_int_equal(w->gones, 0);
}

static void the_peers_leaving_is_told_once(void **state)
{
	struct world *w = *state;

	shutdown(w->client.fd, SHUT_RDWR);
	client_settle(&w->client);
	client_settle(&w->client);
	assert_int_equal(w->gones, 1);
}

static void closing_from_inside_is_silent(void **state)
{
	struct world *w = *state;

	w->mood = CLOSE;
	client_say(&w->client, (struct text){w->fill, 100000});
	assert_int_equal(w->heards, 1);
	assert_true(w->client.ended);
	assert_int_equal(w->gones, 0);
	conn_close(NULL);
}

static void a_hushed_connection_hears_nothing_until_it_may(void **state)
{
	struct world *w = *state;

	w->mood = HUSH;
	client_say(&w->client, TEXT("a"));
	client_say(&w->client, TEXT("bc"));
	assert_int_equal(w->bytes, 1);
	w->mood = LISTEN;
	conn_hush(w->conn, false);
	client_settle(&w->client);
	assert_int_equal(w->bytes, 3);
}

static void a_connection_handed_on_is_heard_by_the_next(void **state)
{
	struct world *w = *state;

	w->mood = HAND;
	client_say(&w->client, TEXT("a"));
	client_say(&w->client, TEXT("bcd"));
	assert_int_equal(w->heards, 1);
	assert_int_equal(w->rooms, 300);
}

static void one_turn_takes_a_bounded_share(void **state)
{
	struct world *w = *state;

	conn_hush(w->conn, true);
	w->conn->input_max = 1;
	client_say(&w->client, (struct text){w->fill, 60000});
	assert_int_equal(w->heards, 0);
	conn_hush(w->conn, false);
	client_turn(&w->client);
	assert_int_equal(w->heards, 4);
	assert_int_equal(w->bytes, 4096);
	w->conn->input_max = LOOP_INPUT / KIB;
}

static void a_short_send_is_followed_by_room(void **state)
{
	struct world *w = *state;
	size_t sent = conn_send(w->conn, w->fill, 4 * MIB);

	assert_true(sent > 0 && sent < 4 * MIB);
	assert_int_equal(conn_send(w->conn, w->fill, 10), 0);
	assert_true(w->conn->wants_write);
	assert_int_equal(w->rooms, 0);
	client_settle(&w->client);
	assert_int_equal(w->rooms, 1);
	assert_false(w->conn->wants_write);
	assert_int_equal(w->client.heard.len, sent);
}

static void a_failed_send_is_told_later(void **state)
{
	struct world *w = *state;

	close(w->client.fd);
	w->client.fd = dup(1);
	conn_hush(w->conn, true);
	assert_int_equal(conn_send(w->conn, "x", 1), 1);
	assert_true(w->conn->broken);
	assert_int_equal(w->gones, 0);
	assert_int_equal(conn_send(w->conn, "x", 1), 1);
	conn_deadline(w->conn, 10);
	conn_fail(w->conn);
	uv_run(loop_uv(w->loop), UV_RUN_NOWAIT);
	assert_int_equal(w->gones, 1);
}

static void closing_after_a_failed_send_is_silent(void **state)
{
	struct world *w = *state;

	conn_fail(w->conn);
	conn_close(w->conn);
	assert_int_equal(conn_send(w->conn, "x", 1), 1);
	conn_fail(w->conn);
	conn_half_close(w->conn);
	w->conn = NULL;
	client_settle(&w->client);
	assert_int_equal(w->gones, 0);
}

static void a_reset_is_an_end(void **state)
{
	struct world *w = *state;

	/* Closing with something unread resets a Unix connection too. */
	conn_send(w->conn, "x", 1);
	close(w->client.fd);
	w->client.fd = dup(1);
	uv_run(loop_uv(w->loop), UV_RUN_NOWAIT);
	uv_run(loop_uv(w->loop), UV_RUN_NOWAIT);
	assert_int_equal(w->gones, 1);
}

static void a_deadline_is_told_or_ends_the_connection(void **state)
{
	struct world *w = *state;

	conn_deadline(w->conn, 10);
	conn_deadline(w->conn, 0);
	client_wait(&w->client, 400);
	assert_int_equal(w->lates, 0);
	conn_deadline(w->conn, 10);
	client_wait(&w->client, 400);
	assert_int_equal(w->lates, 1);
	conn_hand(w->conn, &next, w);
	conn_deadline(w->conn, 10);
	client_wait(&w->client, 400);
	assert_int_equal(w->gones, 1);
}

static void half_closing_lets_the_peer_go_on(void **state)
{
	struct world *w = *state;
	struct peer peer;

	conn_half_close(w->conn);
	client_say(&w->client, TEXT("abc"));
	assert_true(w->client.ended);
	assert_int_equal(w->bytes, 3);
	assert_true(conn_peer(w->conn, &peer));
	assert_true(peer.is_unix);
}

#define world_test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		world_test(bytes_are_heard_and_sent),
		world_test(the_peers_leaving_is_told_once),
		world_test(closing_from_inside_is_silent),
		world_test(a_hushed_connection_hears_nothing_until_it_may),
		world_test(a_connection_handed_on_is_heard_by_the_next),
		world_test(one_turn_takes_a_bounded_share),
		world_test(a_short_send_is_followed_by_room),
		world_test(a_failed_send_is_told_later),
		world_test(closing_after_a_failed_send_is_silent),
		world_test(a_reset_is_an_end),
		world_test(a_deadline_is_told_or_ends_the_connection),
		world_test(half_closing_lets_the_peer_go_on),
	};

	test_clock_stop();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

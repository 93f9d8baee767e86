/* ws_client_test.c - our WebSocket client and servers that mean well, plain and with
 * TLS. */
#include "net/ws_client.h"

#include "base/must.h"
#include "net/peer.h"
#include "net/test_ws_client.h"

/* Yes, and never reads again. */
static void be_deaf(struct server *s)
{
	if (server_say_yes(s))
		while (!s->stop)
			usleep(1000);
}

static void wait_for_bytes(struct talker *w, size_t n)
{
	for (int i = 0; i < 10000 && w->heard.len < n && !w->over; i++)
		run_for(w->loop, 1);
	assert_int_equal(w->heard.len, n);
}

static void messages_go_and_come(void **state)
{
	struct talker *w = *state;
	struct peer peer;

	talker_begin(w, server_say_back);
	assert_false(ws_client_peer(w->client, &peer));
	assert_true(run_until(w->loop, &w->opened));
	assert_true(ws_client_peer(w->client, &peer));
	assert_true(peer.is_loopback && peer.uid_known && peer.uid == geteuid());
	assert_true(ws_client_send(w->client, TEXT("one")));
	assert_true(ws_client_send(w->client, TEXT("")));
	assert_true(ws_client_send(w->client, TEXT("tw\xc3\xb6")));
	wait_for_bytes(w, 10);
	assert_memory_equal(w->heard.at, "one||tw\xc3\xb6|", 10);
	ws_client_destroy(w->client);
	w->client = NULL;
	for (int i = 0; i < 10000 && !w->server.closes; i++)
		usleep(1000);
	assert_int_equal(w->server.closes, 1); /* it heard our goodbye */
	assert_int_equal(w->closes, 0);
}

/* Larger than what a socket takes at once, in both directions. */
static void exchange_big_messages(struct talker *w)
{
	size_t n = 900000;
	char *big = must_alloc(n);

	for (size_t i = 0; i < n; i++)
		big[i] = (char)('a' + i % 26);
	talker_begin(w, server_say_back);
	assert_true(run_until(w->loop, &w->opened));
	for (int i = 0; i < 3; i++) {
		buf_clear(&w->heard);
		assert_true(ws_client_send(w->client, (struct text){big, n}));
		wait_for_bytes(w, n + 1);
		assert_memory_equal(w->heard.at, big, n);
	}
	free(big);
}

static void big_messages_go_and_come(void **state)
{
	exchange_big_messages(*state);
}

static void big_messages_go_and_come_through_tls(void **state)
{
	struct talker *w = *state;

	w->server.tls = authority_serve(w->authority, GOOD);
	exchange_big_messages(w);
}

static void frames_behind_the_answer_are_heard(void **state)
{
	struct talker *w = *state;

	FRAMES(w, "\x81\x02hi\x01\x01"
	          "a\x80\x01"
	          "b\x82\x03"
	          "bin\x88\x05\x0f\xa1"
	          "bye");
	talker_begin(w, server_say_frames);
	talker_expect(w, 4001, 0, "the peer closed (4001): bye");
	assert_int_equal(w->opens, 1);
	assert_true(text_is(buf_text(&w->heard), "hi|ab|bin|"));
}

static void a_descriptor_is_taken_with_what_came(void **state)
{
	struct talker *w = *state;
	char byte;

	FRAMES(w, "\x81\x02hi");
	w->take_in_open = true;
	talker_begin(w, server_say_frames);
	assert_true(run_until(w->loop, &w->opened));
	while (w->heard.len < 4) {
		assert_int_equal(recv(w->taken, &byte, 1, MSG_WAITALL), 1);
		buf_add_char(&w->heard, byte);
	}
	assert_true(text_is(buf_text(&w->heard), "\x81\x02hi"));
	run_for(w->loop, 5);
	assert_int_equal(w->closes, 0);
	close(w->taken);
}

static void what_nobody_reads_has_a_ceiling(void **state)
{
	struct talker *w = *state;
	char *piece = must_zero(1, 100000);
	int sent = 0;

	talker_begin(w, be_deaf);
	assert_true(run_until(w->loop, &w->opened));
	memset(piece, 'x', 100000);
	while (sent < 1000 && ws_client_send(w->client, (struct text){piece, 100000}))
		sent++;
	assert_in_range(sent, 10, 999);
	assert_false(ws_client_send(w->client, (struct text){piece, 100000}));
	assert_int_equal(w->closes, 0);
	free(piece);
}

static void a_hushed_client_hears_later(void **state)
{
	struct talker *w = *state;

	w->server.tls = authority_serve(w->authority, GOOD);
	talker_begin_with(w, server_say_back, 800);
	assert_true(run_until(w->loop, &w->opened));
	ws_client_hush(w->client, true);
	assert_true(ws_client_send(w->client, TEXT("hello")));
	/* Longer than silence may last, but it is ours. */
	run_for(w->loop, 1200);
	assert_int_equal(w->heard.len, 0);
	assert_int_equal(w->closes, 0);
	ws_client_hush(w->client, false);
	wait_for_bytes(w, 6);
}

static void leaving_inside_callbacks_is_silent(void **state)
{
	struct talker *w = *state;

	FRAMES(w, "\x81\x02hi\x81\x02ho");
	w->leave_in_open = true;
	talker_begin(w, server_say_frames);
	assert_true(run_until(w->loop, &w->over));
	run_for(w->loop, 20);
	assert_int_equal(w->heard.len, 0);
	talker_leave(w);
	w->leave_in_open = false;
	w->leave_in_text = true;
	talker_begin(w, server_say_frames);
	assert_true(run_until(w->loop, &w->over));
	run_for(w->loop, 20);
	assert_true(text_is(buf_text(&w->heard), "hi|"));
	assert_int_equal(w->closes, 0);
}

static void leaving_at_any_time_is_silent(void **state)
{
	struct talker *w = *state;

	ws_client_destroy(NULL);
	for (int i = 0; i < 12; i++) {
		w->server.tls = i % 2 ? authority_serve(w->authority, GOOD) : NULL;
		talker_begin(w, server_say_back);
		for (int k = 0; k < i; k++)
			run_for(w->loop, 1);
		talker_leave(w);
		assert_int_equal(w->closes, 0);
	}
}

static void what_is_no_websocket_is_not_begun(void **state)
{
	static const char *const two[] = {"A: b\nC: d", NULL};
	struct ws_client_options o = {.url = "http://localhost/", .connect_ms = 1000};
	struct talker *w = *state;
	struct error why;

	assert_null(ws_client_create(w->loop, &o, &why));
	o.url = "ws://user@localhost/";
	assert_null(ws_client_create(w->loop, &o, &why));
	o.url = "ws://localhost/";
	o.headers = two;
	assert_null(ws_client_create(w->loop, &o, &why));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		talker_test(messages_go_and_come),
		talker_test(big_messages_go_and_come),
		talker_test(big_messages_go_and_come_through_tls),
		talker_test(frames_behind_the_answer_are_heard),
		talker_test(a_descriptor_is_taken_with_what_came),
		talker_test(what_nobody_reads_has_a_ceiling),
		talker_test(a_hushed_client_hears_later),
		talker_test(leaving_inside_callbacks_is_silent),
		talker_test(leaving_at_any_time_is_silent),
		talker_test(what_is_no_websocket_is_not_begun),
	};

	return cmocka_run_group_tests(tests, talker_make_authority, talker_end_authority);
}

/* http_test.c - the life of a connection: requests one behind the other, answers
 * in a later turn, more than the socket takes, peers that are slow or leave. */
#include "net/http.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/must.h"
#include "net/test_client.h"

#define BODY_MAX 1000
#define DEAR_US 400 /* two and a half of them are a slice of ours */

struct world {
	struct test_client client;
	struct loop *loop;
	struct http *http, *later; /* the connection's; one that owes an answer */
	struct http_site site;
	struct buf body;
	unsigned begun, gone, over, wholes, rooms;
	char *fill; /* 8 MiB */
};

static const struct http_limits limits = {4096, 1024, 20, 1000, 1200, 1000};

static void on_piece(void *self, struct http *http, struct text bytes)
{
	struct world *w = self;

	buf_add(&w->body, bytes);
	if (text_is(http_request(http)->path, "/hush"))
		http_hush(http, true);
}

static void on_whole(void *self, struct http *http)
{
	struct world *w = self;

	w->wholes++;
	if (text_is(http_request(http)->path, "/later") ||
	    text_is(http_request(http)->path, "/flood"))
		w->later = http;
	else
		http_answer(http, 200, "text/plain", buf_text(&w->body), NULL);
}

static void on_room(void *self, struct http *http)
{
	struct world *w = self;

	(void)http;
	w->rooms++;
}

static void on_gone(void *self, struct http *http)
{
	struct world *w = self;

	(void)http;
	w->gone++;
	w->later = NULL;
}

static const struct http_handler handler = {on_piece, on_whole, on_room, on_gone};

static void echo(struct conn *conn, char *bytes, size_t n)
{
	conn_send(conn, bytes, n);
}

static void no_room(struct conn *conn)
{
	(void)conn;
}

static void guest_gone(struct conn *conn, const char *why)
{
	struct world *w = conn->self;

	(void)why;
	w->gone++;
}

static const struct conn_user guest = {echo, no_room, guest_gone};

static void hand_on(struct world *w, struct http *http)
{
	struct buf head;

	buf_init(&head, 4 * KIB);
	http_head(http, &head, 101, "Upgrade: websocket\r\nConnection: Upgrade\r\n");
	http_hand(http, buf_text(&head), &guest, w);
	buf_finish(&head);
}

static void begin(void *self, struct http *http)
{
	struct world *w = self;
	const struct http_request *r = http_request(http);

	w->begun++;
	buf_clear(&w->body);
	if (text_is(r->path, "/dear"))
		test_clock_forward_us(DEAR_US);
	if (text_is(r->path, "/body") || text_is(r->path, "/later") || text_is(r->path, "/hush") ||
	    text_is(r->path, "/flood"))
		http_accept(http, BODY_MAX, &handler, w);
	else if (text_is(r->path, "/hand"))
		hand_on(w, http);
	else if (text_is(r->path, "/big"))
		http_answer(http, 200, "text/plain", (struct text){w->fill, 8 * MIB}, NULL);
	else
		http_answer(http, 200, "text/plain", r->query.at ? r->query : r->path,
		            "X-A: b\r\n");
}

static void over(void *self, struct http *http)
{
	struct world *w = self;

	(void)http;
	w->over++;
	w->http = NULL;
}

static unsigned status(const struct world *w)
{
	uint64_t n = 0;

	if (w->client.heard.len >= 12)
		text_to_u64((struct text){w->client.heard.at + 9, 3}, &n);
	return (unsigned)n;
}

static void join(struct world *w)
{
	int fd = client_init(&w->client, w->loop);

	w->http = http_serve(conn_create(w->loop, fd, NULL, NULL), &w->site);
	w->begun = w->gone = w->over = w->wholes = w->rooms = 0;
}

static void part(struct world *w)
{
	client_finish(&w->client);
	assert_null(w->http);
}

static int set_up(void **state)
{
	struct world *w = must_zero(1, sizeof(*w));

	w->loop = loop_create();
	buf_init(&w->body, MIB);
	w->site = (struct http_site){w, &limits, "X-Common: yes\r\n", begin, over};
	w->fill = must_alloc(8 * MIB);
	memset(w->fill, 'f', 8 * MIB);
	join(w);
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	part(w);
	loop_destroy(w->loop);
	buf_finish(&w->body);
	free(w->fill);
	free(w);
	return 0;
}

#define HOST "Host: a\r\n"
#define POST(path, fields) "POST " path " HTTP/1.1\r\n" HOST fields "\r\n"
#define OK_HEAD(len) "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " len "\r\n"

static void a_request_is_answered_and_the_connection_stays(void **state)
{
	struct world *w = *state;

	client_say(&w->client, TEXT("GET /x HTTP/1.1\r\n" HOST "\r\n"));
	assert_non_null(strstr(w->client.heard.at, "\r\nDate: "));
	assert_string_equal(client_heard(&w->client),
	                    OK_HEAD("2") "X-A: b\r\nX-Common: yes\r\n\r\n/x");
	buf_clear(&w->client.heard);
	client_say(&w->client, TEXT("GET /x?a=b HTTP/1.1\r\n" HOST "\r\n"));
	assert_string_equal(client_heard(&w->client),
	                    OK_HEAD("3") "X-A: b\r\nX-Common: yes\r\n\r\na=b");
	assert_false(w->client.ended);
	assert_int_equal(w->over, 0);
}

static void a_hundred_requests_in_one_go_are_answered_in_order(void **state)
{
	struct world *w = *state;
	struct buf all;
	const char *at;

	buf_init(&all, MIB);
	for (int i = 0; i < 100; i++)
		buf_print(&all, "POST /body HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nn=%03d",
		          i);
	client_say(&w->client, buf_text(&all));
	at = client_heard(&w->client);
	for (int i = 0; i < 100; i++) {
		char wanted[16];

		snprintf(wanted, sizeof(wanted), "\r\n\r\nn=%03d", i);
		at = strstr(at, wanted);
		assert_non_null(at);
	}
	assert_int_equal(w->begun, 100);
	buf_finish(&all);
}

static void a_turn_has_no_more_requests_than_there_is_time_for(void **state)
{
	struct world *w = *state;
	struct buf all;

	buf_init(&all, MIB);
	for (int i = 0; i < 12; i++)
		buf_add(&all, TEXT("GET /dear HTTP/1.1\r\n" HOST "\r\n"));
	assert_int_equal(send(w->client.fd, all.at, all.len, 0), all.len);
	for (unsigned i = 1; i <= 4; i++) {
		client_turn(&w->client);
		assert_int_equal(w->begun, 3 * i);
	}
	buf_finish(&all);
}

static void one_connection_gets_a_bounded_share_of_a_turn(void **state)
{
	struct world *w = *state;
	struct buf all;

	buf_init(&all, MIB);
	for (int i = 0; i < 200; i++)
		buf_add(&all, TEXT("GET / HTTP/1.1\r\n" HOST "\r\n"));
	assert_int_equal(send(w->client.fd, all.at, all.len, 0), all.len);
	for (unsigned i = 1; i < 7; i++) {
		client_turn(&w->client);
		assert_true(w->begun <= 32 * i);
	}
	client_settle(&w->client);
	assert_int_equal(w->begun, 200);
	buf_finish(&all);
}

static void requests_behind_an_answer_that_is_owed_wait(void **state)
{
	struct world *w = *state;
	struct buf all;

	buf_init(&all, MIB);
	for (int i = 0; i < 100; i++)
		buf_print(&all, "GET /later HTTP/1.1\r\n" HOST "\r\n");
	client_say(&w->client, buf_text(&all));
	for (unsigned i = 1; i <= 100; i++) {
		struct http *http = w->later;

		assert_int_equal(w->begun, i);
		assert_non_null(http);
		w->later = NULL;
		http_answer(http, 200, "text/plain", TEXT("now"), NULL);
		/* An answer never calls the site before it returns. */
		assert_int_equal(w->begun, i);
		client_turn(&w->client);
		client_turn(&w->client);
	}
	client_settle(&w->client);
	assert_int_equal(w->client.heard.len % 100, 0);
	assert_false(w->client.ended);
	buf_finish(&all);
}

static void input_behind_an_answer_that_is_owed_is_bounded(void **state)
{
	struct world *w = *state;
	size_t sent = 0;
	ssize_t n;

	client_say(&w->client, TEXT("GET /later HTTP/1.1\r\n" HOST "\r\n"));
	while ((n = send(w->client.fd, w->fill, 65536, MSG_DONTWAIT)) > 0 && sent < 8 * MIB) {
		sent += (size_t)n;
		client_turn(&w->client);
	}
	assert_true(n < 0); /* what the socket and one read hold, and no more */
	http_answer(w->later, 200, "text/plain", TEXT("x"), NULL);
	client_settle(&w->client);
	assert_non_null(strstr(client_heard(&w->client), "HTTP/1.1 501 Not Implemented\r\n"));
}

static void a_handler_hears_that_the_peer_left(void **state)
{
	struct world *w = *state;

	client_say(&w->client, TEXT("GET /later HTTP/1.1\r\n" HOST "\r\n"));
	shutdown(w->client.fd, SHUT_RDWR);
	client_settle(&w->client);
	assert_int_equal(w->gone, 1);
	assert_int_equal(w->over, 1);
	part(w);
	join(w);
	client_say(&w->client, TEXT(POST("/body", "Content-Length: 5\r\n") "hel"));
	shutdown(w->client.fd, SHUT_RDWR);
	client_settle(&w->client);
	assert_int_equal(w->gone, 1);
	assert_int_equal(w->wholes, 0);
}

static void a_connection_is_handed_on_with_the_bytes_behind_the_request(void **state)
{
	struct world *w = *state;
	const char *both = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
			   "Connection: Upgrade\r\nX-Common: yes\r\n\r\nabcdef";

	client_say(&w->client, TEXT("GET /hand HTTP/1.1\r\n" HOST "\r\nabc"));
	assert_int_equal(w->over, 1);
	client_say(&w->client, TEXT("def"));
	assert_string_equal(client_heard(&w->client), both);
	assert_int_equal(w->gone, 0);
	part(w);
	assert_int_equal(w->gone, 1);
	join(w);
	client_say(&w->client, TEXT("GET /later HTTP/1.1\r\n" HOST "\r\n"));
	client_say(&w->client, TEXT("abc"));
	hand_on(w, w->later);
	client_say(&w->client, TEXT("def"));
	assert_string_equal(client_heard(&w->client), both);
}

static void a_hushed_body_waits(void **state)
{
	struct world *w = *state;

	client_say(&w->client, TEXT(POST("/hush", "Content-Length: 10\r\n") "hello"));
	client_say(&w->client, TEXT("world"));
	client_wait(&w->client, 1500); /* no deadline while it is us who wait */
	assert_string_equal("hello", (buf_add_char(&w->body, '\0'), w->body.at));
	w->body.len--;
	http_hush(w->http, false);
	client_settle(&w->client);
	assert_int_equal(w->body.len, 10);
	http_hush(w->http, false);
	client_settle(&w->client);
	assert_non_null(strstr(client_heard(&w->client), "helloworld"));
}

static void whoever_waits_is_reassured_unless_its_http_is_too_old(void **state)
{
	struct world *w = *state;

	client_say(&w->client, TEXT("GET /later HTTP/1.1\r\n" HOST "\r\n"));
	http_reassure(w->later);
	client_settle(&w->client);
	assert_string_equal(client_heard(&w->client), "HTTP/1.1 100 Continue\r\n\r\n");
	buf_clear(&w->client.heard);
	http_answer(w->later, 200, "text/plain", TEXT("now"), NULL);
	http_reassure(w->later); /* too late: it would stand behind the answer */
	client_settle(&w->client);
	assert_null(strstr(client_heard(&w->client), " 100 "));
	buf_clear(&w->client.heard);
	client_say(&w->client, TEXT("GET /later HTTP/1.0\r\n\r\n"));
	http_reassure(w->later);
	client_settle(&w->client);
	assert_int_equal(w->client.heard.len, 0);
	http_answer(w->later, 200, "text/plain", TEXT("now"), NULL);
	client_settle(&w->client);
	assert_int_equal(status(w), 200);
}

static void an_answer_bigger_than_the_socket_arrives_whole(void **state)
{
	struct world *w = *state;

	client_say(&w->client,
	           TEXT("GET /big HTTP/1.1\r\n" HOST "\r\nGET /x HTTP/1.1\r\n" HOST "\r\n"));
	for (int i = 0; i < 1000 && w->client.heard.len < 8 * MIB + 300; i++)
		client_settle(&w->client);
	assert_true(w->client.heard.len > 8 * MIB + 200);
	assert_non_null(strstr(client_heard(&w->client), "ffHTTP/1.1 200 OK\r\n"));
	assert_int_equal(w->begun, 2);
}

static void a_stream_waits_for_room(void **state)
{
	struct world *w = *state;
	struct http *http;
	size_t said = 0, n = 0;

	client_say(&w->client, TEXT("GET /flood HTTP/1.1\r\n" HOST "\r\n"));
	http = w->later;
	assert_non_null(http);
	http_answer_begin(http, 200, "text/plain", NULL);
	while (http_more(http, (struct text){w->fill, 50000}) && said < 64 * MIB)
		said += 50000;
	said += 50000;
	assert_true(said < 2 * MIB);
	assert_int_equal(w->rooms, 0);
	for (int i = 0; i < 100 && !w->rooms; i++)
		client_settle(&w->client);
	assert_int_equal(w->rooms, 1);
	assert_true(http_more(http, TEXT("end")));
	http_answer_end(http);
	client_settle(&w->client);
	for (const char *at = strstr(client_heard(&w->client), "\r\n\r\n"); at && *at; at++)
		n += *at == 'f';
	assert_int_equal(n, said);
	assert_memory_equal(w->client.heard.at + w->client.heard.len - 13, "3\r\nend\r\n0\r\n\r\n",
	                    13);
	buf_clear(&w->client.heard);
	client_say(&w->client, TEXT("GET /x HTTP/1.1\r\n" HOST "\r\n"));
	assert_int_equal(status(w), 200);
}

static void a_stream_to_nobody_ends(void **state)
{
	struct world *w = *state;

	client_say(&w->client, TEXT("GET /flood HTTP/1.1\r\n" HOST "\r\n"));
	http_answer_begin(w->later, 200, "text/plain", NULL);
	shutdown(w->client.fd, SHUT_RDWR);
	while (http_more(w->later, (struct text){w->fill, 50000}))
		continue;
	assert_int_equal(w->gone, 0);
	client_settle(&w->client);
	assert_int_equal(w->gone, 1);
}

static void a_reader_that_stops_reading_is_closed(void **state)
{
	struct world *w = *state;

	client_say(&w->client, TEXT("GET /flood HTTP/1.1\r\n" HOST "\r\n"));
	http_answer_begin(w->later, 200, "text/plain", NULL);
	while (http_more(w->later, (struct text){w->fill, 50000}))
		continue;
	for (int i = 0; i < 150 && !w->over; i++) {
		test_clock_forward(10);
		uv_run(loop_uv(w->loop), UV_RUN_NOWAIT);
	}
	assert_int_equal(w->gone, 1);
	assert_int_equal(w->over, 1);
}

/* A byte now and then; how many until there was an answer. */
static unsigned drip(struct world *w, unsigned most)
{
	unsigned n = 0;

	while (n < most && !w->client.heard.len) {
		client_say(&w->client, TEXT("x"));
		client_wait(&w->client, 200);
		n++;
	}
	return n;
}

static void a_head_that_drips_is_too_slow(void **state)
{
	struct world *w = *state;

	client_say(&w->client, TEXT("GET / HTTP/1.1\r\nX: "));
	assert_in_range(drip(w, 50), 2, 20);
	assert_int_equal(status(w), 408);
	assert_true(w->client.ended);
}

static void a_body_may_drip_but_not_stop(void **state)
{
	struct world *w = *state;

	client_say(&w->client, TEXT(POST("/body", "Content-Length: 90\r\n")));
	assert_int_equal(drip(w, 8), 8);
	client_wait(&w->client, 1600);
	assert_int_equal(status(w), 408);
	assert_int_equal(w->gone, 1);
}

static void the_idle_are_closed_without_a_word(void **state)
{
	struct world *w = *state;

	client_wait(&w->client, 1600);
	assert_true(w->client.ended);
	assert_int_equal(w->client.heard.len, 0);
	part(w);
	join(w);
	client_say(&w->client, TEXT("GET / HTTP/1.1\r\n" HOST "\r\n"));
	buf_clear(&w->client.heard);
	client_wait(&w->client, 300);
	assert_false(w->client.ended);
	client_wait(&w->client, 1600);
	assert_true(w->client.ended);
	assert_int_equal(w->client.heard.len, 0);
}

static void a_client_that_still_sends_can_read_its_refusal(void **state)
{
	struct world *w = *state;
	ssize_t n = 0;

	client_say(&w->client, TEXT(POST("/body", "Content-Length: 100000\r\n")));
	assert_int_equal(status(w), 413);
	assert_true(w->client.ended);
	for (int i = 0; i < 10 && n >= 0; i++) {
		n = send(w->client.fd, w->fill, 10000, MSG_NOSIGNAL);
		client_turn(&w->client);
	}
	assert_true(n > 0);
	assert_int_equal(w->over, 0);
	client_wait(&w->client, 1400); /* but not for ever */
	assert_int_equal(w->over, 1);
	part(w);
	join(w);
	client_say(&w->client, TEXT(POST("/body", "Content-Length: 100000000\r\n")));
	for (n = 0; n >= 0 && !w->over;) {
		n = send(w->client.fd, w->fill, 60000, MSG_NOSIGNAL | MSG_DONTWAIT);
		client_turn(&w->client);
		client_turn(&w->client);
	}
	assert_int_equal(w->over, 1);
}

static void draining_finishes_what_is_owed(void **state)
{
	struct world *w = *state;

	http_drain(w->http);
	client_settle(&w->client);
	assert_true(w->client.ended);
	assert_int_equal(w->over, 1);
	part(w);
	join(w);
	client_say(&w->client, TEXT("GET /later HTTP/1.1\r\n" HOST "\r\n"));
	http_drain(w->http);
	client_settle(&w->client);
	assert_false(w->client.ended);
	http_answer(w->later, 200, "text/plain", TEXT("x"), NULL);
	client_settle(&w->client);
	assert_true(w->client.ended);
	assert_non_null(strstr(client_heard(&w->client), "\r\nConnection: close\r\n"));
}

static void an_idle_connection_holds_little(void **state)
{
	assert_true(sizeof(struct conn) <= 256);
}

#define world_test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		world_test(a_request_is_answered_and_the_connection_stays),
		world_test(a_hundred_requests_in_one_go_are_answered_in_order),
		world_test(a_turn_has_no_more_requests_than_there_is_time_for),
		world_test(one_connection_gets_a_bounded_share_of_a_turn),
		world_test(requests_behind_an_answer_that_is_owed_wait),
		world_test(input_behind_an_answer_that_is_owed_is_bounded),
		world_test(a_handler_hears_that_the_peer_left),
		world_test(a_connection_is_handed_on_with_the_bytes_behind_the_request),
		world_test(a_hushed_body_waits),
		world_test(whoever_waits_is_reassured_unless_its_http_is_too_old),
		world_test(an_answer_bigger_than_the_socket_arrives_whole),
		world_test(a_stream_waits_for_room),
		world_test(a_stream_to_nobody_ends),
		world_test(a_reader_that_stops_reading_is_closed),
		world_test(a_head_that_drips_is_too_slow),
		world_test(a_body_may_drip_but_not_stop),
		world_test(the_idle_are_closed_without_a_word),
		world_test(a_client_that_still_sends_can_read_its_refusal),
		world_test(draining_finishes_what_is_owed),
		cmocka_unit_test(an_idle_connection_holds_little),
	};

	test_clock_stop();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

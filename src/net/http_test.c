/* http_test.c - requests over a real socket, driven turn by turn: whole, byte by
 * byte, one after the other, too long, too slow, and not HTTP at all. */
#include "net/http.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"

#define HEAD_MAX 512
#define TARGET_MAX 128
#define FIELDS_MAX 6
#define BODY_MAX 1000

struct world {
	struct loop *loop;
	struct http *http, *later; /* the connection's; one that owes an answer */
	int fd;                    /* the client's end */
	struct buf heard, body;
	struct http_site site;
	unsigned begun, gone, over, wholes, rooms;
	bool ended; /* the server closed */
	char *fill;
};

static const struct http_limits limits = {HEAD_MAX, TARGET_MAX, FIELDS_MAX, 600, 900, 600};

/* ---- the site ---- */

static void on_piece(void *self, struct http *http, struct text bytes)
{
	struct world *w = self;

	buf_add(&w->body, bytes);
	if (text_is(http_request(http)->path, "/early"))
		http_answer(http, 400, "text/plain", TEXT("enough"), NULL);
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

static const struct conn_user guest = {echo, no_room, guest_gone, NULL};

static void hand_on(struct world *w, struct http *http)
{
	struct buf head;

	buf_init(&head, 4 * KIB);
	http_head(http, &head, 101, "Upgrade: websocket\r\nConnection: Upgrade\r\n");
	http_hand(http, buf_text(&head), &guest, w);
	buf_finish(&head);
}

static void stream(struct http *http, const char *path_end)
{
	http_answer_begin(http, 200, "text/plain", "X-A: b\r\n");
	assert_true(http_more(http, TEXT("")));
	assert_true(http_more(http, TEXT("hello ")));
	assert_true(http_more(http, text_of(path_end)));
	http_answer_end(http);
}

static void begin(void *self, struct http *http)
{
	struct world *w = self;
	const struct http_request *r = http_request(http);

	w->begun++;
	buf_clear(&w->body);
	if (text_is(r->path, "/body") || text_is(r->path, "/later") || text_is(r->path, "/early") ||
	    text_is(r->path, "/hush") || text_is(r->path, "/flood"))
		http_accept(http, BODY_MAX, &handler, w);
	else if (text_is(r->path, "/hand"))
		hand_on(w, http);
	else if (text_is(r->path, "/stream"))
		stream(http, "world");
	else if (text_is(r->path, "/empty"))
		http_answer(http, 204, NULL, TEXT("ignored"), NULL);
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

/* ---- the client ---- */

static void turn(struct world *w)
{
	uv_run(loop_uv(w->loop), UV_RUN_NOWAIT);
}

static void hear(struct world *w)
{
	char bytes[65536];
	ssize_t n;

	while ((n = recv(w->fd, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0)
		buf_add(&w->heard, (struct text){bytes, (size_t)n});
	if (n == 0 || errno == ECONNRESET)
		w->ended = true;
}

static void settle(struct world *w)
{
	for (int i = 0; i < 6; i++) {
		turn(w);
		hear(w);
	}
}

static void say(struct world *w, struct text t)
{
	while (t.len) {
		ssize_t n = send(w->fd, t.at, t.len, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n > 0)
			t = (struct text){t.at + n, t.len - (size_t)n};
		else if (errno != EAGAIN)
			break;
		turn(w);
	}
	settle(w);
}

static void say_slowly(struct world *w, struct text t)
{
	for (size_t i = 0; i < t.len; i++) {
		if (send(w->fd, t.at + i, 1, MSG_NOSIGNAL) < 0)
			break;
		turn(w);
	}
	settle(w);
}

static void wait_ms(struct world *w, unsigned ms)
{
	uint64_t until = clock_mono_ns() + (uint64_t)ms * 1000000;

	while (clock_mono_ns() < until) {
		turn(w);
		hear(w);
		usleep(2000);
	}
}

/* What was heard, as a string without Date lines. */
static const char *heard(struct world *w)
{
	struct text all = buf_text(&w->heard), line;
	struct buf out;

	buf_init(&out, 64 * MIB);
	while (all.at) {
		line = text_cut(all, '\n', &all);
		if (text_starts(line, TEXT("Date: ")))
			continue;
		buf_add(&out, line);
		if (all.at)
			buf_add_char(&out, '\n');
	}
	buf_add_char(&out, '\0');
	buf_finish(&w->heard);
	w->heard = out;
	w->heard.len--;
	return w->heard.at;
}

static unsigned status(struct world *w)
{
	uint64_t n = 0;

	if (w->heard.len < 12)
		return 0;
	text_to_u64((struct text){w->heard.at + 9, 3}, &n);
	return (unsigned)n;
}

static void connect_world(struct world *w)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
	w->fd = pair[0];
	w->http = http_serve(conn_create(w->loop, pair[1], NULL, NULL), &w->site);
	w->ended = false;
	buf_clear(&w->heard);
	w->begun = w->gone = w->over = w->wholes = w->rooms = 0;
}

static void part(struct world *w)
{
	close(w->fd);
	for (int i = 0; i < 4; i++)
		turn(w);
	assert_null(w->http);
}

static int set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	w->loop = loop_create();
	buf_init(&w->heard, 64 * MIB);
	buf_init(&w->body, MIB);
	w->site = (struct http_site){w, &limits, "X-Common: yes\r\n", begin, over};
	w->fill = malloc(8 * MIB);
	memset(w->fill, 'f', 8 * MIB);
	connect_world(w);
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	part(w);
	loop_destroy(w->loop);
	buf_finish(&w->heard);
	buf_finish(&w->body);
	free(w->fill);
	free(w);
	return 0;
}

#define HOST "Host: a\r\n"
#define OK_HEAD(len) "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " len "\r\n"

/* ---- the tests ---- */

static void a_request_is_answered_and_the_connection_stays(void **state)
{
	struct world *w = *state;

	say(w, TEXT("GET /x HTTP/1.1\r\n" HOST "\r\n"));
	assert_non_null(strstr(w->heard.at, "\r\nDate: "));
	assert_string_equal(heard(w), OK_HEAD("2") "X-A: b\r\nX-Common: yes\r\n\r\n/x");
	buf_clear(&w->heard);
	say(w, TEXT("GET /x?a=b HTTP/1.1\r\n" HOST "\r\n"));
	assert_string_equal(heard(w), OK_HEAD("3") "X-A: b\r\nX-Common: yes\r\n\r\na=b");
	assert_false(w->ended);
	assert_int_equal(w->over, 0);
}

struct example {
	const char *words;
	unsigned status;
	bool closes;
	struct text bytes;
};

/* clang-format off */
#define B(literal) {(literal), sizeof(literal) - 1}
#define POST(path, fields) "POST " path " HTTP/1.1\r\n" HOST fields "\r\n"
#define CHUNKED POST("/body", "Transfer-Encoding: chunked\r\n")
/* clang-format on */

static const struct example examples[] = {
	{"HEAD", 200, false, B("HEAD / HTTP/1.1\r\n" HOST "\r\n")},
	{"OPTIONS", 200, false, B("OPTIONS / HTTP/1.1\r\n" HOST "\r\n")},
	{"Connection: close", 200, true, B("GET / HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n")},
	{"HTTP/1.0", 200, true, B("GET / HTTP/1.0\r\n\r\n")},
	{"HTTP/1.0 that would stay", 200, true,
         B("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")},
	{"HTTP/0.9", 505, true, B("GET /\r\n\r\n")},
	{"HTTP/1.2", 505, true, B("GET / HTTP/1.2\r\n" HOST "\r\n")},
	{"HTTP/2.0", 505, true, B("GET / HTTP/2.0\r\n" HOST "\r\n")},
	{"the preface of HTTP/2", 505, true, B("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")},
	{"an empty line first", 200, false, B("\r\nGET / HTTP/1.1\r\n" HOST "\r\n")},
	{"no body", 204, false, B("GET /empty HTTP/1.1\r\n" HOST "\r\n")},

	{"a method we do not know", 501, true, B("BREW / HTTP/1.1\r\n" HOST "\r\n")},
	{"a method in small letters", 501, true, B("get / HTTP/1.1\r\n" HOST "\r\n")},
	{"TRACE", 501, true, B("TRACE / HTTP/1.1\r\n" HOST "\r\n")},
	{"CONNECT", 501, true, B("CONNECT a:1 HTTP/1.1\r\n" HOST "\r\n")},
	{"PURGE", 501, true, B("PURGE / HTTP/1.1\r\n" HOST "\r\n")},
	{"another protocol", 501, true, B("SOURCE / ICE/1.0\r\n\r\n")},
	{"a TLS handshake", 400, true, B("\x16\x03\x01\x02\x00\x01\x00\x01")},
	{"zeroes", 400, true, B("\0\0\0\0\0\0\0\0")},
	{"an asterisk", 400, true, B("OPTIONS * HTTP/1.1\r\n" HOST "\r\n")},
	{"a fragment", 400, true, B("GET /#x HTTP/1.1\r\n" HOST "\r\n")},
	{"a raw byte in the target", 400, true, B("GET /\xc3\xa4 HTTP/1.1\r\n" HOST "\r\n")},
	{"a space in the target", 400, true, B("GET /a b HTTP/1.1\r\n" HOST "\r\n")},
	{"an absolute target", 200, false, B("GET http://a/x HTTP/1.1\r\n" HOST "\r\n")},
	{"an absolute target without a path", 200, false,
         B("GET http://A?x HTTP/1.1\r\n" HOST "\r\n")},
	{"an absolute target elsewhere", 400, true, B("GET http://b/ HTTP/1.1\r\n" HOST "\r\n")},
	{"an absolute target with a user", 400, true,
         B("GET http://u@a/ HTTP/1.1\r\n" HOST "\r\n")},
	{"another scheme", 400, true, B("GET ftp://a/ HTTP/1.1\r\n" HOST "\r\n")},

	{"no Host", 400, true, B("GET / HTTP/1.1\r\n\r\n")},
	{"two Hosts", 400, true, B("GET / HTTP/1.1\r\n" HOST HOST "\r\n")},
	{"two Hosts in 1.0", 400, true, B("GET / HTTP/1.0\r\n" HOST HOST "\r\n")},
	{"two Origins", 400, true, B("GET / HTTP/1.1\r\n" HOST "Origin: a\r\norigin: a\r\n\r\n")},
	{"two Authorizations", 400, true,
         B("GET / HTTP/1.1\r\n" HOST "Authorization: a\r\nAuthorization: b\r\n\r\n")},
	{"a folded field", 400, true, B("GET / HTTP/1.1\r\n" HOST "A: b\r\n c\r\n\r\n")},
	{"a space before the colon", 400, true, B("GET / HTTP/1.1\r\nHost : a\r\n\r\n")},
	{"a field without a name", 400, true, B("GET / HTTP/1.1\r\n" HOST ": x\r\n\r\n")},
	{"a field without a value", 200, false, B("GET / HTTP/1.1\r\nA:\r\n" HOST "\r\n")},
	{"a NUL in a value", 400, true, B("GET / HTTP/1.1\r\n" HOST "A: b\0c\r\n\r\n")},
	{"a lone CR in a value", 400, true, B("GET / HTTP/1.1\r\n" HOST "A: b\rc\r\n\r\n")},
	{"LF after the request line", 505, true, B("GET / HTTP/1.1\n" HOST "\r\n")},
	{"LF after a field", 400, true, B("GET / HTTP/1.1\r\nHost: a\n\r\n")},
	{"LF after the head", 400, true, B("GET / HTTP/1.1\r\n" HOST "\n")},

	{"a body", 200, false, B(POST("/body", "Content-Length: 5\r\n") "hello")},
	{"a body of no bytes", 200, false, B(POST("/body", "Content-Length: 0\r\n"))},
	{"no body where there may be one", 200, false, B(POST("/body", ""))},
	{"a body nobody wants", 200, true, B(POST("/x", "Content-Length: 5\r\n") "hello")},
	{"an answer before the end of the body", 400, true,
         B(POST("/early", "Content-Length: 9\r\n") "hello")},
	{"two lengths", 400, true,
         B(POST("/body", "Content-Length: 5\r\nContent-Length: 5\r\n") "hello")},
	{"a length with a sign", 400, true, B(POST("/body", "Content-Length: +5\r\n") "hello")},
	{"a length that is empty", 400, true, B(POST("/body", "Content-Length:\r\n") "hello")},
	{"a list of lengths", 400, true, B(POST("/body", "Content-Length: 5, 5\r\n") "hello")},
	{"a length beyond 64 bits", 400, true,
         B(POST("/body", "Content-Length: 99999999999999999999\r\n"))},
	{"the longest length", 413, true,
         B(POST("/body", "Content-Length: 18446744073709551615\r\n"))},
	{"a length one too many", 413, true, B(POST("/body", "Content-Length: 1001\r\n"))},
	{"chunks", 200, false, B(CHUNKED "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n")},
	{"chunks with extensions", 200, false, B(CHUNKED "5;a=b;c\r\nhello\r\n0;d=\"e\"\r\n\r\n")},
	{"chunks with a trailer", 200, false, B(CHUNKED "5\r\nhello\r\n0\r\nA: b\r\n\r\n")},
	{"no chunks", 200, false, B(CHUNKED "0\r\n\r\n")},
	{"chunks and a length", 400, true,
         B(POST("/body", "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n") "0\r\n\r\n")},
	{"a length and chunks", 400, true,
         B(POST("/body", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n") "0\r\n\r\n")},
	{"chunks twice", 400, true,
         B(POST("/body", "Transfer-Encoding: chunked, chunked\r\n") "0\r\n\r\n")},
	{"another coding", 501, true, B(POST("/body", "Transfer-Encoding: gzip\r\n"))},
	{"another coding, then chunks", 501, true,
         B(POST("/body", "Transfer-Encoding: gzip, chunked\r\n") "0\r\n\r\n")},
	{"chunks, then another coding", 400, true,
         B(POST("/body", "Transfer-Encoding: chunked, gzip\r\n") "0\r\n\r\n")},
	{"chunks in 1.0", 400, true,
         B("POST /body HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")},
	{"a chunk too short", 400, true, B(CHUNKED "6\r\nhello\r\n0\r\n\r\n")},
	{"a chunk too long", 400, true, B(CHUNKED "4\r\nhello\r\n0\r\n\r\n")},
	{"a chunk of 2^68", 400, true, B(CHUNKED "100000000000000000\r\n")},
	{"a chunk of less than nothing", 400, true, B(CHUNKED "-1\r\n")},
	{"a chunk with a space", 400, true, B(CHUNKED "5 \r\nhello\r\n0\r\n\r\n")},
	{"a chunk ended by LF", 400, true, B(CHUNKED "5\nhello\r\n0\r\n\r\n")},
	{"100-continue", 100, false,
         B(POST("/body", "Content-Length: 2\r\nExpect: 100-continue\r\n") "ab")},
	{"100-continue without a body", 200, false, B(POST("/body", "Expect: 100-Continue\r\n"))},
	{"100-continue and too long", 413, true,
         B(POST("/body", "Content-Length: 1001\r\nExpect: 100-continue\r\n"))},
	{"another expectation", 417, true,
         B(POST("/body", "Content-Length: 2\r\nExpect: x\r\n") "ab")},
	{"a stream", 200, false, B("GET /stream HTTP/1.1\r\n" HOST "\r\n")},
	{"a stream to 1.0", 200, true, B("GET /stream HTTP/1.0\r\n\r\n")},
	{"the head of a stream", 200, false, B("HEAD /stream HTTP/1.1\r\n" HOST "\r\n")},
	{"an upgrade to what we do not speak", 200, false,
         B("GET / HTTP/1.1\r\n" HOST "Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n")},
};

static void check(struct world *w, const struct example *e, char **answer, bool slowly)
{
	bool closed;

	if (slowly)
		say_slowly(w, e->bytes);
	else
		say(w, e->bytes);
	closed = w->ended;
	*answer = strdup(heard(w));
	if (status(w) != e->status || closed != e->closes)
		fail_msg("%s%s: %s%s", e->words, slowly ? ", slowly" : "", *answer,
		         closed ? "(closed)" : "(open)");
	if (e->closes && !strstr(*answer, "\r\nConnection: close\r\n"))
		fail_msg("%s: does not say that it closes", e->words);
	if (!e->closes) {
		buf_clear(&w->heard);
		say(w, TEXT("GET /again HTTP/1.1\r\n" HOST "\r\n"));
		assert_non_null(strstr(heard(w), "\r\n\r\n/again"));
	}
	assert_non_null(strstr(*answer, "\r\nX-Common: yes\r\n"));
	part(w);
	connect_world(w);
}

static void the_same_answer_comes_however_the_bytes_are_cut(void **state)
{
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		char *whole, *slow;

		check(w, &examples[i], &whole, false);
		check(w, &examples[i], &slow, true);
		assert_string_equal(whole, slow);
		free(whole);
		free(slow);
	}
}

static void errors_are_small_json(void **state)
{
	struct world *w = *state;

	say(w, TEXT("GET / HTTP/1.1\r\n\r\n"));
	assert_string_equal(heard(w),
	                    "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\n"
	                    "Content-Length: 35\r\nConnection: close\r\n"
	                    "X-Common: yes\r\n\r\n"
	                    "{\"ok\":false,\"error\":\"Bad Request\"}\n");
	assert_int_equal(w->begun, 0);
}

static void bodies_and_streams_are_what_was_sent(void **state)
{
	struct world *w = *state;

	say(w, TEXT(CHUNKED "5;a=b\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"));
	assert_string_equal(heard(w), OK_HEAD("11") "X-Common: yes\r\n\r\nhello world");
	buf_clear(&w->heard);
	say(w, TEXT("GET /stream HTTP/1.1\r\n" HOST "\r\n"));
	assert_string_equal(heard(w),
	                    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
	                    "Transfer-Encoding: chunked\r\nX-A: b\r\nX-Common: yes\r\n\r\n"
	                    "6\r\nhello \r\n5\r\nworld\r\n0\r\n\r\n");
	buf_clear(&w->heard);
	say(w, TEXT("HEAD /stream HTTP/1.1\r\n" HOST "\r\n"));
	assert_string_equal(heard(w),
	                    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
	                    "Transfer-Encoding: chunked\r\nX-A: b\r\nX-Common: yes\r\n\r\n");
	buf_clear(&w->heard);
	say(w, TEXT("GET /empty HTTP/1.1\r\n" HOST "\r\n"));
	assert_string_equal(heard(w), "HTTP/1.1 204 No Content\r\nX-Common: yes\r\n\r\n");
	buf_clear(&w->heard);
	say(w, TEXT("GET /stream HTTP/1.0\r\n\r\n"));
	assert_string_equal(heard(w), "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
	                              "Connection: close\r\nX-A: b\r\nX-Common: yes\r\n\r\n"
	                              "hello world");
}

/* A head of exactly n bytes. */
static struct text head_of(char *out, size_t n)
{
	size_t at = (size_t)sprintf(out, "GET / HTTP/1.1\r\n" HOST "X: ");

	memset(out + at, 'x', n - at - 4);
	memcpy(out + n - 4, "\r\n\r\n", 4);
	return (struct text){out, n};
}

static struct text target_of(char *out, size_t n)
{
	memcpy(out, "GET /", 5);
	memset(out + 5, 'x', n - 1);
	sprintf(out + 4 + n, " HTTP/1.1\r\n" HOST "\r\n");
	return text_of(out);
}

static struct text fields_of(char *out, unsigned n)
{
	size_t at = (size_t)sprintf(out, "GET / HTTP/1.1\r\n" HOST);

	while (--n)
		at += (size_t)sprintf(out + at, "A: b\r\n");
	sprintf(out + at, "\r\n");
	return text_of(out);
}

static void expect(struct world *w, struct text bytes, unsigned wanted)
{
	for (int slowly = 0; slowly < 2; slowly++) {
		if (slowly)
			say_slowly(w, bytes);
		else
			say(w, bytes);
		assert_int_equal(status(w), wanted);
		part(w);
		connect_world(w);
	}
}

static void limits_hold_exactly(void **state)
{
	struct world *w = *state;
	char out[4096];

	expect(w, head_of(out, HEAD_MAX), 200);
	expect(w, head_of(out, HEAD_MAX + 1), 431);
	expect(w, head_of(out, 4000), 431);
	expect(w, target_of(out, TARGET_MAX), 200);
	expect(w, target_of(out, TARGET_MAX + 1), 414);
	expect(w, target_of(out, 3000), 414);
	expect(w, fields_of(out, FIELDS_MAX), 200);
	expect(w, fields_of(out, FIELDS_MAX + 1), 431);
}

static struct text body_of(char *out, unsigned n, bool chunked)
{
	size_t at = chunked ? (size_t)sprintf(out, CHUNKED)
	                    : (size_t)sprintf(out, POST("/body", "Content-Length: %u\r\n"), n);

	for (unsigned left = n; left;) {
		unsigned piece = left > 400 ? 400 : left;

		if (chunked)
			at += (size_t)sprintf(out + at, "%x\r\n", piece);
		memset(out + at, 'x', piece);
		at += piece;
		if (chunked)
			at += (size_t)sprintf(out + at, "\r\n");
		left -= piece;
	}
	if (chunked)
		sprintf(out + at, "0\r\n\r\n");
	return (struct text){out, chunked ? at + 5 : at};
}

static void the_limit_of_bodies_holds_exactly(void **state)
{
	struct world *w = *state;
	char out[4096];

	expect(w, body_of(out, BODY_MAX, false), 200);
	expect(w, body_of(out, BODY_MAX + 1, false), 413);
	expect(w, body_of(out, BODY_MAX, true), 200);
	expect(w, body_of(out, BODY_MAX + 1, true), 413);
	say(w, body_of(out, BODY_MAX + 1, true));
	assert_int_equal(w->gone, 1);
	assert_int_equal(w->wholes, 0);
}

static void extensions_and_trailers_have_a_ceiling(void **state)
{
	struct world *w = *state;
	char out[4096];
	size_t at = (size_t)sprintf(out, CHUNKED "5;");

	memset(out + at, 'x', HEAD_MAX + 1);
	expect(w, (struct text){out, at + HEAD_MAX + 1}, 431);
	at = (size_t)sprintf(out, CHUNKED "0\r\nX: ");
	memset(out + at, 'x', HEAD_MAX + 1);
	expect(w, (struct text){out, at + HEAD_MAX + 1}, 431);
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
	say(w, buf_text(&all));
	at = heard(w);
	for (int i = 0; i < 100; i++) {
		char wanted[16];

		sprintf(wanted, "\r\n\r\nn=%03d", i);
		at = strstr(at, wanted);
		assert_non_null(at);
	}
	assert_int_equal(w->begun, 100);
	buf_finish(&all);
}

static void requests_behind_an_answer_that_is_owed_wait(void **state)
{
	struct world *w = *state;
	struct buf all;

	buf_init(&all, MIB);
	for (int i = 0; i < 100; i++)
		buf_print(&all, "GET /later HTTP/1.1\r\n" HOST "\r\n");
	say(w, buf_text(&all));
	for (unsigned i = 1; i <= 100; i++) {
		struct http *http = w->later;

		assert_int_equal(w->begun, i);
		assert_non_null(http);
		w->later = NULL;
		http_answer(http, 200, "text/plain", TEXT("now"), NULL);
		/* An answer never calls the site before it returns. */
		assert_int_equal(w->begun, i);
		turn(w);
		turn(w);
	}
	settle(w);
	assert_int_equal(w->heard.len % 100, 0);
	assert_false(w->ended);
	buf_finish(&all);
}

static void input_behind_an_answer_that_is_owed_is_bounded(void **state)
{
	struct world *w = *state;
	size_t sent = 0;
	ssize_t n;

	say(w, TEXT("GET /later HTTP/1.1\r\n" HOST "\r\n"));
	while ((n = send(w->fd, w->fill, 65536, MSG_DONTWAIT)) > 0 && sent < 8 * MIB) {
		sent += (size_t)n;
		turn(w);
	}
	assert_true(n < 0); /* what the socket and one read hold, and no more */
	http_answer(w->later, 200, "text/plain", TEXT("x"), NULL);
	settle(w);
	assert_non_null(strstr(heard(w), "HTTP/1.1 501 Not Implemented\r\n"));
}

static void a_handler_hears_that_the_peer_left(void **state)
{
	struct world *w = *state;

	say(w, TEXT("GET /later HTTP/1.1\r\n" HOST "\r\n"));
	shutdown(w->fd, SHUT_RDWR);
	settle(w);
	assert_int_equal(w->gone, 1);
	assert_int_equal(w->over, 1);
	part(w);
	connect_world(w);
	say(w, TEXT(POST("/body", "Content-Length: 5\r\n") "hel"));
	shutdown(w->fd, SHUT_RDWR);
	settle(w);
	assert_int_equal(w->gone, 1);
	assert_int_equal(w->wholes, 0);
}

static void a_connection_is_handed_on_with_the_bytes_behind_the_request(void **state)
{
	struct world *w = *state;
	const char *both = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
			   "Connection: Upgrade\r\nX-Common: yes\r\n\r\nabcdef";

	say(w, TEXT("GET /hand HTTP/1.1\r\n" HOST "\r\nabc"));
	assert_int_equal(w->over, 1);
	say(w, TEXT("def"));
	assert_string_equal(heard(w), both);
	assert_int_equal(w->gone, 0);
	part(w);
	assert_int_equal(w->gone, 1);
	connect_world(w);
	say(w, TEXT("GET /later HTTP/1.1\r\n" HOST "\r\n"));
	say(w, TEXT("abc"));
	hand_on(w, w->later);
	say(w, TEXT("def"));
	assert_string_equal(heard(w), both);
}

static void a_hushed_body_waits(void **state)
{
	struct world *w = *state;

	say(w, TEXT(POST("/hush", "Content-Length: 10\r\n") "hello"));
	say(w, TEXT("world"));
	wait_ms(w, 1000); /* no deadline while it is us who wait */
	assert_string_equal("hello", (buf_add_char(&w->body, '\0'), w->body.at));
	w->body.len--;
	http_hush(w->http, false);
	settle(w);
	assert_int_equal(w->body.len, 10);
	http_hush(w->http, false);
	settle(w);
	assert_non_null(strstr(heard(w), "helloworld"));
}

static void an_answer_bigger_than_the_socket_arrives_whole(void **state)
{
	struct world *w = *state;

	say(w, TEXT("GET /big HTTP/1.1\r\n" HOST "\r\nGET /x HTTP/1.1\r\n" HOST "\r\n"));
	for (int i = 0; i < 1000 && w->heard.len < 8 * MIB + 300; i++)
		settle(w);
	assert_true(w->heard.len > 8 * MIB + 200);
	assert_non_null(strstr(heard(w), "ffHTTP/1.1 200 OK\r\n"));
	assert_int_equal(w->begun, 2);
}

static void a_stream_waits_for_room(void **state)
{
	struct world *w = *state;
	struct http *http;
	size_t said = 0, n = 0;

	say(w, TEXT("GET /flood HTTP/1.1\r\n" HOST "\r\n"));
	http = w->later;
	http_answer_begin(http, 200, "text/plain", NULL);
	while (http_more(http, (struct text){w->fill, 50000}) && said < 64 * MIB)
		said += 50000;
	said += 50000;
	assert_true(said < 2 * MIB);
	assert_int_equal(w->rooms, 0);
	for (int i = 0; i < 100 && !w->rooms; i++)
		settle(w);
	assert_int_equal(w->rooms, 1);
	assert_true(http_more(http, TEXT("end")));
	http_answer_end(http);
	settle(w);
	for (const char *at = strstr(heard(w), "\r\n\r\n"); at && *at; at++)
		n += *at == 'f';
	assert_int_equal(n, said);
	assert_memory_equal(w->heard.at + w->heard.len - 13, "3\r\nend\r\n0\r\n\r\n", 13);
	buf_clear(&w->heard);
	say(w, TEXT("GET /x HTTP/1.1\r\n" HOST "\r\n"));
	assert_int_equal(status(w), 200);
}

static void a_reader_that_stops_reading_is_closed(void **state)
{
	struct world *w = *state;

	say(w, TEXT("GET /flood HTTP/1.1\r\n" HOST "\r\n"));
	http_answer_begin(w->later, 200, "text/plain", NULL);
	while (http_more(w->later, (struct text){w->fill, 50000}))
		continue;
	for (int i = 0; i < 500 && !w->over; i++) {
		turn(w);
		usleep(3000);
	}
	assert_int_equal(w->gone, 1);
	assert_int_equal(w->over, 1);
}

static void the_slow_are_told_so(void **state)
{
	struct world *w = *state;

	say(w, TEXT("GET / HTTP/1.1\r\nHo"));
	wait_ms(w, 400);
	say(w, TEXT("s")); /* a byte now and then does not help */
	wait_ms(w, 600);
	assert_int_equal(status(w), 408);
	assert_true(w->ended);
	part(w);
	connect_world(w);
	say(w, TEXT(POST("/body", "Content-Length: 5\r\n") "h"));
	wait_ms(w, 400);
	say(w, TEXT("e")); /* in a body it does */
	wait_ms(w, 450);
	assert_int_equal(status(w), 0);
	wait_ms(w, 600);
	assert_int_equal(status(w), 408);
	assert_int_equal(w->gone, 1);
}

static void the_idle_are_closed_without_a_word(void **state)
{
	struct world *w = *state;

	wait_ms(w, 1000);
	assert_true(w->ended);
	assert_int_equal(w->heard.len, 0);
	part(w);
	connect_world(w);
	say(w, TEXT("GET / HTTP/1.1\r\n" HOST "\r\n"));
	buf_clear(&w->heard);
	wait_ms(w, 600);
	assert_false(w->ended);
	wait_ms(w, 700);
	assert_true(w->ended);
	assert_int_equal(w->heard.len, 0);
}

static void a_client_that_still_sends_can_read_its_refusal(void **state)
{
	struct world *w = *state;
	ssize_t n = 0;

	say(w, TEXT(POST("/body", "Content-Length: 100000\r\n")));
	assert_int_equal(status(w), 413);
	assert_true(w->ended);
	for (int i = 0; i < 10 && n >= 0; i++) {
		n = send(w->fd, w->fill, 10000, MSG_NOSIGNAL);
		turn(w);
	}
	assert_true(n > 0);
	assert_int_equal(w->over, 0);
	wait_ms(w, 1400); /* but not for ever */
	assert_int_equal(w->over, 1);
	part(w);
	connect_world(w);
	say(w, TEXT(POST("/body", "Content-Length: 100000000\r\n")));
	for (n = 0; n >= 0 && !w->over;) {
		n = send(w->fd, w->fill, 60000, MSG_NOSIGNAL | MSG_DONTWAIT);
		turn(w);
		turn(w);
	}
	assert_int_equal(w->over, 1);
}

static void draining_finishes_what_is_owed(void **state)
{
	struct world *w = *state;

	http_drain(w->http);
	settle(w);
	assert_true(w->ended);
	assert_int_equal(w->over, 1);
	part(w);
	connect_world(w);
	say(w, TEXT("GET /later HTTP/1.1\r\n" HOST "\r\n"));
	http_drain(w->http);
	settle(w);
	assert_false(w->ended);
	http_answer(w->later, 200, "text/plain", TEXT("x"), NULL);
	settle(w);
	assert_true(w->ended);
	assert_non_null(strstr(heard(w), "\r\nConnection: close\r\n"));
}

static void fields_are_found_whatever_their_case(void **state)
{
	struct world *w = *state;

	say(w, TEXT("GET /later HTTP/1.1\r\nhOST:  a \t\r\nEmpty:\r\nLast: \xe4\r\n\r\n"));
	assert_true(text_is(http_field(w->later, "Host"), "a"));
	assert_true(http_has_field(w->later, "empty"));
	assert_int_equal(http_field(w->later, "empty").len, 0);
	assert_true(text_is(http_field(w->later, "LAST"), "\xe4"));
	assert_false(http_has_field(w->later, "Las"));
	assert_int_equal(http_field(w->later, "none").len, 0);
	assert_ptr_equal(http_conn(w->later)->self, w->later);
}

static void an_upgrade_is_one_only_to_websocket(void **state)
{
	static const struct {
		const char *head;
		bool wants;
	} table[] = {
		{"GET /later HTTP/1.1\r\n" HOST "Connection: keep-alive, Upgrade\r\n"
	         "Upgrade: WebSocket\r\n\r\n",
	         true},
		{"GET /later HTTP/1.1\r\n" HOST
	         "Connection: upgrade\r\nUpgrade: h2c, websocket\r\n\r\n",
	         true},
		{"GET /later HTTP/1.1\r\n" HOST "Connection: upgrade\r\nUpgrade: h2c\r\n\r\n",
	         false},
		{"GET /later HTTP/1.1\r\n" HOST "Upgrade: websocket\r\n\r\n", false},
		{"GET /later HTTP/1.0\r\n" HOST "Connection: upgrade\r\nUpgrade: websocket\r\n\r\n",
	         false},
		{"POST /later HTTP/1.1\r\n" HOST
	         "Connection: upgrade\r\nUpgrade: websocket\r\n\r\n",
	         false},
	};
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		say(w, text_of(table[i].head));
		assert_non_null(w->later);
		assert_int_equal(http_request(w->later)->wants_upgrade, table[i].wants);
		part(w);
		connect_world(w);
	}
}

static void an_idle_connection_holds_little(void **state)
{
	assert_true(sizeof(struct conn) <= 256);
}

static void queries_are_decoded(void **state)
{
	static const struct {
		const char *query, *name, *value; /* NULL: none */
	} table[] = {
		{"a=b", "a", "b"},
		{"a=b&c=d", "c", "d"},
		{"a=b&a=c", "a", "b"},
		{"a=", "a", ""},
		{"a", "a", ""},
		{"ab=c", "a", NULL},
		{"", "a", NULL},
		{"&&a=b", "a", "b"},
		{"a=x%20y+z", "a", "x y z"},
		{"a=%c3%A4", "a", "\xc3\xa4"},
		{"a=%", "a", NULL},
		{"a=%4", "a", NULL},
		{"a=%4g", "a", NULL},
		{"a=%00", "a", NULL},
		{"a=b=c", "a", "b=c"},
		{"a=0123456789", "a", NULL}, /* longer than there is room */
	};
	struct buf out;

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		buf_init(&out, 8);
		assert_int_equal(http_query(text_of(table[i].query), table[i].name, &out),
		                 table[i].value != NULL);
		if (table[i].value)
			assert_true(text_is(buf_text(&out), table[i].value));
		buf_finish(&out);
	}
}

#define world_test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		world_test(a_request_is_answered_and_the_connection_stays),
		world_test(the_same_answer_comes_however_the_bytes_are_cut),
		world_test(errors_are_small_json),
		world_test(bodies_and_streams_are_what_was_sent),
		world_test(limits_hold_exactly),
		world_test(the_limit_of_bodies_holds_exactly),
		world_test(extensions_and_trailers_have_a_ceiling),
		world_test(a_hundred_requests_in_one_go_are_answered_in_order),
		world_test(requests_behind_an_answer_that_is_owed_wait),
		world_test(input_behind_an_answer_that_is_owed_is_bounded),
		world_test(a_handler_hears_that_the_peer_left),
		world_test(a_connection_is_handed_on_with_the_bytes_behind_the_request),
		world_test(a_hushed_body_waits),
		world_test(an_answer_bigger_than_the_socket_arrives_whole),
		world_test(a_stream_waits_for_room),
		world_test(a_reader_that_stops_reading_is_closed),
		world_test(the_slow_are_told_so),
		world_test(the_idle_are_closed_without_a_word),
		world_test(a_client_that_still_sends_can_read_its_refusal),
		world_test(draining_finishes_what_is_owed),
		world_test(fields_are_found_whatever_their_case),
		world_test(an_upgrade_is_one_only_to_websocket),
		cmocka_unit_test(an_idle_connection_holds_little),
		cmocka_unit_test(queries_are_decoded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

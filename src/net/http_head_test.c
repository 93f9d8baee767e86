/* http_head_test.c - what is a request and what is not, whole and byte by byte,
 * and every limit at its last byte and at the first beyond. */
#include "net/http.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/must.h"
#include "net/inside.h"
#include "net/test_client.h"

#define HEAD_MAX 512
#define LINE_MAX_BYTES 128
#define FIELDS_MAX 6
#define BODY_MAX 1000

struct world {
	struct test_client client;
	struct loop *loop;
	struct http *http;
	struct http_site site;
	struct buf body;
	unsigned gone, wholes;
	bool wanted_upgrade;
};

static const struct http_limits limits = {HEAD_MAX, LINE_MAX_BYTES, FIELDS_MAX, 5000, 5000, 5000};

static void on_piece(void *self, struct http *http, struct text bytes)
{
	struct world *w = self;

	buf_add(&w->body, bytes);
	if (text_is(http_request(http)->path, "/early"))
		http_answer(http, 400, "text/plain", TEXT("enough"), NULL);
}

static void on_whole(void *self, struct http *http)
{
	struct world *w = self;

	w->wholes++;
	http_answer(http, 200, "text/plain", buf_text(&w->body), NULL);
}

static void on_gone(void *self, struct http *http)
{
	struct world *w = self;

	(void)http;
	w->gone++;
}

static const struct http_handler handler = {on_piece, on_whole, NULL, on_gone};

static void check_fields(struct http *http)
{
	assert_true(text_is(http_field(http, "Host"), "a"));
	assert_true(http_has_field(http, "empty"));
	assert_int_equal(http_field(http, "empty").len, 0);
	assert_true(text_is(http_field(http, "LAST"), "\xe4"));
	assert_false(http_has_field(http, "Las"));
	assert_true(http_has_fields(http, "las"));
	assert_false(http_has_fields(http, "lasts"));
	assert_int_equal(http_field(http, "none").len, 0);
}

static void stream(struct http *http)
{
	http_answer_begin(http, 200, "text/plain", "X-A: b\r\n");
	assert_true(http_more(http, TEXT("")));
	assert_true(http_more(http, TEXT("hello ")));
	assert_true(http_more(http, TEXT("world")));
	http_answer_end(http);
}

static void begin(void *self, struct http *http)
{
	struct world *w = self;
	const struct http_request *r = http_request(http);

	w->wanted_upgrade = r->wants_upgrade;
	buf_clear(&w->body);
	if (text_is(r->path, "/fields"))
		check_fields(http);
	if (text_is(r->path, "/body") || text_is(r->path, "/early"))
		http_accept(http, BODY_MAX, &handler, w);
	else if (text_is(r->path, "/stream"))
		stream(http);
	else if (text_is(r->path, "/empty"))
		http_answer(http, 204, NULL, TEXT("ignored"), NULL);
	else
		http_answer(http, 200, "text/plain", r->query.at ? r->query : r->path, NULL);
}

static void over(void *self, struct http *http)
{
	struct world *w = self;

	(void)http;
	w->http = NULL;
}

static void join(struct world *w)
{
	int fd = client_init(&w->client, w->loop);

	w->http = http_serve(conn_create(w->loop, fd, NULL, NULL), &w->site);
	w->gone = w->wholes = 0;
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
	w->site = (struct http_site){w, &limits, "X-Common: yes\r\n", begin, over};
	buf_init(&w->body, MIB);
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
	free(w);
	return 0;
}

static unsigned status(const struct world *w)
{
	uint64_t n = 0;

	if (w->client.heard.len >= 12)
		text_to_u64((struct text){w->client.heard.at + 9, 3}, &n);
	return (unsigned)n;
}

#define HOST "Host: a\r\n"
#define OK_HEAD(len) "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " len "\r\n"

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
	{"LF after the request line", 400, true, B("GET / HTTP/1.1\n" HOST "\r\n")},
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

	client_say_by(&w->client, e->bytes, slowly ? 1 : e->bytes.len);
	closed = w->client.ended;
	*answer = must_dup(client_heard(&w->client));
	if (status(w) != e->status || closed != e->closes)
		fail_msg("%s%s: %s%s", e->words, slowly ? ", slowly" : "", *answer,
		         closed ? "(closed)" : "(open)");
	if (e->closes && !strstr(*answer, "\r\nConnection: close\r\n"))
		fail_msg("%s: does not say that it closes", e->words);
	if (!e->closes) {
		buf_clear(&w->client.heard);
		client_say(&w->client, TEXT("GET /again HTTP/1.1\r\n" HOST "\r\n"));
		assert_non_null(strstr(client_heard(&w->client), "\r\n\r\n/again"));
	}
	assert_non_null(strstr(*answer, "\r\nX-Common: yes\r\n"));
	part(w);
	join(w);
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

	client_say(&w->client, TEXT("GET / HTTP/1.1\r\n\r\n"));
	assert_string_equal(client_heard(&w->client),
	                    "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\n"
	                    "Content-Length: 52\r\nConnection: close\r\n"
	                    "X-Common: yes\r\n\r\n"
	                    "{\"ok\":false,\"code\":\"invalid\",\"error\":\"Bad Request\"}\n");
}

/* A head of exactly n bytes. */
static struct text head_of(struct buf *out, size_t n)
{
	buf_clear(out);
	buf_add(out, TEXT("GET / HTTP/1.1\r\n" HOST "X: "));
	while (out->len < n - 4)
		buf_add_char(out, 'x');
	buf_add(out, TEXT("\r\n\r\n"));
	return buf_text(out);
}

static struct text line_of(struct buf *out, const char *method, unsigned n)
{
	int rest = (int)n - (int)strlen(method) - (int)strlen(" / HTTP/1.1");

	buf_clear(out);
	buf_print(out, "%s /%0*d HTTP/1.1\r\n" HOST "\r\n", method, rest, 0);
	return buf_text(out);
}

static struct text fields_of(struct buf *out, unsigned n)
{
	buf_clear(out);
	buf_add(out, TEXT("GET / HTTP/1.1\r\n" HOST));
	while (--n)
		buf_add(out, TEXT("A: b\r\n"));
	buf_add(out, TEXT("\r\n"));
	return buf_text(out);
}

static struct text length_of(struct buf *out, unsigned n)
{
	buf_clear(out);
	buf_print(out, POST("/body", "Content-Length: %u\r\n") "%0*d", n, (int)n, 0);
	return buf_text(out);
}

/* n bytes in chunks of at most 400. */
static struct text chunks_of(struct buf *out, unsigned n)
{
	buf_clear(out);
	buf_add(out, TEXT(CHUNKED));
	while (n) {
		unsigned piece = n > 400 ? 400 : n;

		buf_print(out, "%x\r\n%0*d\r\n", piece, (int)piece, 0);
		n -= piece;
	}
	buf_add(out, TEXT("0\r\n\r\n"));
	return buf_text(out);
}

/* An extension or a trailer of n bytes. */
static struct text extra_of(struct buf *out, const char *start, unsigned n)
{
	buf_clear(out);
	buf_print(out, CHUNKED "%s%0*d", start, (int)n, 0);
	return buf_text(out);
}

static void expect(struct world *w, struct text bytes, unsigned wanted)
{
	for (int slowly = 0; slowly < 2; slowly++) {
		client_say_by(&w->client, bytes, slowly ? 1 : bytes.len);
		assert_int_equal(status(w), wanted);
		part(w);
		join(w);
	}
}

static void limits_hold_exactly(void **state)
{
	struct world *w = *state;
	struct buf out;

	buf_init(&out, 16 * KIB);
	expect(w, head_of(&out, HEAD_MAX), 200);
	expect(w, head_of(&out, HEAD_MAX + 1), 431);
	expect(w, head_of(&out, 4000), 431);
	expect(w, line_of(&out, "GET", LINE_MAX_BYTES), 200);
	expect(w, line_of(&out, "GET", LINE_MAX_BYTES + 1), 414);
	expect(w, line_of(&out, "DELETE", LINE_MAX_BYTES), 200);
	expect(w, line_of(&out, "DELETE", LINE_MAX_BYTES + 1), 414);
	expect(w, line_of(&out, "GET", 3000), 414);
	expect(w, fields_of(&out, FIELDS_MAX), 200);
	expect(w, fields_of(&out, FIELDS_MAX + 1), 431);
	expect(w, length_of(&out, BODY_MAX), 200);
	expect(w, length_of(&out, BODY_MAX + 1), 413);
	expect(w, chunks_of(&out, BODY_MAX), 200);
	expect(w, chunks_of(&out, BODY_MAX + 1), 413);
	expect(w, extra_of(&out, "5;", HEAD_MAX), 0);
	expect(w, extra_of(&out, "5;", HEAD_MAX + 1), 431);
	expect(w, extra_of(&out, "0\r\nX: ", HEAD_MAX - 1), 0);
	expect(w, extra_of(&out, "0\r\nX: ", HEAD_MAX), 431);
	buf_finish(&out);
}

static void a_handler_hears_that_its_body_is_cut_off(void **state)
{
	struct world *w = *state;
	struct buf out;

	buf_init(&out, 16 * KIB);
	client_say(&w->client, chunks_of(&out, BODY_MAX + 1));
	assert_int_equal(w->gone, 1);
	assert_int_equal(w->wholes, 0);
	buf_finish(&out);
}

static void an_upgrade_is_one_only_to_websocket(void **state)
{
	static const struct {
		const char *head;
		bool wants;
	} table[] = {
		{"GET /x HTTP/1.1\r\n" HOST "Connection: keep-alive, Upgrade\r\n"
	         "Upgrade: WebSocket\r\n\r\n",
	         true},
		{"GET /x HTTP/1.1\r\n" HOST
	         "Connection: upgrade\r\nUpgrade: h2c, websocket\r\n\r\n",
	         true},
		{"GET /x HTTP/1.1\r\n" HOST "Connection: upgrade\r\nUpgrade: h2c\r\n\r\n", false},
		{"GET /x HTTP/1.1\r\n" HOST "Upgrade: websocket\r\n\r\n", false},
		{"GET /x HTTP/1.0\r\n" HOST "Connection: upgrade\r\nUpgrade: websocket\r\n\r\n",
	         false},
		{"POST /x HTTP/1.1\r\n" HOST "Connection: upgrade\r\nUpgrade: websocket\r\n\r\n",
	         false},
	};
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		client_say(&w->client, text_of(table[i].head));
		assert_int_equal(w->wanted_upgrade, table[i].wants);
		part(w);
		join(w);
	}
}

static void fields_are_found_whatever_their_case(void **state)
{
	struct world *w = *state;

	client_say(&w->client, TEXT("GET /fields HTTP/1.1\r\nhOST:  a \t\r\nEmpty:\r\n"
	                            "Last: \xe4\r\n\r\n"));
	assert_int_equal(status(w), 200);
}

static void bodies_and_streams_are_what_was_sent(void **state)
{
	struct world *w = *state;

	client_say(&w->client, TEXT(CHUNKED "5;a=b\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"));
	assert_string_equal(client_heard(&w->client),
	                    OK_HEAD("11") "X-Common: yes\r\n\r\nhello world");
	buf_clear(&w->client.heard);
	client_say(&w->client, TEXT("GET /stream HTTP/1.1\r\n" HOST "\r\n"));
	assert_string_equal(client_heard(&w->client),
	                    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
	                    "Transfer-Encoding: chunked\r\nX-A: b\r\nX-Common: yes\r\n\r\n"
	                    "6\r\nhello \r\n5\r\nworld\r\n0\r\n\r\n");
	buf_clear(&w->client.heard);
	client_say(&w->client, TEXT("HEAD /stream HTTP/1.1\r\n" HOST "\r\n"));
	assert_string_equal(client_heard(&w->client),
	                    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
	                    "Transfer-Encoding: chunked\r\nX-A: b\r\nX-Common: yes\r\n\r\n");
	buf_clear(&w->client.heard);
	client_say(&w->client, TEXT("GET /empty HTTP/1.1\r\n" HOST "\r\n"));
	assert_string_equal(client_heard(&w->client),
	                    "HTTP/1.1 204 No Content\r\nX-Common: yes\r\n\r\n");
	buf_clear(&w->client.heard);
	client_say(&w->client, TEXT("GET /stream HTTP/1.0\r\n\r\n"));
	assert_string_equal(client_heard(&w->client),
	                    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
	                    "Connection: close\r\nX-A: b\r\nX-Common: yes\r\n\r\n"
	                    "hello world");
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
	assert_true(http_query_has(TEXT("b&a=%zz"), "a"));
	assert_false(http_query_has(TEXT("ab=c&b=a"), "a"));
}

/* One allocation for a head that comes in one piece; but nobody is given room for bytes that
 * did not come. */
static void a_head_has_room_for_what_came(void **state)
{
	static const char most_of_a_head[] =
		"GET / HTTP/1.1\r\n" HOST
		"A: 01234567890123456789012345678901234567890123456789\r\n"
		"B: 01234567890123456789012345678901234567890123456789\r\n";
	struct text head = {most_of_a_head, sizeof(most_of_a_head) - 1};
	struct world *w = *state;

	client_say(&w->client, head);
	assert_true(w->http->head.len < 128 && head.len > 128);
	assert_true(w->http->head.room >= head.len && w->http->head.room <= 2 * head.len);
	part(w);
	join(w);
	client_say(&w->client, TEXT("G"));
	assert_true(w->http->head.room <= 64);
}

#define world_test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		world_test(the_same_answer_comes_however_the_bytes_are_cut),
		world_test(errors_are_small_json),
		world_test(limits_hold_exactly),
		world_test(a_handler_hears_that_its_body_is_cut_off),
		world_test(an_upgrade_is_one_only_to_websocket),
		world_test(fields_are_found_whatever_their_case),
		world_test(bodies_and_streams_are_what_was_sent),
		world_test(a_head_has_room_for_what_came),
		cmocka_unit_test(queries_are_decoded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

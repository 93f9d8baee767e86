/* http.c - a hostile client's requests: the same answers come however they are
 * cut, each accepted request ends exactly once, and nothing outlives its
 * connection.  The first byte says how to cut. */
#include "net/http.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/must.h"

#define BODY_MAX 300

struct world {
	struct loop *loop;
	struct http *http;  /* NULL once it is over */
	struct http *owing; /* answered in a later turn */
	struct buf body, out;
	unsigned begun, accepted, ended;
	int fd;
};

static const struct http_limits limits = {600, 100, 8, 10000, 10000, 10000};

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void on_piece(void *self, struct http *http, struct text bytes)
{
	struct world *w = self;

	must(bytes.len > 0 && http == w->http);
	must(buf_add(&w->body, bytes) && w->body.len <= BODY_MAX);
}

static void on_whole(void *self, struct http *http)
{
	struct world *w = self;

	w->ended++;
	if (http_request(http)->path.len % 2)
		http_answer(http, 200, "text/plain", buf_text(&w->body), NULL);
	else
		w->owing = http;
}

static void on_gone(void *self, struct http *http)
{
	struct world *w = self;

	w->ended += http != w->owing;
	w->owing = NULL;
}

static const struct http_handler handler = {on_piece, on_whole, NULL, on_gone};

static void heard(struct conn *conn, char *bytes, size_t n)
{
	conn_send(conn, bytes, n);
}

static void writable(struct conn *conn)
{
	(void)conn;
}

static void gone(struct conn *conn, const char *why)
{
	(void)conn, (void)why;
}

static const struct conn_user guest = {heard, writable, gone, NULL};

static void begin(void *self, struct http *http)
{
	struct world *w = self;
	const struct http_request *r = http_request(http);

	w->begun++;
	must(r->path.len > 0 && r->path.at[0] == '/');
	must(http_field(http, "Host").len < limits.head_max);
	buf_clear(&w->body);
	if (r->wants_upgrade) {
		http_hand(http, TEXT("over"), &guest, w);
	} else if (text_starts(r->path, TEXT("/s"))) {
		http_answer_begin(http, 200, "text/plain", NULL);
		http_more(http, r->path);
		http_answer_end(http);
	} else if (text_starts(r->path, TEXT("/n"))) {
		http_query(r->query, "q", &w->body);
		http_answer(http, 200, "text/plain", buf_text(&w->body), NULL);
	} else {
		w->accepted++;
		http_accept(http, BODY_MAX, &handler, w);
	}
}

static void over(void *self, struct http *http)
{
	struct world *w = self;

	must(http == w->http);
	w->http = NULL;
}

static void turn(struct world *w)
{
	char bytes[65536];
	ssize_t n;

	if (w->owing) {
		struct http *http = w->owing;

		w->owing = NULL;
		http_answer(http, 200, "text/plain", buf_text(&w->body), NULL);
	}
	uv_run(loop_uv(w->loop), UV_RUN_NOWAIT);
	while ((n = recv(w->fd, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0)
		buf_add(&w->out, (struct text){bytes, (size_t)n});
}

/* As conn.c would, without the system call. */
static void feed(struct world *w, struct conn *conn, const uint8_t *data, size_t n, size_t cut)
{
	while (n && !conn->closing && !conn->broken) {
		size_t size = cut < n ? cut : n;
		char *piece;

		if (conn->hushed) {
			turn(w);
			continue;
		}
		if (size > conn->input_max * KIB)
			size = conn->input_max * KIB;
		piece = must_alloc(size);
		memcpy(piece, data, size);
		conn->user->heard(conn, piece, size);
		free(piece);
		data += size;
		n -= size;
		cut = cut * 7 % 61 + 1;
	}
}

static void run(struct world *w, const uint8_t *data, size_t n, size_t cut)
{
	struct http_site site = {w, &limits, "X: y\r\n", begin, over};
	struct conn *conn;
	int pair[2];

	must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0);
	w->fd = pair[0];
	w->owing = NULL;
	w->begun = w->accepted = w->ended = 0;
	conn = conn_create(w->loop, pair[1], NULL, NULL);
	w->http = http_serve(conn, &site);
	feed(w, conn, data, n, cut);
	for (int i = 0; i < 3 || w->owing; i++)
		turn(w);
	close(w->fd);
	w->fd = -1;
	for (int i = 0; i < 3; i++)
		uv_run(loop_uv(w->loop), UV_RUN_NOWAIT);
	must(w->http == NULL);
	must(w->accepted == w->ended);
}

/* Without its Date lines, which may differ, and the words of a refusal: what is
 * wrong in two ways may be refused for either. */
static void add_comparable(struct buf *to, struct text t)
{
	while (t.at) {
		struct text line = text_cut(t, '\n', &t);

		if (text_starts(line, TEXT("HTTP/1.1 4"))) {
			buf_add(to, TEXT("refused"));
			return;
		}
		if (!text_starts(line, TEXT("Date: ")))
			buf_add(to, line);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct loop *loop;
	struct world w = {0};
	struct buf whole, cut;
	unsigned begun;

	if (n < 2)
		return 0;
	if (!loop)
		loop = loop_create();
	w.loop = loop;
	buf_init(&w.body, BODY_MAX);
	buf_init(&w.out, 64 * MIB);
	buf_init(&whole, 64 * MIB);
	buf_init(&cut, 64 * MIB);
	run(&w, data + 1, n - 1, n);
	begun = w.begun;
	add_comparable(&whole, buf_text(&w.out));
	buf_clear(&w.out);
	run(&w, data + 1, n - 1, data[0] % 61u + 1);
	add_comparable(&cut, buf_text(&w.out));
	must(begun == w.begun && text_equal(buf_text(&whole), buf_text(&cut)));
	buf_finish(&w.body);
	buf_finish(&w.out);
	buf_finish(&whole);
	buf_finish(&cut);
	return 0;
}

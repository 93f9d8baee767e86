/* http.c - the life of a connection that speaks HTTP.
 *
 * One function moves it on, pump(): it takes a step after the other until nothing
 * can be done without more input, more room or the site's answer.  begin(),
 * piece() and whole() are called from there and from nowhere else, so they never
 * come from inside a call of the site's.  What the site does outside of the pump
 * (an answer in a later turn) is looked at by it at the end of that turn. */
#include "net/http.h"

#include <assert.h>
#include <stdlib.h>

#include "base/must.h"
#include "net/inputs.h"
#include "net/inside.h"

/* Taken from the socket at once.  Input behind the current request is kept until
 * that is answered, so this bounds it too. */
#define INPUT_KIB 32

/* Requests of one connection that are begun in one turn, if there is time for so many. */
#define REQUESTS_A_TURN 32

/* After the last answer input is thrown away for this long and this much: closing
 * with input unread would reset the connection and take the answer away. */
#define LINGER_MS 1000
#define LINGER_MAX (1 * MIB)

static void free_http(struct grave *grave)
{
	struct http *http = list_of(grave, struct http, grave);

	buf_finish(&http->head);
	buf_finish(&http->kept);
	buf_finish(&http->out);
	free(http->fields);
	free(http);
}

/* From here on nobody may use it, but whoever is on the stack still does. */
static void http_retire(struct http *http)
{
	assert(http->state != HTTP_OVER);
	http->state = HTTP_OVER;
	loop_forget(&http->resume);
	input_end(http->conn);
	if (http->site->over)
		http->site->over(http->site->self, http);
	http->grave.free = free_http;
	loop_bury(http->conn->loop, &http->grave);
}

static void tell_gone(struct http *http)
{
	const struct http_handler *handler = http->handler;

	http->handler = NULL;
	if (handler && handler->gone)
		handler->gone(http->self, http);
}

void http_end(struct http *http)
{
	if (http->state == HTTP_OVER)
		return;
	tell_gone(http);
	http_retire(http);
	conn_close(http->conn);
}

static enum http_wait awaited(const struct http *http)
{
	if (!http_is_flushed(http))
		return WAIT_ROOM;
	switch (http->state) {
	case HTTP_IDLE:
		return http->was_used ? WAIT_NEXT : WAIT_FIRST;
	case HTTP_READING:
		return WAIT_HEAD;
	case HTTP_BODY:
		return http->hushed ? WAIT_NONE : WAIT_BODY;
	case HTTP_LINGER:
		return WAIT_LINGER;
	default:
		return WAIT_NONE;
	}
}

void http_arm(struct http *http)
{
	const struct http_limits *limits = http->site->limits;
	const unsigned ms[] = {
		[WAIT_NONE] = 0,
		[WAIT_FIRST] = limits->head_ms,
		[WAIT_NEXT] = limits->idle_ms,
		[WAIT_HEAD] = limits->head_ms,
		[WAIT_BODY] = limits->body_ms,
		[WAIT_ROOM] = limits->body_ms,
		[WAIT_LINGER] = LINGER_MS,
	};
	enum http_wait wait = awaited(http);

	if (wait != http->wait || http->moved)
		conn_deadline(http->conn, ms[wait]);
	http->wait = wait;
	http->moved = false;
}

/* The request is cut off: its handler hears that, its sender why. */
static void http_cut(struct http *http, unsigned status)
{
	tell_gone(http);
	http_reject(http, status);
}

static bool http_read_head(struct http *http)
{
	size_t before = http->in_len, max = http->site->limits->head_max;
	llhttp_errno_t code;
	unsigned status = 0;

	assert(http->state == HTTP_READING);
	if (http->head_used > max) { /* the limit is a smaller one since */
		http_reject(http, 431);
		return true;
	}
	code = http_parse(http, max + 1 - http->head_used);
	http->head_used += before - http->in_len;
	if (code != HPE_OK && code != HPE_PAUSED)
		status = http_verdict(http, code);
	else if (http->head_used > max)
		status = 431;
	else if (code == HPE_PAUSED)
		status = http_check(http);
	else
		return false;
	if (status) {
		http_reject(http, status);
		return true;
	}
	http->state = HTTP_ASKED;
	input_end(http->conn); /* the body is another */
	http->site->begin(http->site->self, http);
	return true;
}

static bool end_body(struct http *http)
{
	assert(http->state == HTTP_BODY);
	http->state = HTTP_OWING;
	if (http->handler->whole)
		http->handler->whole(http->self, http);
	return true;
}

static bool give_piece(struct http *http)
{
	struct text piece = http->piece;

	http->piece = (struct text){0};
	http->body_len += piece.len;
	http->moved = true;
	if (http->body_len > http->body_max)
		http_cut(http, 413);
	else if (http->handler->piece)
		http->handler->piece(http->self, http, piece);
	return true;
}

static bool http_read_body(struct http *http)
{
	llhttp_errno_t code;

	if (!http->request.has_body)
		return end_body(http);
	if (http->length > http->body_max) {
		http_cut(http, 413);
		return true;
	}
	if (http->continues)
		http_continue(http);
	code = http_parse(http, SIZE_MAX);
	if (code == HPE_OK)
		return false;
	if (code != HPE_PAUSED) {
		http_cut(http, http_verdict(http, code));
		return true;
	}
	return http->body_done ? end_body(http) : give_piece(http);
}

/* The answer is out: on to the next request, or to the end. */
static bool move_on(struct http *http)
{
	assert(http->state == HTTP_LEAVING);
	free(http->fields);
	http->fields = NULL;
	http->fields_len = http->fields_room = 0;
	buf_finish(&http->head);
	buf_finish(&http->out);
	http->was_used = http->moved = true;
	if (http->request.keep_alive && !http->draining) {
		http->state = HTTP_IDLE;
		return true;
	}
	conn_half_close(http->conn);
	http->state = HTTP_LINGER;
	return true;
}

static bool throw_away(struct http *http)
{
	http->lingered += http->in_len;
	http->in_len = 0;
	if (http->lingered > LINGER_MAX)
		http_end(http);
	return false;
}

/* One that sends nothing but requests must not keep the others waiting. */
static bool http_may_begin(const struct http *http)
{
	return http->share == REQUESTS_A_TURN ||
	       (http->share && !loop_slice_is_over(http->conn->loop));
}

/* One step; false when there is none to take now. */
static bool http_step(struct http *http)
{
	switch (http->state) {
	case HTTP_IDLE:
		if (http->in_len == 0 || !http_may_begin(http))
			return false;
		assert(http->share > 0);
		http->share--;
		http_parser_begin(http);
		http->state = HTTP_READING;
		return true;
	case HTTP_READING:
		return http_read_head(http);
	case HTTP_BODY:
		return !http->hushed && http_read_body(http);
	case HTTP_LEAVING:
		return http_is_flushed(http) && move_on(http);
	case HTTP_LINGER:
		return throw_away(http);
	default:
		return false;
	}
}

/* What is held of a request that is not whole.  A head's time is its own deadline's. */
static void http_note_input(struct http *http)
{
	if (http->state == HTTP_READING)
		input_hold(http->conn, http->head.room + http->fields_room * sizeof(*http->fields),
		           0);
	else if (http->state == HTTP_BODY)
		input_hold(http->conn, http->body_len - http->body_used,
		           http->site->limits->whole_ms);
	else
		input_end(http->conn);
}

/* True when this is still HTTP.  Input that was not looked at stays, and nothing
 * more is read until it was. */
static bool http_pump(struct http *http, char *bytes, size_t n)
{
	http->in = bytes;
	http->in_len = n;
	http->share = REQUESTS_A_TURN;
	http->pumping = true;
	while (http_step(http))
		continue;
	http->pumping = false;
	if (http->state == HTTP_OVER)
		return false;
	if (http->state == HTTP_IDLE && http->in_len && !conn_again(http->conn))
		loop_later(http->conn->loop, &http->resume);
	conn_hush(http->conn, http->in_len > 0 || (http->hushed && http->state == HTTP_BODY));
	http_note_input(http);
	http_arm(http);
	return http->state != HTTP_OVER;
}

static void http_on_heard(struct conn *conn, char *bytes, size_t n)
{
	struct http *http = conn->self;

	if (http_pump(http, bytes, n) && http->in_len)
		buf_add(&http->kept, (struct text){http->in, http->in_len});
}

/* Goes on with the input that was kept. */
static void http_go_on(struct http *http)
{
	char none = 0; /* the parser cannot do with a null pointer */

	if (!http_pump(http, http->kept.at ? http->kept.at : &none, http->kept.len))
		return;
	if (http->in_len)
		buf_drop(&http->kept, http->kept.len - http->in_len);
	else
		buf_finish(&http->kept);
}

static void on_resume(struct later *later)
{
	struct http *http = list_of(later, struct http, resume);

	loop_slice(http->conn->loop, conn_slice(http->conn));
	http_go_on(http);
}

static void http_on_again(struct conn *conn)
{
	loop_slice(conn->loop, conn_slice(conn));
	http_go_on(conn->self);
}

static void http_on_writable(struct conn *conn)
{
	struct http *http = conn->self;

	http_flush(http);
	if (http->full && http_has_room(http)) {
		http->full = false;
		if (http->handler && http->handler->writable)
			http->handler->writable(http->self, http);
	}
	http_go_on(http);
}

static void http_on_gone(struct conn *conn, const char *why)
{
	struct http *http = conn->self;

	(void)why;
	tell_gone(http);
	http_retire(http);
}

static void http_on_late(struct conn *conn)
{
	struct http *http = conn->self;

	if (http->wait == WAIT_HEAD || http->wait == WAIT_BODY)
		http_cut(http, 408);
	else
		http_end(http);
	http_go_on(http);
}

static void on_cut(struct conn *conn, enum conn_fault why)
{
	struct http *http = conn->self;

	http_cut(http, why == CONN_LATE ? 408 : 503);
}

static const struct conn_user user = {
	.heard = http_on_heard,
	.writable = http_on_writable,
	.gone = http_on_gone,
	.late = http_on_late,
	.cut = on_cut,
	.again = http_on_again,
};

struct http *http_serve(struct conn *conn, const struct http_site *site)
{
	struct http *http = must_zero(1, sizeof(*http));

	http->conn = conn;
	http->site = site;
	http->resume.run = on_resume;
	buf_init(&http->head, site->limits->head_max);
	buf_init(&http->kept, INPUT_KIB * KIB);
	conn->input_max = INPUT_KIB;
	conn_hand(conn, &user, http);
	http_arm(http);
	return http;
}

/* Something changed outside of the pump: it looks at it when nobody is in the
 * middle of anything. */
static void pump_later(struct http *http)
{
	if (!http->pumping && http->state != HTTP_OVER)
		loop_later(http->conn->loop, &http->resume);
}

const struct http_request *http_request(const struct http *http)
{
	return &http->request;
}

struct conn *http_conn(const struct http *http)
{
	return http->conn;
}

void http_accept(struct http *http, size_t max, const struct http_handler *handler, void *self)
{
	if (http->state != HTTP_ASKED)
		return;
	http->handler = handler;
	http->self = self;
	http->body_max = max;
	http->state = HTTP_BODY;
	pump_later(http);
}

void http_await(struct http *http, const struct http_handler *handler, void *self)
{
	if (http->state != HTTP_OWING)
		return;
	http->handler = handler;
	http->self = self;
}

void http_hush(struct http *http, bool hush)
{
	if (http->state != HTTP_BODY || http->hushed == hush)
		return;
	http->hushed = hush;
	if (hush)
		conn_hush(http->conn, true);
	pump_later(http);
}

void http_used(struct http *http, size_t kept, bool was_whole)
{
	http->body_used = http->body_len - kept;
	if (was_whole)
		input_end(http->conn);
}

void http_answered(struct http *http)
{
	if (http->state == HTTP_OVER)
		return;
	http->handler = NULL;
	http->state = HTTP_LEAVING;
	pump_later(http);
}

void http_hand(struct http *http, struct text head, const struct conn_user *next, void *self)
{
	struct conn *conn = http->conn;
	char *rest = http->pumping ? http->in : http->kept.at;
	size_t n = http->pumping ? http->in_len : http->kept.len;

	if (http->state == HTTP_OVER)
		return;
	/* The answers before it are out, so there is room unless the peer does
	 * not read at all. */
	if (head.len && conn_send(conn, head.at, head.len) < head.len)
		conn_fail(conn);
	http_retire(http);
	conn->input_max = LOOP_INPUT / KIB;
	conn_deadline(conn, 0);
	conn_hand(conn, next, self);
	conn_hush(conn, false);
	if (n)
		next->heard(conn, rest, n);
}

void http_drain(struct http *http)
{
	http->draining = true;
	if (http->state == HTTP_IDLE)
		http_end(http);
}

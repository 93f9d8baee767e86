/* http_answer.c - the answers of HTTP: heads, bodies, chunks, and what to say to
 * a request that is none. */
#include <stdio.h>
#include <time.h>

#include "base/log.h"
#include "net/inside.h"

/* Above the first a producer of an answer is asked to wait, until the socket has
 * taken all but the second; the third is where an answer ends that did not. */
#define OUT_HIGH (256 * KIB)
#define OUT_LOW (128 * KIB)
#define OUT_MAX (64 * MIB)

/* A body up to this size leaves in one send with its head. */
#define TOGETHER_MAX (16 * KIB)

static const struct {
	unsigned status;
	const char *words;
} reasons[] = {
	{100, "Continue"},
	{101, "Switching Protocols"},
	{200, "OK"},
	{201, "Created"},
	{202, "Accepted"},
	{204, "No Content"},
	{304, "Not Modified"},
	{400, "Bad Request"},
	{401, "Unauthorized"},
	{403, "Forbidden"},
	{404, "Not Found"},
	{405, "Method Not Allowed"},
	{408, "Request Timeout"},
	{409, "Conflict"},
	{410, "Gone"},
	{412, "Precondition Failed"},
	{413, "Content Too Large"},
	{414, "URI Too Long"},
	{415, "Unsupported Media Type"},
	{417, "Expectation Failed"},
	{421, "Misdirected Request"},
	{422, "Unprocessable Content"},
	{426, "Upgrade Required"},
	{429, "Too Many Requests"},
	{431, "Request Header Fields Too Large"},
	{500, "Internal Server Error"},
	{501, "Not Implemented"},
	{503, "Service Unavailable"},
	{505, "HTTP Version Not Supported"},
	{507, "Insufficient Storage"},
};

static const char *reason_of(unsigned status)
{
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (reasons[i].status == status)
			return reasons[i].words;
	return "Unknown";
}

/* As RFC 9110 wants it, whatever the locale. */
static bool add_date(struct buf *out)
{
	static const char days[] = "SunMonTueWedThuFriSat";
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	time_t now = time(NULL);
	struct tm t;

	gmtime_r(&now, &t);
	return buf_print(out, "Date: %.3s, %02d %.3s %d %02d:%02d:%02d GMT\r\n",
	                 days + 3 * t.tm_wday, t.tm_mday, months + 3 * t.tm_mon, t.tm_year + 1900,
	                 t.tm_hour, t.tm_min, t.tm_sec);
}

bool http_head(const struct http *http, struct buf *out, unsigned status, const char *extra)
{
	buf_print(out, "HTTP/1.1 %u %s\r\n", status, reason_of(status));
	if (status >= 200)
		add_date(out);
	buf_add(out, text_of(extra));
	buf_add(out, text_of(http->site->common));
	buf_add(out, TEXT("\r\n"));
	return !out->full;
}

static size_t unsent(const struct http *http)
{
	return http->out.len - http->out_at;
}

bool http_flush(struct http *http)
{
	size_t n = unsent(http), sent;

	if (n == 0)
		return true;
	sent = conn_send(http->conn, http->out.at + http->out_at, n);
	http->out_at += sent;
	if (sent)
		http->moved = true;
	if (sent < n)
		return false;
	http->out_at = 0;
	if (http->out.room > OUT_LOW)
		buf_finish(&http->out);
	buf_clear(&http->out);
	return true;
}

/* Appends what will be sent with the next flush. */
static void put(struct http *http, struct text t)
{
	if (http->out_at && http->out_at >= http->out.len / 2) {
		buf_drop(&http->out, http->out_at);
		http->out_at = 0;
	}
	http->out.max = OUT_MAX;
	if (buf_add(&http->out, t))
		return;
	log_warn("net", "an answer grew beyond %zu bytes unsent and was cut off", OUT_MAX);
	conn_fail(http->conn);
}

/* Is an answer still to come for the request that is there? */
static bool is_owed(const struct http *http)
{
	return http->state >= HTTP_READING && http->state <= HTTP_OWING && !http->streaming;
}

static bool has_no_body(unsigned status)
{
	return status < 200 || status == 204 || status == 304;
}

/* A body that nobody will read to its end cannot be followed by a request. */
static void put_head(struct http *http, unsigned status, const char *type, const char *framing,
                     const char *extra)
{
	struct http_request *r = &http->request;
	struct buf lines, head;

	if (http->draining || (r->has_body && http->state != HTTP_OWING))
		r->keep_alive = false;
	buf_init(&lines, 16 * KIB);
	buf_init(&head, 32 * KIB);
	if (type && !has_no_body(status))
		buf_print(&lines, "Content-Type: %s\r\n", type);
	buf_add(&lines, text_of(framing));
	if (!r->keep_alive)
		buf_add(&lines, TEXT("Connection: close\r\n"));
	buf_add(&lines, text_of(extra));
	buf_add_char(&lines, '\0');
	if (lines.full || !http_head(http, &head, status, lines.at))
		conn_fail(http->conn);
	put(http, buf_text(&head));
	buf_finish(&lines);
	buf_finish(&head);
}

void http_answer(struct http *http, unsigned status, const char *type, struct text body,
                 const char *extra)
{
	char framing[48] = "";
	size_t sent = 0;

	if (!is_owed(http))
		return;
	if (!has_no_body(status))
		snprintf(framing, sizeof(framing), "Content-Length: %zu\r\n", body.len);
	put_head(http, status, type, framing, extra);
	if (http->request.is_head || has_no_body(status))
		body.len = 0;
	/* A long body is not copied before the socket had its chance. */
	if (body.len > TOGETHER_MAX && http_flush(http))
		sent = conn_send(http->conn, body.at, body.len);
	if (sent < body.len)
		put(http, (struct text){body.at + sent, body.len - sent});
	if (sent == 0)
		http_flush(http);
	http_answered(http);
}

void http_answer_begin(struct http *http, unsigned status, const char *type, const char *extra)
{
	if (!is_owed(http))
		return;
	/* Before 1.1 an answer of unknown length ends with the connection. */
	http->chunked = http->parser.http_minor == 1 && !has_no_body(status);
	put_head(http, status, type, http->chunked ? "Transfer-Encoding: chunked\r\n" : NULL,
	         extra);
	http->streaming = true;
	http_flush(http);
	http_arm(http);
}

bool http_more(struct http *http, struct text piece)
{
	char size[24];

	if (!http->streaming || http->state == HTTP_OVER)
		return true;
	if (piece.len && !http->request.is_head) {
		if (http->chunked) {
			snprintf(size, sizeof(size), "%zx\r\n", piece.len);
			put(http, text_of(size));
		}
		put(http, piece);
		if (http->chunked)
			put(http, TEXT("\r\n"));
		if (!http->conn->wants_write)
			http_flush(http);
		http_arm(http);
	}
	/* To a connection that failed there is nothing more to say. */
	http->full = unsent(http) > OUT_HIGH || http->conn->broken;
	return !http->full;
}

void http_answer_end(struct http *http)
{
	if (!http->streaming || http->state > HTTP_OWING)
		return;
	if (http->chunked && !http->request.is_head)
		put(http, TEXT("0\r\n\r\n"));
	if (!http->conn->wants_write)
		http_flush(http);
	http_answered(http);
}

void http_continue(struct http *http)
{
	http->continues = false;
	put(http, TEXT("HTTP/1.1 100 Continue\r\n\r\n"));
	http_flush(http);
}

void http_reassure(struct http *http)
{
	bool owes = http->state == HTTP_BODY || http->state == HTTP_OWING;

	if (owes && !http->streaming && http->parser.http_minor == 1 && unsent(http) == 0)
		http_continue(http);
}

bool http_has_room(const struct http *http)
{
	return unsent(http) <= OUT_LOW;
}

bool http_is_flushed(const struct http *http)
{
	return unsent(http) == 0;
}

void http_refuse(struct http *http, unsigned status)
{
	char body[96];

	if (http->streaming) {
		http_end(http);
		return;
	}
	http->request.keep_alive = false;
	snprintf(body, sizeof(body), "{\"ok\":false,\"error\":\"%s\"}\n", reason_of(status));
	http_answer(http, status, "application/json", text_of(body), NULL);
}

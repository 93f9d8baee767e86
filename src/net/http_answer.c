/* http_answer.c - the answers of HTTP: heads, bodies, chunks, and what to say to
 * a request that is none. */
#include <stdio.h>
#include <time.h>

#include "base/log.h"
#include "base/put.h"
#include "net/inside.h"

/* Above the first a producer of an answer is asked to wait, until the socket has
 * taken all but the second; the third is where an answer ends that did not. */
#define OUT_HIGH (256 * KIB)
#define OUT_LOW (128 * KIB)
#define OUT_MAX (64 * MIB)

/* A body up to this size leaves in one send with its head. */
#define TOGETHER_MAX (16 * KIB)

#define LINES_MAX 128 /* of a head that are in every one: status, date and the empty one */

#define REFUSAL_MAX (8 * KIB) /* the longest words, escaped */

/* The code is what a program may go by when it was refused with this status. */
static const struct status {
	unsigned status;
	const char *words, *code;
} statuses[] = {
	{100, "Continue"},
	{101, "Switching Protocols"},
	{200, "OK"},
	{201, "Created"},
	{202, "Accepted"},
	{204, "No Content"},
	{304, "Not Modified"},
	{400, "Bad Request", "invalid"},
	{401, "Unauthorized", "unauthorized"},
	{403, "Forbidden", "forbidden"},
	{404, "Not Found", "unknown"},
	{405, "Method Not Allowed", "not_allowed"},
	{408, "Request Timeout", "too_slow"},
	{409, "Conflict", "unavailable"},
	{410, "Gone", "expired"},
	{412, "Precondition Failed", "changed"},
	{413, "Content Too Large", "too_big"},
	{414, "URI Too Long", "too_big"},
	{415, "Unsupported Media Type", "unsupported_type"},
	{417, "Expectation Failed", "invalid"},
	{421, "Misdirected Request", "wrong_host"},
	{422, "Unprocessable Content", "invalid_value"},
	{426, "Upgrade Required", "upgrade_required"},
	{429, "Too Many Requests", "too_fast"},
	{431, "Request Header Fields Too Large", "too_big"},
	{500, "Internal Server Error", "failed"},
	{501, "Not Implemented", "not_supported"},
	{502, "Bad Gateway", "refused"},
	{503, "Service Unavailable", "busy"},
	{504, "Gateway Timeout", "no_answer"},
	{505, "HTTP Version Not Supported", "not_supported"},
	{507, "Insufficient Storage", "disk_full"},
};

static const struct status *status_of(unsigned status)
{
	static const struct status unknown = {0, "Unknown", "failed"};

	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
		if (statuses[i].status == status)
			return &statuses[i];
	return &unknown;
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
	struct text more = text_of(extra), common = text_of(http->site->common);

	/* At once, and not in steps: most connections have one answer. */
	buf_reserve(out, LINES_MAX + more.len + common.len);
	buf_print(out, "HTTP/1.1 %u %s\r\n", status, status_of(status)->words);
	if (status >= 200)
		add_date(out);
	buf_add(out, more);
	buf_add(out, common);
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
static void http_answer_put(struct http *http, struct text t)
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
	http_answer_put(http, buf_text(&head));
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
		http_answer_put(http, (struct text){body.at + sent, body.len - sent});
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
			http_answer_put(http, text_of(size));
		}
		http_answer_put(http, piece);
		if (http->chunked)
			http_answer_put(http, TEXT("\r\n"));
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
		http_answer_put(http, TEXT("0\r\n\r\n"));
	if (!http->conn->wants_write)
		http_flush(http);
	http_answered(http);
}

void http_continue(struct http *http)
{
	http->continues = false;
	http_answer_put(http, TEXT("HTTP/1.1 100 Continue\r\n\r\n"));
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

void http_refuse(struct http *http, const struct http_refusal *r)
{
	const char *code = r->code ? r->code : status_of(r->status)->code;
	const char *words = r->words ? r->words : status_of(r->status)->words;
	struct buf body;

	buf_init(&body, REFUSAL_MAX);
	put_object(&body, NULL);
	put_bool(&body, "ok", false);
	put_word(&body, "code", code);
	put_word(&body, "error", words);
	buf_print(&body, "%s}\n", r->more ? r->more : "");
	http_answer(http, r->status, "application/json", buf_text(&body), r->extra);
	buf_finish(&body);
}

void http_reject(struct http *http, unsigned status)
{
	if (http->streaming) {
		http_end(http);
		return;
	}
	http->request.keep_alive = false;
	http_refuse(http, &(struct http_refusal){.status = status});
}

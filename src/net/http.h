/* http.h - HTTP/1.1, the server's side, on llhttp.
 *
 * One struct http per connection while it speaks HTTP.  Requests are answered in
 * order, one at a time: a pipelined one waits, unparsed, until the answer before
 * it is out.  For each request the site's begin() is called when the head is
 * whole; it looks at the request and either answers at once or accepts the body
 * with a handler.  An answer may come in a later turn.
 *
 * What the site never sees: a bad request (400), a head too big (431), a target
 * too long (414), a body too big (413), a method we do not know (501), a client
 * that is too slow (408), or that has to go for want of room (503: inputs.h).  Every answer
 * carries the site's common headers.
 */
#ifndef NET_HTTP_H
#define NET_HTTP_H

#include "base/error.h"
#include "base/text.h"
#include "net/conn.h"
#include "net/http_query.h"

struct http;

struct http_limits {
	size_t head_max, line_max; /* the line: the first, without its end */
	unsigned fields_max;
	unsigned head_ms, idle_ms; /* for a whole head; between requests */
	unsigned body_ms;  /* without any byte of an awaited body, or of room for an answer */
	unsigned whole_ms; /* for a whole body (http_used); 0: no limit */
};

struct http_site {
	void *self;
	const struct http_limits *limits;
	/* Header lines for every answer, each with CRLF.  Looked at when an answer
	 * is made: begin() may set another. */
	const char *common;
	void (*begin)(void *self, struct http *http);
	/* Optional: http is about to be freed, by its end or by http_hand(). */
	void (*over)(void *self, struct http *http);
};

struct http_request {
	struct text method, path, query; /* path as sent, without the query */
	bool keep_alive, has_body, is_head, wants_upgrade;
};

/* self is what http_accept was given. */
struct http_handler {
	void (*piece)(void *self, struct http *http, struct text bytes); /* of the body */
	void (*whole)(void *self, struct http *http);                    /* the body is over */
	void (*writable)(void *self, struct http *http); /* room again, while streaming */
	/* The peer left, or the request was cut off with an answer of ours
	 * (413, 408, 503): forget http.  Not called after the answer is complete. */
	void (*gone)(void *self, struct http *http);
};

/* Takes conn.  When it ends, http is gone too. */
struct http *http_serve(struct conn *conn, const struct http_site *site);

const struct http_request *http_request(const struct http *http);
struct conn *http_conn(const struct http *http);

/* The value of the first such field; empty when absent.  Given twice it is a bad
 * request before anybody sees it for Host, Origin, Authorization, Content-Type,
 * Last-Event-ID, Sec-Fetch-Site, Sec-WebSocket-Key and -Version, Expect, and what
 * frames the body. */
struct text http_field(const struct http *http, const char *name);
bool http_has_field(const struct http *http, const char *name);
bool http_has_fields(const struct http *http, const char *prefix); /* any such */

/* From begin(): reads the body, at most max bytes, else 413; 100-continue is
 * answered here.  A request without a body is whole at once.  Whoever answers
 * later than in begin() accepts first, to hear of the peer's leaving.  No handler
 * is called before this returns. */
void http_accept(struct http *http, size_t max, const struct http_handler *handler, void *self);
/* From whole(): the answer comes later, and it is this one who hears of the peer's leaving. */
void http_await(struct http *http, const struct http_handler *handler, void *self);
void http_hush(struct http *http, bool hush); /* back-pressure on the body */
/* Of a body of many things all but `kept` bytes were used; each has its own time. */
void http_used(struct http *http, size_t kept, bool was_whole);
/* A word (100) for whoever waits for an answer that takes long: it is still coming.  Not
 * while one is under way; HTTP/1.0 knows no such word. */
void http_reassure(struct http *http);

/* One whole answer.  An extra header line (with CRLF) may be given, or NULL. */
void http_answer(struct http *http, unsigned status, const char *type, struct text body,
                 const char *extra);

/* A refusal, in the one shape that all have: {"ok":false,"code","error"}.  What is NULL is the
 * status's own, or left out. */
struct http_refusal {
	unsigned status;
	const char *code;  /* for programs */
	const char *words; /* for people */
	const char *more;  /* further members, as `,"wait":5` */
	const char *extra; /* header lines, each with CRLF */
};
void http_refuse(struct http *http, const struct http_refusal *refusal);

/* An answer in pieces (chunked).  http_more() keeps what the socket did not take
 * and answers false when that is above 256 KiB: then wait for writable(). */
void http_answer_begin(struct http *http, unsigned status, const char *type, const char *extra);
bool http_more(struct http *http, struct text piece);
void http_answer_end(struct http *http);

/* Ends HTTP on this connection: sends `head` (may be empty), frees http, and
 * gives the connection to its new user.  The bytes that came after the request
 * are heard() by it before this returns.  The answer head is whatever the caller
 * wrote, common headers added by http_head(). */
void http_hand(struct http *http, struct text head, const struct conn_user *user, void *self);

/* "HTTP/1.1 101 Switching Protocols\r\n" + extra + common + "\r\n". */
bool http_head(const struct http *http, struct buf *out, unsigned status, const char *extra);

/* The request that is there, if any, is the last: finish what is owed, then close. */
void http_drain(struct http *http);
void http_end(struct http *http); /* at once; a handler hears gone() */

#endif

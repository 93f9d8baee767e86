/* inside.h - what the files of this room share and nobody else needs. */
#ifndef NET_INSIDE_H
#define NET_INSIDE_H

#include <llhttp.h>

#include "net/http.h"

/* Undoes listen_keep(); fine for a connection that nobody keeps. */
void listen_part(struct conn *conn);

void conn_serve(struct conn *conn);           /* its turn has come (slices.h) */
uint64_t conn_slice(const struct conn *conn); /* how long that is, in nanoseconds */

enum http_state {
	HTTP_IDLE,    /* not a byte of a request yet */
	HTTP_READING, /* its head */
	HTTP_ASKED,   /* the site has the head and did not accept the body */
	HTTP_BODY,    /* accepted: the body goes to the handler */
	HTTP_OWING,   /* the body is over, the answer is not */
	HTTP_LEAVING, /* the answer is whole and on its way out */
	HTTP_LINGER,  /* after the last answer: input is thrown away for a while */
	HTTP_OVER,    /* closed or handed on */
};

/* What the connection's deadline stands for. */
enum http_wait { WAIT_NONE, WAIT_FIRST, WAIT_NEXT, WAIT_HEAD, WAIT_BODY, WAIT_ROOM, WAIT_LINGER };

/* A field of the head: its value stands right behind its name in http.head. */
struct http_span {
	uint32_t at, name_len, value_len;
};

struct http {
	llhttp_t parser;
	struct conn *conn;
	const struct http_site *site;
	struct later resume;
	struct grave grave;

	struct http_request request;
	struct buf head;          /* target and fields of this request, nothing between */
	struct http_span *fields; /* heap; NULL while idle */
	unsigned fields_len, fields_room, target_len;
	unsigned refusal; /* the status that a callback of the parser wants */
	size_t head_used; /* bytes of the head so far */
	size_t extras;    /* bytes of chunk extensions and trailers */

	const struct http_handler *handler;
	void *self;      /* the handler's */
	uint64_t length; /* of the body as declared; 0 when it comes in chunks */
	uint64_t body_max, body_len, body_used;
	struct text piece; /* of the body, from the parser */

	char *in; /* what is still to be looked at */
	size_t in_len;
	struct buf kept; /* where that is kept from one turn to another */
	size_t lingered; /* bytes thrown away */

	struct buf out; /* what the socket did not take yet */
	size_t out_at;  /* up to here it did */

	enum http_state state;
	enum http_wait wait;
	unsigned share;     /* requests that may still be begun in this turn */
	bool naming : 1;    /* the parser is inside a field's name */
	bool body_done : 1; /* the parser saw the end of the body */
	bool continues : 1; /* 100-continue is awaited */
	bool hushed : 1;    /* by the handler */
	bool pumping : 1;   /* pump() is at work: it will see what changed */
	bool streaming : 1; /* http_answer_begin() was called */
	bool chunked : 1;   /* the answer is */
	bool full : 1;      /* http_more() said false */
	bool moved : 1;     /* bytes came or went: the deadline starts anew */
	bool draining : 1;
	bool was_used : 1; /* not the first request */
};

/* http_head.c */
void http_parser_begin(struct http *http);                           /* for the next request */
llhttp_errno_t http_parse(struct http *http, size_t most);           /* advances http.in */
unsigned http_verdict(const struct http *http, llhttp_errno_t code); /* a status */
unsigned http_check(struct http *http); /* fills in request; 0 or a status */

/* http_answer.c */
bool http_flush(struct http *http); /* true when nothing is left */
void http_reject(struct http *http, unsigned status);
void http_continue(struct http *http);
bool http_is_flushed(const struct http *http);
bool http_has_room(const struct http *http);

/* http.c */
void http_answered(struct http *http); /* the answer is whole */
void http_arm(struct http *http);      /* the deadline for what is awaited now */

#endif

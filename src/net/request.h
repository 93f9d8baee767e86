/* request.h - HTTP requests that we make: libcurl on the loop.
 *
 * The certificate of an https server is always verified.  A redirect is not
 * followed: a credential goes where it was meant to go and nowhere else, so it is
 * an error that names the new address.  Cancelling closes the socket at once.
 */
#ifndef NET_REQUEST_H
#define NET_REQUEST_H

#include "base/error.h"
#include "base/text.h"

struct loop;
struct request;
struct requests;

struct requests *requests_create(struct loop *loop);
void requests_destroy(struct requests *requests); /* cancels what is under way */

struct request_head {
	int status;
	struct text content_type;
	unsigned retry_after_ms; /* 0: not said */
	struct text location;    /* of a redirect, as it is; empty: none */
};

/* Everything is copied.  A limit of 0 is none, but a connection gets 5 minutes. */
struct request_options {
	const char *url;
	const char *route;  /* that is added to it as it is, or NULL */
	const char *path;   /* of a Unix socket to go by, or NULL: only our own user, or root, is
	                   * spoken to there */
	bool is_direct;     /* to where a person said: by no proxy, and whatever reach.h says */
	bool is_public;     /* to the internet alone: by no proxy, by no connection that was kept */
	bool may_repeat;    /* a POST may go by a connection that was kept, and so twice */
	const char *method; /* NULL: GET, or POST with a body */
	const char *const *headers; /* "Name: value", ended by NULL; NULL: none */
	struct text body;
	unsigned connect_ms; /* name, socket and TLS */
	unsigned head_ms;    /* until the whole head is there, or since one of 1xx was */
	unsigned idle_ms;    /* without a byte of the body */
	unsigned total_ms;
	size_t body_max; /* bytes of the answer's body; more is an error */

	void *self;
	/* Optional: a field of a head, of 1xx too, that the options above do not read. */
	void (*field)(void *self, struct text name, struct text value);
	void (*head)(void *self, const struct request_head *head); /* the final one, once */
	void (*heard)(void *self, struct text bytes);              /* of the body */
	void (*beat)(void *self); /* a head of 1xx: the answer is still coming */
	/* Once, and last: the request is gone with this turn.  Never from inside
	 * request_start.  why is NULL when the whole answer came, whatever its status; a
	 * redirect is no answer. */
	void (*done)(void *self, const char *why);
};

/* NULL only for a URL that is none, or for a header with a control character. */
struct request *request_start(struct requests *requests, const struct request_options *options,
                              struct error *why);

/* Inside done(): what kind of failure is it? */
enum request_fault {
	REQUEST_BROKEN,      /* or too late, or no HTTP, or too long */
	REQUEST_UNREACHABLE, /* nobody is there */
	REQUEST_STRANGER,    /* somebody else listens at that path */
	REQUEST_UNTRUSTED,   /* the server's certificate is not trusted */
	REQUEST_UNREADABLE,  /* the file of trusted certificates cannot be read */
};
enum request_fault request_fault(const struct request *request);

size_t request_sent(const struct request *request); /* bytes of the body that went out */

/* Stop or go on reading the body.  Going on may call heard() at once, and done(). */
void request_hush(struct request *request, bool hush);

/* Nothing is called any more.  Safe inside the callbacks. */
void request_cancel(struct request *request);

#endif

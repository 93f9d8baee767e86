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
};

/* Everything is copied.  A limit of 0 is none, but a connection gets 5 minutes. */
struct request_options {
	const char *url;
	const char *method;         /* NULL: GET, or POST with a body */
	const char *const *headers; /* "Name: value", ended by NULL; NULL: none */
	struct text body;
	unsigned connect_ms; /* name, socket and TLS */
	unsigned head_ms;    /* until the whole head is there */
	unsigned idle_ms;    /* without a byte of the body */
	unsigned total_ms;
	size_t body_max; /* bytes of the answer's body; more is an error */

	void *self;
	void (*head)(void *self, const struct request_head *head); /* the final one, once */
	void (*heard)(void *self, struct text bytes);              /* of the body */
	/* Once, and last: the request is gone with this turn.  Never from inside
	 * request_start.  why is NULL when the whole answer came, whatever its status; a
	 * redirect is no answer. */
	void (*done)(void *self, const char *why);
};

/* NULL only for a URL that is none, or for a header with a control character. */
struct request *request_start(struct requests *requests, const struct request_options *options,
                              struct error *why);

/* Inside done(): was it the server's certificate? */
bool request_is_untrusted(const struct request *request);

/* Stop or go on reading the body.  Going on may call heard() at once, and done(). */
void request_hush(struct request *request, bool hush);

/* Nothing is called any more.  Safe inside the callbacks. */
void request_cancel(struct request *request);

#endif

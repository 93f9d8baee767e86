/* push.h - Web Push: news to browsers that are not open (RFC 8030, 8291, 8292).
 *
 * An endpoint is a URL that a browser gave us, and so anybody's: it is https, without a user or a
 * password, and at an address of the internet, which is looked at when the name has been looked
 * up (net/reach.h); redirects are not followed, and what is answered is not read.  PUSH_AT_ONCE go
 * at the same time, each with a deadline; others wait, and of those that wait too many the
 * oldest is dropped.  What a service says is gone is told, so that nobody asks again.
 *
 * Of one matter and endpoint one note is under way at a time, and a later one takes the place of
 * one that waits: so the last that a service hears is the last that was said.  A note that a
 * service could not take, being away, busy or broken, is tried again until its time is over.
 */
#ifndef NOTIFY_PUSH_H
#define NOTIFY_PUSH_H

#include "base/error.h"
#include "notify/seal.h"

#define PUSH_AT_ONCE 8
#define PUSH_WAITING_MAX 256
#define PUSH_PATIENCE_MS 20000
#define PUSH_ENDPOINT_MAX 1024
#define PUSH_TOPIC_MAX 32
#define PUSH_KEY_LEN 87 /* our public key in base64url */

struct loop;
struct push;
struct requests;

struct push_options {
	struct loop *loop;
	struct requests *requests;
	const char *data;    /* DATA/push-key is made there at first */
	const char *contact; /* "mailto:...": whom a service may write to */
	bool anywhere;       /* addresses of this machine and network, too: for tests */
	void *self;
	void (*gone)(void *self, const char *endpoint); /* never from inside push_send */
	/* Is it still somebody's?  What is not is dropped. */
	bool (*is_wanted)(void *self, const char *endpoint);
};

struct push *push_create(const struct push_options *options, struct error *why);
void push_destroy(struct push *push); /* NULL is fine */
const char *push_key(const struct push *push);
bool push_check_key(const char *data, struct error *why); /* is it good, or not made yet? */

/* Could it be one?  Nothing is sent. */
bool push_takes(struct text endpoint, struct error *why);

struct push_note {
	struct text plain;
	struct text matter; /* a later note about the same replaces what was not delivered */
	unsigned ttl_s;     /* so long a service keeps it for a browser that is away */
	bool is_urgent;
};
/* Everything is copied. */
void push_send(struct push *push, const char *endpoint, const struct seal_keys *keys,
               const struct push_note *note);

#endif

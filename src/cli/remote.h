/* remote.h - a running box, as a verb sees it: requests over its Unix socket, and where a
 * WebSocket to it goes (net/uplink.h, net/ws_client.h).
 *
 * Whoever listens there has to be our own user, or root: else not a byte goes there.
 * A TCP port can be anybody's: it is spoken to only when --url names it, and gets a
 * token only when --token-file names one too, and then only over TLS or on this
 * machine.  Proxies and redirects are never followed.
 */
#ifndef CLI_REMOTE_H
#define CLI_REMOTE_H

#include <poll.h>

#include "base/buf.h"
#include "cli/command.h"

struct remote;

enum remote_result {
	REMOTE_ANSWERED, /* with whatever status */
	REMOTE_NOBODY,   /* could not connect */
	REMOTE_LOST,     /* the line broke, or the answer took too long */
	REMOTE_ENOUGH,   /* heard() or goes_on() answered false */
	REMOTE_UNDER_WAY,
};

struct remote_request {
	const char *method; /* "GET", "POST", ...: all but GET have a body, if an empty one */
	const char *path;   /* with its query: "/api/status" */
	const char *type;   /* of the body, or NULL */
	struct text body;
	const char *field;   /* one more header line without CRLF, or NULL */
	bool may_repeat;     /* it does no harm if a POST comes twice, should the line break */
	unsigned timeout_ms; /* for all of it; 0: it goes on as long as bytes come */
	unsigned silence_ms; /* that may be between them; 0: 30 s */

	/* The body of an answer as it comes; false: enough. */
	bool (*heard)(void *self, long status, struct text bytes);
	/* Asked about once a second; false: enough.  May be NULL. */
	bool (*goes_on)(void *self);
	void *self;
};

/* What the options ask for.  On failure it has said why, and status is what the
 * program should end with. */
struct remote *remote_create(const struct command *command, struct command_context *context,
                             const struct options *options, int *status);
struct remote *remote_at(const char *data); /* by the Unix socket of DATA */
void remote_destroy(struct remote *remote);

const char *remote_data(const struct remote *remote);
void remote_tell_nobody(const struct remote *remote, struct error *why); /* it is not there */

/* For a WebSocket: "http://HOST[:PORT]", the Unix socket or NULL, a header with the token or
 * NULL; and the loop that requests are on. */
struct remote_target {
	const char *base, *sock, *authorization;
	struct loop *loop;
};
struct remote_target remote_target(const struct remote *remote);

/* `why` is set unless the result is REMOTE_ANSWERED or REMOTE_ENOUGH. */
enum remote_result remote_run(struct remote *remote, const struct remote_request *request,
                              long *status, struct error *why);

/* The same with a whole answer of any status, at most 16 MiB, gathered in `body`,
 * which the caller finishes whatever came of it. */
enum remote_result remote_fetch(struct remote *remote, const struct remote_request *request,
                                long *status, struct buf *body, struct error *why);

/* False when there is no answer or its status is not 2xx: then `why` has what the
 * box said, and `body` is empty. */
bool remote_ask(struct remote *remote, const struct remote_request *request, struct buf *body,
                struct error *why);

/* The same without waiting, for programs that somebody else waits for: no call takes longer
 * than the system calls in it.  Of the request everything but self is copied; another that is
 * under way is given up.  Who uses it waits for remote_poll(), remote_patience() ms at most,
 * and calls remote_step(). */
void remote_start(struct remote *remote, const struct remote_request *request);
enum remote_result remote_step(struct remote *remote);
void remote_stop(struct remote *remote);                /* it is lost */
struct pollfd remote_poll(const struct remote *remote); /* fd -1: there is nothing */
int remote_patience(const struct remote *remote);

struct remote_state {
	long status;    /* of the answer, if there is one */
	unsigned beats; /* how often the box said that it is still coming */
	size_t sent;    /* bytes of the body that went out */
};
struct remote_state remote_state(const struct remote *remote);

/* The words of a {"ok":false,"error":...} answer, or "the box answered 500". */
void remote_refusal(long status, struct text body, struct error *why);

/* A verb that takes no words and asks one thing: with --json it prints the answer as
 * it came, else as show() lays it out.  The exit status. */
int remote_show(const struct command *command, struct command_context *context,
                const struct options *options, const struct remote_request *request,
                void (*show)(struct out *out, struct text body));

#endif

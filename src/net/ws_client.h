/* ws_client.h - a WebSocket that we open: ws:// and wss://.
 *
 * Name, socket, TLS (always verified), upgrade, then messages both ways with our
 * own framing.  It answers pings and closes by itself.  Nothing is called from
 * inside ws_client_create or ws_client_destroy.
 *
 * Ownership: the user's, until ws_client_destroy; also after closed().
 */
#ifndef NET_WS_CLIENT_H
#define NET_WS_CLIENT_H

#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/text.h"

struct loop;
struct peer;
struct ws_client;

/* Everything is copied. */
struct ws_client_options {
	const char *url;
	const char *path;           /* of a Unix socket to connect to, or NULL: the URL's host */
	const char *const *headers; /* more of the upgrade's: "Name: value", ended by NULL */
	size_t message_max;         /* bytes of a message that comes in */
	size_t send_max;            /* bytes that may wait to go out */
	unsigned connect_ms;        /* until the upgrade is answered */
	unsigned ping_ms;           /* we ping after so much silence, and give up after twice */
	uint16_t goodbye;           /* the code of our own close; 0: 1000 */

	void *self;
	void (*open)(void *self);
	/* Binary messages come here too, if they are UTF-8. */
	void (*text)(void *self, struct text message);
	/* Optional: a message that cannot be taken (no UTF-8, too big, in too many frames)
	 * costs nothing but itself, and is told here.  Without it the connection ends. */
	void (*bad)(void *self, const char *why);
	/* Once, and last.  code: of the peer's close; 1006 when there was none, 1015 when
	 * its certificate is not trusted.  status: of an upgrade that was refused, else
	 * 0. */
	void (*closed)(void *self, uint16_t code, int status, const char *why);
};

/* NULL for a URL that is none, or a header with a control character. */
struct ws_client *ws_client_create(struct loop *loop, const struct ws_client_options *options,
                                   struct error *why);

/* Who is at the other end, by the kernel's word; false when it is not open. */
bool ws_client_peer(const struct ws_client *client, struct peer *peer);

/* False when it is not open, or when too much waits already. */
bool ws_client_send(struct ws_client *client, struct text message);

/* Takes the descriptor out of it, for a user that does without the loop; only inside open(),
 * and not with TLS.  rest gets what came behind the head.  -1: there is no descriptor. */
int ws_client_take(struct ws_client *client, struct buf *rest);

/* Stop or go on reading.  What has been read already still comes. */
void ws_client_hush(struct ws_client *client, bool hush);

/* Says goodbye if it is open; the memory goes at the end of the turn.  Safe inside
 * the callbacks; NULL is fine. */
void ws_client_destroy(struct ws_client *client);

#endif

/* ws_upgrade.h - the first words of a WebSocket that we open: our request, and a
 * strict reading of the answer; no socket is touched. */
#ifndef NET_WS_UPGRADE_H
#define NET_WS_UPGRADE_H

#include "base/buf.h"
#include "base/error.h"

struct url;

#define WS_KEY_LEN 24

/* A new key, and a request with it.  False when a header holds a control character
 * or all of it is too much for out. */
bool ws_upgrade_ask(struct buf *out, const struct url *url, const char *const *headers,
                    char key[WS_KEY_LEN + 1], struct error *why);

/* Is this whole head the answer that the key calls for?  status: of any answer that
 * is HTTP, else 0. */
bool ws_upgrade_check(struct text head, const char *key, int *status, struct error *why);

#endif

/* memo.h - what waits to be said and what is wished of sessions, in DATA/gateway-desk.json (0600).
 *
 * A thread writes it soon after something changed, and the end of the box waits for that: so a stop
 * loses nothing, and a kill at most what came in the last moment.
 */
#ifndef GATEWAY_MEMO_H
#define GATEWAY_MEMO_H

#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

struct gateway;
struct gateway_memo;

struct gateway_memo *gateway_memo_open(struct gateway *g); /* reads what is there */
void gateway_memo_close(struct gateway_memo *memo);
void gateway_memo_changed(const struct gateway *g);

/* ---- the file; pure ---- */

struct memo_message {
	struct text key, id, message, model;
	int64_t came_ms, until_ms; /* by the clock on the wall */
};
struct memo_wish {
	struct text key, model, verbose; /* the last two may be empty */
};
void memo_put_message(struct buf *out, const struct memo_message *m); /* an item of a list */
void memo_put_wish(struct buf *out, const struct memo_wish *w);

struct memo_hands {
	void *self;
	void (*message)(void *self, const struct memo_message *m);
	void (*wish)(void *self, const struct memo_wish *w);
};
/* What is no message and no wish is passed over; false: it is another file. */
bool memo_read(struct text json, const struct memo_hands *hands, struct error *why);

#endif

/* asking.h - what clients say to agents: at once, or when the session is at rest.
 *
 * A key that was sent is a run: the same key again asks nothing.
 */
#ifndef GATEWAY_ASKING_H
#define GATEWAY_ASKING_H

#include "base/buf.h"
#include "bus/back.h"

struct gateway;
struct gateway_call;
struct gateway_place;

struct gateway_wish {
	struct text id;      /* of the run */
	struct text message; /* what is said */
	struct text model;   /* empty: the agent's own choice */
};

/* Not BACK_DONE: why has the words. */
enum back_answer gateway_ask(const struct gateway_call *call, const struct gateway_place *place,
                             const struct gateway_wish *wish, struct error *why);
void gateway_refuse_back(const struct gateway_call *call, enum back_answer answer,
                         const struct error *why);

void gateway_forget_sent(struct gateway *g, uint64_t before_ms);
/* "in_flight" or "ok" of a key that was sent; NULL: it was not. */
const char *gateway_sent_status(struct gateway *g, struct text id);
/* The key of the session that it was sent to; false: it was not. */
bool gateway_sent_key(struct gateway *g, struct text id, struct buf *key);
/* The end of a run was heard.  Nobody hears any more: what becomes of those that live is not
 * known here. */
void gateway_sent_ended(struct gateway *g, struct text id);
void gateway_leave_sent(struct gateway *g);
/* Each has one end, and its session may have others at work: the state of a session does not say
 * which of them has ended. */
enum gateway_sent_life { SENT_UNKNOWN, SENT_LIVES, SENT_OVER };
enum gateway_sent_life gateway_sent_life(const struct gateway *g, struct text id);
/* A key that no run comes of: it is done. */
void gateway_note_done(struct gateway *g, struct text id, struct text key);
/* Each run of a session that the journal does not tell of yet. */
void gateway_each_unheard(const struct gateway *g, struct text key,
                          void (*each)(void *self, struct text run), void *self);
/* Was a session asked something that the journal does not tell of yet? */
bool gateway_is_asked(const struct gateway *g, struct text key);

/* Those that are at work in a session are stopped (chat.c). */
void gateway_stop_runs(const struct gateway_call *call, const struct gateway_place *place);

/* ---- when the session is at rest (queue.c) ---- */

struct gateway_queue;

struct gateway_queue *gateway_queue_create(struct gateway *g);
void gateway_queue_destroy(struct gateway_queue *queue);

struct memo_message;

void gateway_queue_save(const struct gateway *g, struct buf *out); /* a list's items: memo.h */
void gateway_queue_load(void *g, const struct memo_message *m);    /* one more, of the last life */

/* Is anybody at work in it, or does something wait for it? */
bool gateway_is_busy(struct gateway *g, const struct gateway_place *place);

/* False: too much waits already.  is_first: before what waits, and not for long. */
bool gateway_queue_add(const struct gateway_call *call, const struct gateway_place *place,
                       const struct gateway_wish *wish, bool is_first);
bool gateway_queue_has(const struct gateway *g, struct text id);
void gateway_queue_look(struct gateway *g); /* something happened */
/* What waits for a session, or one of it, is not said any more; their ids go to a list. */
void gateway_queue_drop(struct gateway *g, struct text key, struct text id, struct buf *ids);
void gateway_queue_put(const struct gateway *g, struct text key, struct buf *out); /* a page's */

#endif

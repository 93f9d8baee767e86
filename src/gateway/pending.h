/* pending.h - prompts towards clients of a gateway: who is told of them, how an answer goes back,
 * and what was settled not long ago.
 *
 * Each is an approval or a question (approvals.c, questions.c).  Their events have no number:
 * what they offer depends on what a client may answer.  Nobody loses one for being slow.
 */
#ifndef GATEWAY_PENDING_H
#define GATEWAY_PENDING_H

#include "gateway/inside.h"
#include "run/prompt.h"

#define PENDING_PREFIX "plugin:"          /* of the ids of approvals that are no commands */
#define PENDING_DAY_MS (24 * 3600 * 1000) /* clients cannot wait for longer */

struct pending *pending_create(void);
void pending_destroy(struct pending *pending);

void pending_heard(struct gateway *g, const struct prompt *prompt); /* it was opened, or is over */
/* Tells of those whose runs are known by now. */
void pending_tell_new(struct gateway *g);
void pending_begin(struct gateway *g); /* the first client is there; it asks for the open ones */

const struct prompt *pending_find(const struct gateway *g, struct text id);
bool pending_is_narrow(const struct gateway_view *view);

/* Who asks: `agentId`, `sessionKey` and, unless it is of no use, `runId`. */
void pending_put_place(const struct gateway *g, const struct prompt *p, bool with_run,
                       struct buf *out);
/* `createdAtMs` and `expiresAtMs`. */
void pending_put_times(const struct prompt *p, struct buf *out);
/* "owner (page)"; empty: nobody did. */
void pending_put_answerer(const struct prompt *p, const char *key, struct buf *out);

/* An event for one kind of clients; false: they are not told. */
struct pending_class {
	uint8_t protocol;
	enum answers may;
	bool is_narrow;
};
typedef bool pending_write_fn(struct gateway *g, const struct prompt *p,
                              const struct pending_class *of, struct buf *out);
void pending_tell(struct gateway *g, const struct prompt *p, enum operator_scope scope,
                  pending_write_fn *write);
/* The same without its event, for a list or an answer. */
struct pending_class pending_class_of(const struct gateway_view *view);

/* What became of a prompt, for who comes late. */
struct pending_end {
	enum operator_scope scope; /* who may know */
	const char *word;          /* for it, or NULL; not copied */
	struct text json;
};
void pending_settle(struct gateway *g, const struct prompt *p, const struct pending_end *end);
/* NULL: it is not over, or not known any more, or another's. */
const struct pending_end *pending_settled(const struct gateway *g, struct text id,
                                          enum operator_scope scope);

/* Gives an answer, or with an empty value cancels.  When it is on the disk, `payload`, an object,
 * is the answer to the call; empty: what the prompt came to then, as `approval`.  Where somebody
 * hears in the client's place, there is none. */
enum back_answer pending_reply(const struct gateway_call *call, const struct prompt *p,
                               struct text value, struct text payload);

/* Did what was added behind so many bytes of a list not fit?  Then it is taken off again. */
bool pending_list_ends(struct buf *list, size_t len);

/* Refuses, or tells who hears that in the client's place. */
void pending_refuse_with(const struct gateway_call *call, const struct gateway_fault *fault);
/* With a reason, and what to do, for those who read details; remedy: or NULL. */
void pending_refuse(const struct gateway_call *call, const char *message, enum openclaw_code reason,
                    const char *remedy);

#endif

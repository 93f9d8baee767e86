/* backend.h - a server that is asked over HTTP, one answer a request.
 *
 * It is connected when it has listed its models.  When an ask fails in a way that
 * may be the server's own, the list is asked for again, and that decides whether the
 * source is lost.  All that differs from one kind of server to the next is a table.
 */
#ifndef SOURCE_BACKEND_H
#define SOURCE_BACKEND_H

#include "source/transport.h"

#define BACKEND_ASKS_MAX 64 /* at once, of one source */

struct backend_kind {
	const char *parser;        /* of its answers */
	const char *models_path;   /* where it lists its models, as ... */
	const char *list, *name;   /* ... {list: [{name: "..."}]} */
	const char *const *models; /* if it cannot: these; NULL: then it must be told one */
	const char *ask_path;
	const char *messages; /* the member of a question that holds the conversation */
	const char *more;     /* more members: ",\"stream\":true" */
	const char *key;      /* the header with the credential, up to it */
	const char *field;    /* one more header; NULL: none */
};

/* What a transport is made of. */
void *backend_open(struct source *source, const struct backend_kind *kind, struct error *why);
void backend_close(void *self);
bool backend_ask(void *self, const struct back_ask *ask, struct error *why);
enum back_answer backend_cancel(void *self, const struct back_control *control, struct error *why);
void backend_forget(void *memory);
void backend_hush(void *self, bool hush);

#endif

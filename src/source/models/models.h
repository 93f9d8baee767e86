/* models.h - asking a server which models it has.
 *
 * It is how a back end shows that it is there, and how an http URL of which nobody
 * said what it is gets probed: a probe is the same question without a credential.
 */
#ifndef SOURCE_MODELS_H
#define SOURCE_MODELS_H

#include "base/error.h"
#include "base/text.h"

struct models;
struct requests;

#define MODELS_PROTOCOL "openai" /* of whoever lists them to a probe */
#define MODELS_MAX 1024
#define MODEL_NAME_MAX 256

struct models_answer {
	const struct text *names; /* of a server that lists some */
	size_t count;
	bool is_list;            /* it speaks the protocol, even if it lists none */
	int status;              /* 0: there was no answer */
	unsigned retry_after_ms; /* 0: not said */
	bool for_good;           /* asking again makes no sense */
	const char *why;         /* in words, when it is no list */
};

/* Everything is copied but self. */
struct models_options {
	const char *url;            /* of the server; `path` is put behind it */
	const char *path;           /* "/v1/models" */
	const char *list, *name;    /* the answer is {list: [{name: "..."}]} */
	const char *const *headers; /* as in request.h */
	unsigned total_ms;
	void *self;
	/* Once, unless it is cancelled before; never from inside models_ask. */
	void (*done)(void *self, const struct models_answer *answer);
};

/* NULL only for a URL that is none. */
struct models *models_ask(struct requests *requests, const struct models_options *options,
                          struct error *why);
void models_cancel(struct models *models); /* NULL is fine; not from inside done() */

/* What is at this path of a server: its URL without a slash at the end, then path.
 * A /v1 at the end of the one and the start of the other is the same.  The caller
 * frees it. */
char *models_url(const char *server, const char *path);

#endif

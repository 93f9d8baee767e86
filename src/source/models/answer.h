/* answer.h - one question over HTTP, and the stream that answers it.
 *
 * First comes a task_dispatch from the user, then what the parser makes of the
 * answer.  Whatever happens to the connection, the run ends in exactly one
 * completion or error.
 */
#ifndef SOURCE_ANSWER_H
#define SOURCE_ANSWER_H

#include "base/error.h"
#include "parse/parse.h"
#include "source/transport.h"

struct answer;

struct answer_end {
	bool success;
	bool doubtful;      /* nobody answered, or the credential was refused: is it still there? */
	struct text prompt; /* of an ask with a session, as are these: */
	struct text words;  /* the whole answer */
	struct text session;
};

/* Everything is copied. */
struct answer_options {
	struct source *source;
	const struct parse_kind *kind;
	const struct back_ask *ask; /* with the model that is really asked */
	const char *url;
	const char *const *headers; /* as in request.h */
	struct text body;

	void *self;
	/* The run had its end, unless it was destroyed before. */
	void (*over)(void *self, const struct answer_end *end);
	/* Last: the connection is through with it too, and its memory goes. */
	void (*gone)(void *self, struct answer *answer);
};

/* NULL only for a URL that is none; then no signal was given. */
struct answer *answer_start(const struct answer_options *options, struct error *why);

/* Closes the connection at once.  A run that is not over is cancelled: one completion
 * with success false.  Neither over() nor gone() is called any more. */
void answer_destroy(struct answer *answer);

void answer_hush(struct answer *answer, bool hush);

/* Is it this run, and still under way? */
bool answer_is_of(const struct answer *answer, struct text run);

#endif

/* want.h - what people want of a source, and what became of it. */
#ifndef SOURCE_WANT_H
#define SOURCE_WANT_H

#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

/* What became of a wish.  Unless it is done, why has the words. */
enum source_answer {
	SOURCE_DONE,
	SOURCE_INVALID,       /* it makes no sense */
	SOURCE_UNKNOWN,       /* there is no such source, or no such run */
	SOURCE_CONFLICT,      /* not as things are: the id is taken, it is not connected */
	SOURCE_NOT_SUPPORTED, /* its transport cannot do that */
	SOURCE_UNSAVED,       /* it is done, but a restart will forget it */
	SOURCE_TAKEN,         /* it was passed on: source_verdict() says what became of it */
	SOURCE_REFUSED,       /* a verdict: who does the work refused it, with these words */
	SOURCE_SILENT,        /* a verdict: who does the work did not answer */
};

#define ASK_PROMPT_MAX (256 * 1024) /* bytes */

struct ask {
	struct text run;     /* its id: the correlationId of all that comes of it */
	struct text prompt;  /* what the user says */
	struct text model;   /* empty: the source's own choice */
	struct text session; /* whose history goes with it; empty: none */
};

/* What people want of a run: pause, step (n), continue, arm, ui-interrupt, ui-quit,
 * cancel. */
struct source_control {
	struct text run, op;
	uint64_t n;        /* of step; 0: one */
	struct text frame; /* as it came, if it came in the run dialect; or empty */
	uint64_t ticket;   /* names it in source_verdict() */
};

/* To who answers what was asked, an interrupt means the same. */
static inline bool control_is_cancel(struct text op)
{
	return text_is(op, "cancel") || text_is(op, "ui-interrupt");
}

/* The end of a prompt, for who asked. */
struct source_reply {
	struct text run, id; /* the agent's own id of it */
	struct text value;   /* as JSON; empty: cancelled */
	bool is_given;       /* by somebody; else it was withdrawn, or its time was over */
};

#endif

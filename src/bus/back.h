/* back.h - the way back: what people on any screen say to the agent they watch.
 *
 * Whoever has screens calls it, box.c joins it with the rooms that have agents.
 */
#ifndef BUS_BACK_H
#define BUS_BACK_H

#include "base/error.h"
#include "base/text.h"

enum back_answer {
	BACK_DONE,
	BACK_INVALID,       /* it makes no sense */
	BACK_UNKNOWN,       /* there is no such source, or no such run */
	BACK_CONFLICT,      /* not as things are */
	BACK_NOT_SUPPORTED, /* that source cannot do that */
};

struct back_ask {
	struct text source; /* its id */
	struct text prompt;
	struct text model;   /* empty: the source's own choice */
	struct text session; /* whose history goes with it; empty: none */
};

#define BACK_RUN_LEN 36

/* Unless it is done, why has the words. */
struct back {
	void *self;
	/* run gets the id of what was begun: it ends in one completion or error. */
	enum back_answer (*ask)(void *self, const struct back_ask *ask, char run[BACK_RUN_LEN],
	                        struct error *why);
	enum back_answer (*cancel)(void *self, struct text run, struct error *why);
	/* A message in the producer's own language. */
	enum back_answer (*send)(void *self, struct text source, struct text message,
	                         struct error *why);
};

#endif

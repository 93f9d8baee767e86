/* news.h - what clients may be told of besides signals. */
#ifndef HUB_NEWS_H
#define HUB_NEWS_H

#include "base/text.h"

struct prompt;

struct news {
	enum {
		NEWS_PROMPT,  /* a prompt was opened or is over */
		NEWS_CREW,    /* some sessions changed, or are there no more */
		NEWS_MATTERS, /* one was raised, or is settled; none: how they are told changed */
		NEWS_RUNS,    /* runs have new frames, or all of the journal is folded */
		NEWS_SOURCES, /* some changed, or are there no more */
		NEWS_COMMAND, /* one was played on the stage, in the order of versions */
		NEWS_STAGE,   /* all of it must be looked at anew */
	} kind;
	const struct prompt *prompt;
	struct text changed, removed; /* JSON arrays: of sources, sessions, matters; of ids */
	uint64_t version;             /* of a command: the stage's after it, */
	double at_ms;                 /* when, */
	struct text json;             /* and what it is */
};

#endif

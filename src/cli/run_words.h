/* run_words.h - what `signalbox run` itself tells of a run. */
#ifndef CLI_RUN_WORDS_H
#define CLI_RUN_WORDS_H

#include <stdint.h>
#include <sys/types.h>

#include "base/text.h"
#include "cli/courier.h"

struct run_words {
	const char *name; /* of the program */
	char *source;
	char *task; /* the run */
	pid_t pid;
	int64_t began_ms; /* before its first word */
	struct courier *courier;
	char *result, *stop; /* what the agent said of its end; NULL: nothing */
	bool has_failed;     /* the agent says so */
};

void run_words_finish(struct run_words *run);

void run_tell_start(struct run_words *run);
/* The one end there is: with the program's status, and what the agent said of it. */
void run_tell_end(struct run_words *run, int status);
/* The program goes on under another name: this run is over. */
void run_tell_move(struct run_words *run, const char *session);
void run_tell_cannot(struct run_words *run, struct text op);

/* What the agent says of its end; it is kept for ours. */
void run_keep_end(struct run_words *run, struct text envelope);

#endif

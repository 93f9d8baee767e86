/* past.h - the signals of one run, read from the journal again in slices.
 *
 * Nothing blocks: when the disk is cold it says so, and goes on when the journal is warm.
 */
#ifndef RUN_PAST_H
#define RUN_PAST_H

#include "journal/reader.h"
#include "signal/signal.h"

struct past {
	char *run;
	uint64_t seq; /* of the journal, up to which it was read */
	struct journal_reader *reader;
	struct signal_reader *lines;
	size_t taken; /* bytes of the line that was given last */
};

enum past_news {
	PAST_SIGNAL,
	PAST_COLD, /* call again when the journal is warm */
	PAST_MORE, /* the budget of bytes of journal is used up */
	PAST_LOST, /* signals are no longer in the journal, some of this run perhaps */
	PAST_END,  /* it stands at `until`, or at the end of the journal */
};

void past_init(struct past *past, struct journal *journal, struct text run, uint64_t first_seq);
void past_finish(struct past *past);

/* The next signal of the run, or why there is none; it is valid until the next call into the
 * journal. */
enum past_news past_next(struct past *past, uint64_t until, size_t *budget, struct signal *out);

#endif

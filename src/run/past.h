/* past.h - the signals of one run, read from the journal again in slices.
 *
 * Nothing blocks: those on the disk are looked for on the journal's thread, and it goes on when
 * the journal is warm.
 */
#ifndef RUN_PAST_H
#define RUN_PAST_H

#include "journal/reader.h"
#include "signal/signal.h"

struct run_past {
	uint64_t seq; /* of the journal, up to which it was read */
	struct journal_reader *reader;
	struct signal_reader *lines;
	size_t taken; /* bytes of the line that was given last */
};

enum run_past_news {
	RUN_PAST_SIGNAL,
	RUN_PAST_COLD, /* call again when the journal is warm */
	RUN_PAST_MORE, /* the budget of bytes of journal is used up */
	RUN_PAST_LOST, /* signals are no longer in the journal, some of this run perhaps */
	RUN_PAST_END,  /* it stands at `until`, or at the end of the journal */
};

void run_past_init(struct run_past *past, struct journal *journal, struct text run,
                   uint64_t first_seq);
void run_past_finish(struct run_past *past);

/* The next signal of the run, or why there is none; it is valid until the next call into the
 * journal. */
enum run_past_news run_past_next(struct run_past *past, uint64_t until, size_t *budget,
                                 struct signal *out);

#endif

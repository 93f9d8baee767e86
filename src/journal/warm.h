/* warm.h - a request to the warmer, for cold.c and warmer.c only. */
#ifndef JOURNAL_WARM_H
#define JOURNAL_WARM_H

#include "journal/cold.h"

enum warm_state { WARM_QUEUED, WARM_BUSY, WARM_DONE };

/* state, is_orphan and the link are under the journal's mutex; the rest is the
 * warmer's while it is busy with it, and the owner's otherwise. */
struct warm {
	struct link in_queue; /* journal.cold, or journal.warm when done */
	enum warm_state state;
	bool is_orphan; /* its reader is gone: journal_poll destroys it */
	struct wanted wanted;
	bool whole_file; /* all of it, not only what is wanted */
	bool failed;
};

void warm_destroy(struct warm *warm);

/* From journal_poll: destroys what nobody waits for any more. */
void warmer_bury(struct journal *journal);

#endif

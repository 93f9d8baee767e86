/* placing.h - the indexes of the segments (places.h): who has which, and who makes them.
 *
 * FIRST.places beside a sealed segment is its index.  Nothing depends on it but how long a
 * search takes: it is written without a sync, tied to the length and the end of its segment,
 * and where it is lost, damaged or of other bytes, the reader's thread makes it again when
 * there is nothing else to do.  Of the newest segment that thread has drafts in memory: of
 * what was there at the start, which it reads, and of what was appended since, of which the
 * owner hands over the keys.
 */
#ifndef JOURNAL_PLACING_H
#define JOURNAL_PLACING_H

#include <pthread.h>

#include "base/list.h"
#include "journal/places.h"

struct journal;
struct place_making;

struct placing {
	pthread_mutex_t mutex; /* of `fresh`; nothing else is locked under it */
	struct link fresh;     /* fresh_keys.in_placing: of signals that came on the disk */

	uint64_t fed; /* the owner's: the segment of what came last */

	/* --- the reader's thread's --- */
	struct link drafts;          /* segment_draft.in_placing */
	struct place_making *making; /* under way */
	uint64_t sweep;              /* segments that begin before it are still to be looked at */
	uint64_t swept_ns;           /* when that began */
	uint64_t known_at_open;      /* of the newest segment there was so much before */
	bool is_tidy;                /* files of segments that are gone are gone */
};

void placing_init(struct journal *journal);
void placing_finish(struct journal *journal); /* when its threads have ended */

/* The owner: everything up to `to` is on the disk; call it before that leaves memory. */
void placing_feed(struct journal *journal, uint64_t to);

/* ---- on the reader's thread ---- */

/* What a segment's index says of these hashes, if there is one that knows of seq. */
struct placing_question {
	uint64_t segment, until; /* its first seq, and that of the next; 0: it is the newest */
	uint64_t seq;
	const uint32_t *hashes;
	size_t n;
};
bool placing_find(struct journal *journal, const struct placing_question *question,
                  struct place_list *out);

/* A little of what is to be done; false: there is nothing. */
bool placing_work(struct journal *journal);

/* ---- any thread ---- */

void placing_remove(int dir, uint64_t segment);

#endif

/* spending.h - what all agents spent: tokens by model, project, program and hour; a fold.
 *
 * Hours are those of UTC.  Days of whoever reads, and money, are made when somebody asks
 * (spending_json).  The newest SPENDING_IDS responses are remembered with their counts, so that
 * each is counted once, whoever tells it: should a later signal tell more of it, that is added.
 * Of older ones it is known that they were counted (seen.h).  A signal SPENDING_PAST tells many
 * that came before anybody listened.
 *
 * It outlives the signals that it was folded from: the same bytes as in the checkpoint are
 * in DATA/usage before a segment goes (box/usage.c).  What was counted is known by its seq.
 */
#ifndef CREW_SPENDING_H
#define CREW_SPENDING_H

#include "base/buf.h"
#include "crew/usage.h"

#define SPENDING_PAST "usage.past"
#define SPENDING_PAST_MAX 1000    /* responses that one may tell */
#define SPENDING_IDS 65536        /* responses whose counts are known */
#define SPENDING_SESSIONS 4096    /* the one that was quiet for longest is forgotten */
#define SPENDING_ROWS_MAX 1000000 /* then the last row has all others */
#define SPENDING_NAMES_MAX 65536  /* models, projects and programs; then all others have none */
#define SPENDING_NAME_MAX 256     /* bytes; of a longer one the beginning */
#define SPENDING_SAVED_MAX (256 * MIB)

struct folds;
struct seen_ids;
struct spending;
struct zone;

struct spending *spending_create(void);
void spending_destroy(struct spending *spending);

/* The list that tells how much an agent's own figure is more than its calls cost.  It must live as
 * long. */
void spending_price(struct spending *spending, const struct prices *prices);
/* Each signal, in the order of the journal. */
void spending_hear(struct spending *spending, const struct signal *signal);
/* Makes it a fold of the journal, which does that from now on, at once. */
void spending_join(struct spending *spending, struct folds *folds);
/* How often anything was counted: as long as it is the same, so is all else. */
uint64_t spending_changes(const struct spending *spending);

bool spending_knows(const struct spending *spending, struct text response); /* is it counted? */
/* Its counts are known too: whoever tells more of it is heard. */
bool spending_may_grow(const struct spending *spending, struct text response);
/* Older responses, by their hashes with this seed, for who keeps them. */
struct seen_ids *spending_seen(struct spending *spending);
uint64_t spending_seed(const struct spending *spending);

/* What the run or session of this id spent; NULL: nothing is known. */
const struct usage *spending_of(const struct spending *spending, struct text id);
/* Of all of them together, as of the runs of one conversation; the newest is the last, NULL ends
 * them.  `"usage":{..},"context":{..}`: members of an object, those that are known; whole:
 * `"models":[..]` too. */
void spending_usage_json(const struct spending *spending, const struct usage *const usages[],
                         const struct prices *prices, bool whole, struct buf *out);

enum spending_by {
	SPENDING_BY_DAY,
	SPENDING_BY_HOUR,
	SPENDING_BY_PROJECT,
	SPENDING_BY_MODEL,
	SPENDING_BY_HARNESS,
	SPENDING_BY_SESSION,
	SPENDING_BYS
};
extern const char *const spending_by_names[SPENDING_BYS];

/* As people know it. */
struct spent_session {
	const char *id, *handle;
};

struct spending_question {
	enum spending_by by;
	double since_ms, until_ms; /* hours that begin from since on and before until */
	const struct zone *zone;   /* of the days of whoever asks; NULL: UTC */
	const struct prices *prices;
	/* Whose a run is: runs of one session are one row.  False: not known; may be NULL. */
	bool (*session)(void *self, struct text run, struct spent_session *out);
	void *self;
};
/* `"rows":[..],"total":{..},"prices":{"date":..}`: members of an object.  Where a span cuts hours
 * of a session that are no longer kept apart, its row says at least. */
void spending_json(const struct spending *spending, const struct spending_question *question,
                   struct buf *out);

/* The same in pieces, of the sums as they were when it was asked.  False: that was the last. */
struct spending_answer *spending_ask(const struct spending *spending,
                                     const struct spending_question *question);
bool spending_tell(struct spending_answer *answer, struct buf *out);
void spending_answer_destroy(struct spending_answer *answer);

/* All of it as bytes, and back into one that has heard nothing.  False: these are no such
 * bytes. */
void spending_save(struct spending *spending, struct buf *out);
bool spending_load(struct spending *spending, struct text saved);
/* The same bytes in pieces: those of the moment at which it began, whatever is heard meanwhile.
 * False: that was the last.  At most two are under way at once; end it in any case, NULL too. */
struct spending_saving *spending_saving_begin(struct spending *spending);
bool spending_saving_more(struct spending_saving *saving, struct buf *out);
void spending_saving_end(struct spending_saving *saving);
/* What was loaded stands at a seq that a journal of this length does not have: it is another
 * journal, and goes on behind what is there. */
void spending_fit(struct spending *spending, uint64_t last_seq);

#endif

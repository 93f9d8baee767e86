/* draft.h - a message that is edited as its text grows: what is to be done when; pure.
 *
 * Only the newest text counts.  The message begins as soon as the text is long enough, and is
 * edited as often as the channel likes it; one thing is under way at a time, and what is
 * there already is not written again.  A text that is too long for a message goes on in another.
 * An edit that fails ends it: the text is kept by whoever has it, and the final brings it.
 */
#ifndef DELIVER_DRAFT_H
#define DELIVER_DRAFT_H

#include "base/buf.h"
#include "deliver/chunk.h"

#define DRAFT_TEXT_MAX (256 * 1024) /* bytes; a longer text is not followed any more */
#define DRAFT_PIECES_MAX 64         /* messages of one draft, likewise */

struct draft_options {
	struct chunk_limit limit; /* as the outbox cuts it */
	unsigned every_ms;        /* between two edits */
	size_t first_chars;       /* before it begins, in the unit of the limit */
};

struct live_draft {
	struct draft_options options;
	struct buf text; /* the newest */
	uint64_t shown[DRAFT_PIECES_MAX];
	unsigned there;   /* messages that are there ... */
	unsigned sending; /* ... and that are there or on their way */
	unsigned editing; /* the one whose edit is on its way; 0: none */
	uint64_t edited;  /* what it says then */
	bool has_begun, has_ended, is_new;
	int64_t due_ms; /* not before */
};

enum draft_act {
	DRAFT_WAITS,
	DRAFT_BEGINS, /* with the whole text */
	DRAFT_GROWS,  /* another message is needed; likewise */
	DRAFT_EDITS,  /* this piece has to say this */
};

struct draft_step {
	enum draft_act act;
	unsigned piece;   /* of an edit, from 1 on */
	struct text text; /* valid until the next call */
};

void draft_init(struct live_draft *d, const struct draft_options *options);
void draft_finish(struct live_draft *d);

void draft_set(struct live_draft *d, struct text text); /* all of it */
void draft_hold(struct live_draft *d, int64_t until_ms);

/* What is to be done now.  The buffer gets the text of an edit. */
struct draft_step draft_next(struct live_draft *d, int64_t now_ms, struct buf *piece);
int64_t draft_due(const struct live_draft *d); /* INT64_MAX: when something happens */

/* What became of it: so many messages are there; the edit was made, has failed, or was not made
 * yet. */
void draft_there(struct live_draft *d, unsigned count);
enum draft_edited { DRAFT_EDITED, DRAFT_EDIT_FAILED, DRAFT_EDIT_LATER };
void draft_edit_done(struct live_draft *d, enum draft_edited how);
void draft_end(struct live_draft *d); /* it is edited no more */

bool draft_is_idle(const struct live_draft *d); /* nothing is under way */

#endif

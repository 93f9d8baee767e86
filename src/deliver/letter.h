/* letter.h - one message to a person, as custody.h folds it. */
#ifndef DELIVER_LETTER_H
#define DELIVER_LETTER_H

#include <yyjson.h>

#include "base/buf.h"
#include "base/list.h"
#include "deliver/chunk.h"
#include "deliver/received.h"

enum letter_state {
	LETTER_PREPARED,
	LETTER_QUEUED,
	LETTER_STARTED,
	LETTER_ACCEPTED, /* a piece of it, and another follows */
	LETTER_UNKNOWN,  /* a piece of it; it may be begun again, of a draft with its last text */
	LETTER_DELIVERED,
	LETTER_FAILED,
	LETTER_WITHDRAWN, /* what was there of it is gone */
};
const char *letter_state_name(enum letter_state state);
bool letter_read_state(struct text word, enum letter_state *state);

/* Each of them may be NULL; letter.c has their names on the wire. */
enum letter_word {
	LETTER_ID,
	LETTER_REQUEST,
	LETTER_RUN,
	LETTER_CHANNEL, /* what the account is of */
	LETTER_ACCOUNT,
	LETTER_PEER,
	LETTER_THREAD,
	LETTER_REPLY_TO,
	LETTER_KIND, /* tool, block, final, notice, aside, pairing, question or closed; draft or
	              * status: it is edited; stream: it grows; dropped: it goes */
	LETTER_TEXT,
	LETTER_WHY,
	LETTER_MESSAGES, /* ids of the platform, with spaces between */
	LETTER_STALE,    /* likewise, of messages that have to be taken away */
	LETTER_MISSED,   /* files that could not be sent, and why; a line each */
	/* Of a question (ballot.h): its id, the first of its numbers and how many it has. */
	LETTER_PROMPT,
	LETTER_NUMBER,
	LETTER_TAKES,
	LETTER_CHOICES, /* as JSON */
	LETTER_CODES,   /* which have a code: all, safe */
	LETTER_BUTTONS, /* they are shown as buttons */
	LETTER_EDITS,   /* the message whose text it takes */
	LETTER_MEDIA,   /* pictures and files behind its text: where they are, a line each */
	LETTER_VOICE,   /* those that can be heard are voice notes */
	LETTER_WORDS,
};

/* An edit of a message whose text still grows. */
enum letter_live {
	LETTER_LIVE_NONE,
	LETTER_LIVE_OUT,
	LETTER_LIVE_DONE,
	LETTER_LIVE_FAILED,
	LETTER_LIVE_LATER
};

struct outbox_chat;
struct letter {
	char *words[LETTER_WORDS];
	struct word_block block; /* that some of them lie in */
	struct chunk_limit limit;
	enum letter_state state;
	unsigned accepted;     /* pieces that are there */
	unsigned drafts;       /* of these, that may still have a draft's text */
	unsigned tries;        /* of the piece that is begun, or was last, that may have left */
	bool is_half;          /* what may be there of that piece is a draft's text */
	double at_ms, last_ms; /* the second: when it got its last text */
	uint64_t seq;          /* of the newest signal about it */
	uint64_t moved;        /* of the one that says its state */
	size_t to_save;
	struct link in_all; /* custody.open, custody.over or received.kept, oldest first */
	/* The outbox's own, which nobody folds. */
	struct outbox_chat *chat;                     /* NULL: it is over */
	struct link in_chat;                          /* outbox_chat.letters */
	bool is_telling, is_out, is_begun, is_broken; /* the last: its agent did not finish it */
	bool is_open, is_doubtful; /* it grows; a piece has left, and has to be looked for */
	int64_t due_ms, pause_ms;  /* it does not leave before the second, */
	int64_t old_ms;            /* and is given up then; 0: nobody has looked */
	unsigned absences;         /* how often its piece had left, and was not there */
	unsigned count;            /* pieces of its text; 0: not known */
	unsigned edited, taken; /* drafts that have the final text; those too many that are gone */
	uint64_t *shown;        /* what pieces say (pieces.h), as far as is known */
	unsigned shown_room;
	enum letter_live live; /* the last edit of a draft */
};

/* Empty where there is none. */
static inline struct text letter_word(const struct letter *l, enum letter_word word)
{
	return text_of(l->words[word]);
}

static inline bool letter_is_over(const struct letter *l)
{
	return l->state >= LETTER_DELIVERED;
}

static inline bool letter_is(const struct letter *l, const char *kind)
{
	return text_is(letter_word(l, LETTER_KIND), kind);
}

bool letter_is_live(const struct letter *l);      /* its text still changes */
bool letter_may_be_there(const struct letter *l); /* some of it, although it has failed */

/* Of the payload of delivery.prepared, or of a checkpoint.  NULL: it is none. */
struct letter *letter_read(yyjson_val *payload);
void letter_set(struct letter *l, enum letter_word word, struct text value);
void letter_put(const struct letter *l, struct buf *out);  /* its members, of a payload */
void letter_save(const struct letter *l, struct buf *out); /* and its state */
void letter_free(struct letter *l);

#endif

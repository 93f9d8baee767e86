/* letter.h - one message to a person, and one of a person, as custody.h folds them. */
#ifndef DELIVER_LETTER_H
#define DELIVER_LETTER_H

#include <yyjson.h>

#include "base/buf.h"
#include "base/list.h"
#include "deliver/chunk.h"

enum letter_state {
	LETTER_PREPARED,
	LETTER_QUEUED,
	LETTER_STARTED,
	LETTER_ACCEPTED, /* a piece of it, and another follows */
	LETTER_UNKNOWN,  /* a piece of it; it may be begun again */
	LETTER_DELIVERED,
	LETTER_FAILED,
};
const char *letter_state_name(enum letter_state state);
bool letter_read_state(struct text word, enum letter_state *state);

/* Each of them may be NULL; letter.c has their names on the wire. */
enum letter_word {
	LETTER_ID,
	LETTER_REQUEST,
	LETTER_RUN,
	LETTER_CHANNEL,
	LETTER_ACCOUNT,
	LETTER_PEER,
	LETTER_THREAD,
	LETTER_REPLY_TO,
	LETTER_KIND, /* block, final or notice */
	LETTER_TEXT,
	LETTER_WHY,
	LETTER_MESSAGES, /* ids of the platform, with spaces between */
	LETTER_WORDS,
};

struct letter {
	char *words[LETTER_WORDS];
	struct chunk_limit limit;
	enum letter_state state;
	unsigned accepted; /* pieces that are there */
	unsigned tries;    /* of the piece that is begun, or was last */
	double at_ms;
	uint64_t seq; /* of the newest signal about it */
	size_t to_save;
	struct link in_all; /* custody.open or custody.over, oldest first */

	/* The outbox's own, which nobody folds. */
	bool is_telling, is_out;
	int64_t due_ms;
};

enum received_word {
	RECEIVED_ID,
	RECEIVED_CHANNEL,
	RECEIVED_ACCOUNT,
	RECEIVED_MESSAGE,
	RECEIVED_SENDER,
	RECEIVED_SENDER_NAME,
	RECEIVED_PEER,
	RECEIVED_KIND,
	RECEIVED_THREAD,
	RECEIVED_REPLY_TO,
	RECEIVED_AGENT,
	RECEIVED_SESSION,
	RECEIVED_PRINCIPAL, /* owner: the box knows by a credential who it is */
	RECEIVED_MENTIONED,
	RECEIVED_RUN, /* its agent was asked, under this id */
	RECEIVED_TEXT,
	RECEIVED_WORDS,
};

struct received {
	char *words[RECEIVED_WORDS];
	double at_ms;
	uint64_t seq; /* of the newest signal that added to it */
	size_t to_save;
	struct link in_all; /* custody.requests */
};

/* A word of either; empty where there is none. */
static inline struct text letter_word(const struct letter *l, enum letter_word word)
{
	return text_of(l->words[word]);
}

static inline struct text received_word(const struct received *r, enum received_word word)
{
	return text_of(r->words[word]);
}

static inline bool letter_is_over(const struct letter *l)
{
	return l->state >= LETTER_DELIVERED;
}

/* Of the payload of delivery.prepared, or of a checkpoint.  NULL: it is none. */
struct letter *letter_read(yyjson_val *payload);
void letter_set(struct letter *l, enum letter_word word, struct text value);
void letter_put(const struct letter *l, struct buf *out);  /* its members, of a payload */
void letter_save(const struct letter *l, struct buf *out); /* and its state */
void letter_free(struct letter *l);

/* Of the payload of nex.received, likewise. */
struct received *received_read(yyjson_val *payload);
void received_set(struct received *r, enum received_word word, struct text value);
void received_put(const struct received *r, struct buf *out);
void received_save(const struct received *r, struct buf *out);
void received_free(struct received *r);

#endif

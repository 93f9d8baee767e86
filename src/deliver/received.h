/* received.h - one message of a person, as custody.h folds it. */
#ifndef DELIVER_RECEIVED_H
#define DELIVER_RECEIVED_H

#include <yyjson.h>

#include "base/buf.h"
#include "base/list.h"

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
	RECEIVED_FILES, /* as files.h writes them */
	RECEIVED_WORDS,
};

struct word_block {
	char *at;
	uint32_t len;
};

struct received {
	char *words[RECEIVED_WORDS];
	struct word_block block; /* that some of them lie in */
	double at_ms;
	uint64_t seq; /* of the newest signal that added to it */
	size_t to_save;
	struct link in_all; /* custody.requests */
	struct link kept;   /* letter.in_all: its letters that are over, and of the oldest */
};

/* Empty where there is none. */
static inline struct text received_word(const struct received *r, enum received_word word)
{
	return text_of(r->words[word]);
}

/* Of the payload of nex.received, or of a checkpoint.  NULL: it is none. */
struct received *received_read(yyjson_val *payload);
void received_set(struct received *r, enum received_word word, struct text value);
void received_put(const struct received *r, struct buf *out);
void received_save(const struct received *r, struct buf *out);
void received_free(struct received *r);

#endif

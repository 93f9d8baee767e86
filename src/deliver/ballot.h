/* ballot.h - a prompt as one message of a chat, and what can be chosen under it; pure.
 *
 * Nobody may allow what was not shown whole: where the words, the tool's input and the choices
 * do not fit into one message, only what is safe is offered there, and it says where the rest
 * is to be read.  What writes a rule or changes what was asked for is never offered.
 *
 * Each choice has a number, which no other question of the same chat has at that time.
 */
#ifndef DELIVER_BALLOT_H
#define DELIVER_BALLOT_H

#include "base/buf.h"
#include "deliver/chunk.h"
#include "run/prompt.h"

#define BALLOT_CHOICES_MAX 50 /* more are not offered in a chat */

struct ballot_reader {
	struct chunk_limit limit; /* of one message */
	unsigned buttons;         /* that it has room for; 0: numbers are typed */
	unsigned button_chars; /* that a label has room for; 0: for any; else numbers are typed */
	unsigned first;        /* number of a choice */
	bool cannot_type;      /* what is written there is never an answer */
	bool only_safe;        /* who chooses is nobody that is known */
};

struct ballot {
	struct buf text;
	struct buf choices; /* [{"label","value","safe"?},...] */
	unsigned count;     /* numbers that it takes up */
	bool has_buttons;
};

void ballot_init(struct ballot *q, const struct prompt *p, const struct ballot_reader *r);
void ballot_finish(struct ballot *q);

/* What somebody wrote as the answer to a question of which first is the first number, as JSON.
 * False: it is none. */
struct ballot_asked {
	enum prompt_type type;
	struct text choices;
	unsigned first;
	bool by_place; /* they replied to its message: numbers from 1 on count, too, and labels */
};
bool ballot_read(const struct ballot_asked *asked, struct text said, struct buf *value);

/* The value, or the label, of a choice, as it is written; false: there is none. */
bool ballot_choice(struct text choices, unsigned index, struct buf *value, struct buf *label);

/* What it asks, and what its tool waits to do. */
void ballot_put_words(const struct prompt *p, struct buf *out);
/* How it ended: "Ada answered: Allow". */
void ballot_put_end(const struct prompt *p, struct text choices, struct buf *out);

#endif

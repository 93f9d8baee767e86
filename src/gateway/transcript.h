/* transcript.h - what was said in a session: its messages, oldest first, and how each is written.
 *
 * A message of ours is one row or several: what an agent said with the tools that it called, and
 * what each of them returned.  A row has an id that stays, RUN/NUMBER or RUN/NUMBER.TOOL, and the
 * number in the journal of the signal that its message began with.
 */
#ifndef GATEWAY_TRANSCRIPT_H
#define GATEWAY_TRANSCRIPT_H

#include "base/buf.h"

struct gateway;
struct gateway_place;
struct link;
struct run;
struct said;
struct said_message;

struct gateway_transcript {
	struct gateway *g;
	struct run **runs; /* oldest first */
	size_t count, room;
	bool tells_apart; /* the run in flight has a place of its own */
	size_t live;      /* the newest run that is at work; count: none is */
};

void transcript_read(struct gateway *g, const struct gateway_place *place, bool tells_apart,
                     struct gateway_transcript *out);
void transcript_finish(struct gateway_transcript *transcript);

const struct said *transcript_words(const struct gateway_transcript *transcript,
                                    size_t run); /* NULL: it is read */

/* What is being said, and is not a row yet; or NULL. */
const struct said_message *transcript_apart(const struct gateway_transcript *transcript);

/* The last that an agent said since it was spoken to, but for this one; or NULL. */
const struct said_message *transcript_answer(const struct said *said,
                                             const struct said_message *but);

/* Where the newest messages begin. */
struct transcript_wish {
	size_t rows, bytes; /* at most, but at least one message */
	size_t skip;        /* so many rows at the end */
};
struct transcript_page {
	size_t first_run, last_run;      /* last_run == count: it is empty */
	const struct link *first, *last; /* messages of them */
	size_t rows, skipped;
	bool is_all; /* there are no older ones */
};
/* False: what a run said is being read from the journal again. */
bool transcript_find(const struct gateway_transcript *transcript,
                     const struct transcript_wish *wish, struct transcript_page *out);

/* A message by the id of one of its rows, and how many rows come after it. */
enum transcript_found { TRANSCRIPT_FOUND, TRANSCRIPT_UNKNOWN, TRANSCRIPT_IS_READ };
enum transcript_found transcript_find_row(const struct gateway_transcript *transcript,
                                          struct text id, size_t *after);

typedef void transcript_fn(void *self, const struct run *run, const struct said_message *m);
void transcript_each(const struct gateway_transcript *transcript,
                     const struct transcript_page *page, transcript_fn *each, void *self);

/* ---- rows ---- */

#define TRANSCRIPT_ID_MAX (4 * KIB) /* bytes */

struct transcript_row {
	const struct run *run;
	const struct said_message *message;
	const void *tool; /* what a struct said_tool returned, or NULL: what was said */
	size_t chars_max; /* of a text; 0: all of it */
};
size_t transcript_rows(const struct said_message *m);
/* The rows of a message, in their order. */
void transcript_each_row(const struct run *run, const struct said_message *m,
                         void (*each)(void *self, const struct transcript_row *row), void *self);
void transcript_row_id(const struct transcript_row *row, struct buf *id);
void transcript_put_row(struct buf *out, const char *key, const struct transcript_row *row);

/* The members of an event session.message: the session, the row, its id and number, its run. */
void transcript_put_news(struct buf *out, struct text session_key,
                         const struct transcript_row *row);

/* RUN and NUMBER of a row's id; false: that is none. */
bool transcript_read_id(struct text id, struct text *run, uint64_t *number);

#endif

/* signal.h - one thing that happened, as a value that never changes.
 *
 * A signal here is a view: the texts point into memory of whoever shows it, and
 * are valid during the call they are given in.  Whoever wants to keep something
 * copies it.  `line` is the envelope as the journal stores it and as native
 * clients get it: one JSON object on one line, `seq` first, no newline.
 *
 * (The word belongs to our domain.  UNIX signals are "interrupts" here, and only
 * net/interrupt.c knows about them.)
 */
#ifndef SIGNAL_SIGNAL_H
#define SIGNAL_SIGNAL_H

#include "base/error.h"
#include "base/text.h"
#include "signal/kind.h"

struct json_reader;
struct yyjson_val;

struct signal {
	uint64_t seq;
	struct text line;
	struct text id, type, source;
	struct text correlation; /* empty when absent */
	struct text via;         /* the source of ours it came by; empty: none, or not known */
	enum signal_kind kind;
	double at_ms; /* the producer's timestamp */
	/* The line as a document, from signal_read(); NULL where nobody needed one. */
	const struct json_reader *reader;
	struct yyjson_val *envelope;
};

/* Memory for reading lines back: reused from one to the next, freed at the end. */
struct signal_reader;
struct signal_reader *signal_reader_create(void);
void signal_reader_destroy(struct signal_reader *reader);

/* Reads a line of the journal.  Texts and document are valid until the next call. */
bool signal_read(struct signal_reader *reader, struct text line, struct signal *out,
                 struct error *why);

/* Only the seq, from the first bytes of a line: {"seq":N, ...  0 if it has none. */
uint64_t signal_seq_of(struct text line);

#endif

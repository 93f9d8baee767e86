/* receipts.h - a signal for each command of a person: did it reach its agent? */
#ifndef BOX_RECEIPTS_H
#define BOX_RECEIPTS_H

#include "base/text.h"
#include "net/loop.h"

struct bus;
struct receipts;

struct receipt {
	struct text signal; /* the id of the command */
	struct text run;    /* empty: nobody knows */
	const char *why;    /* nobody took it; NULL: somebody did */
};

struct receipts *receipts_create(struct loop *loop, struct bus *bus);
void receipts_destroy(struct receipts *receipts);

/* Emitted when the turn is over; the texts are copied. */
void receipts_add(struct receipts *receipts, const struct receipt *receipt);

#endif

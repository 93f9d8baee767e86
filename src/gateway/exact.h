/* exact.h - one who counts positions, and what it is told of a signal: for positions.c. */
#ifndef GATEWAY_EXACT_H
#define GATEWAY_EXACT_H

#include "gateway/inside.h"
#include "hub/dialect.h"

struct gap;
struct gateway_pasts;
struct journal_reader;
struct said;
struct signal_reader;

#define GATEWAY_POSITION_MAX 256 /* bytes of an object that has one */

struct gateway_exact {
	struct gateway_view *view;
	struct link in_live; /* gateway_positions.live; alone while it reads; .gone */
	uint64_t seq;        /* of the journal, up to which it was told */
	bool has_news;       /* of this signal */

	/* while it reads */
	struct journal_reader *reader;
	struct signal_reader *lines;
	bool is_placed; /* the journal has said where it stands */
	char *after;    /* where it came back to, until then */
	struct gateway_pasts *pasts;
};

void gateway_exact_put_position(struct buf *out, const struct gateway *g, uint64_t seq);
void gateway_exact_say_position(struct gateway_exact *exact); /* it has no news any more */
void gateway_exact_say_gap(struct gateway_exact *exact, const struct gap *gap);

/* A run with a signal that it has. */
struct exact_signal {
	const struct run *run;
	const struct said *said;
	uint64_t number; /* of the signal, in its run */
	bool was_begun;
	const struct signal *signal;
};
/* Each of these that has not got it is told of it. */
struct exact_audience {
	struct gateway *g;
	struct gateway_exact *one; /* NULL: */
	struct link *live;         /* gateway_exact.in_live */
	unsigned protocols;        /* a bit for each that they speak */
};
void gateway_exact_tell(const struct exact_audience *to, const struct exact_signal *of);

#endif

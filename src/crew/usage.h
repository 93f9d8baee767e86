/* usage.h - what a token_usage signal says was spent, and what one session spent; pure.
 *
 * One response of a model is told several times: by several lines of a transcript, by a fork
 * that copies them, by an API that we read ourselves.  Those that have a responseId are counted
 * once (spending.h).  Others tell the sum of a turn.  Where a session has both, they are two
 * witnesses of the same calls: what counts is the larger of the two.
 */
#ifndef CREW_USAGE_H
#define CREW_USAGE_H

#include <yyjson.h>

#include "base/list.h"
#include "crew/prices.h"
#include "signal/signal.h"

/* Of one session, by hours, models, lengths and modes.  Then the oldest of one model are joined;
 * where none can be, the last has all others. */
#define USAGE_PARTS_MAX 64
#define USAGE_SAVINGS 3                  /* that may be under way at once */
#define USAGE_COUNT_MAX 1000000000000ull /* tokens that one signal may tell */

/* What a signal says. */
struct usage_facts {
	struct text response; /* empty: it has no id */
	struct price_call call;
	double at_ms;
	struct spent_counts counts;
	uint64_t context, window; /* 0: not said */
};

/* False: it is no token_usage.  The texts are the signal's. */
bool usage_read(const struct signal *s, struct usage_facts *out);
bool usage_read_payload(yyjson_val *payload, double at_ms, struct usage_facts *out);

struct usage_part {
	uint32_t model;    /* its number in spending's names */
	uint32_t from, to; /* hours since 1970, both in it */
	uint8_t size, fast;
	struct spent_counts counts;
};

uint32_t usage_hour(double at_ms); /* since 1970 */

struct usage {
	char *id;
	uint32_t project, harness; /* numbers of names */
	struct usage_part *parts;
	unsigned part_count;
	struct spent_counts keyed, loose; /* told with an id, and without */
	uint64_t context_used, context_window;
	double own_cost; /* dollars, by the agent itself; 0: not told */
	bool at_least;   /* calls were hidden: it was compacted or killed */
	bool is_vouched; /* somebody with a credential told of it */
	bool is_copy;    /* a fork: its own figure has calls that are counted elsewhere */
	bool is_own_old; /* calls came after its own figure */
	uint32_t row;    /* spending's newest row of its calls, and one; 0: none */
	/* Millionths of a dollar that own_cost is more than its calls cost: in all rows, and in the
	 * one that got some last. */
	int64_t own_more, own_there;
	uint32_t own_row; /* that one, and one */
	double last_ms;
	struct link in_all;             /* the one that was heard last at the end */
	size_t saved_as[USAGE_SAVINGS]; /* where it stands in what is being saved */
};

/* Its own figure where that counts, or 0. */
double usage_own_cost(const struct usage *usage);

/* Adds to what a session spent what is new in these counts, with an id or without; *added is
 * by how much it grew. */
void usage_add(struct usage *usage, const struct usage_facts *facts, uint32_t model,
               struct spent_counts *added);
void usage_destroy(struct usage *usage);

#endif

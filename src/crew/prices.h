/* prices.h - what models cost by their lists, from a file with its date; pure.
 *
 * schema/prices.json is in the program, and the configuration may name another in its place.
 * Money is made when somebody reads: what is kept are tokens.  A model that the list does not
 * have costs an unknown sum, never nothing.
 */
#ifndef CREW_PRICES_H
#define CREW_PRICES_H

#include "base/buf.h"
#include "base/error.h"
#include "base/text.h"

#define PRICES_MAX (4 * MIB)   /* of the file */
#define PRICES_MODELS_MAX 4096 /* in it */

/* What is counted of calls.  MICROS: dollars that the agent told itself, in millionths. */
enum spent {
	SPENT_INPUT,
	SPENT_OUTPUT,
	SPENT_CACHE_READ,
	SPENT_CACHE_WRITE,
	SPENT_CACHE_WRITE_1H,
	SPENT_REASONING, /* of the output */
	SPENT_CALLS,
	SPENT_MICROS,
	SPENT_COUNTS
};
extern const char *const spent_names[SPENT_COUNTS];

struct spent_counts {
	uint64_t n[SPENT_COUNTS];
};

/* Prices may depend on the length of the prompt.  Calls are kept apart by classes of it, so that
 * money can be made of sums. */
#define PRICES_SIZES 7
unsigned prices_size_of(uint64_t prompt); /* its class, from 0 on */

struct prices;

/* NULL: that is no such list, and why. */
struct prices *prices_read(struct text json, struct error *why);
struct prices *prices_own(void); /* the one in the program */
void prices_destroy(struct prices *prices);

const char *prices_date(const struct prices *prices);

/* How a call was made, of those that are counted together. */
struct price_call {
	struct text model;
	unsigned size; /* the class of its prompt */
	bool fast;
};

/* Dollars by the list; false: nobody knows. */
bool prices_cost(const struct prices *prices, const struct price_call *call,
                 const struct spent_counts *counts, double *out);

/* The same for many sums of such calls. */
#define PRICES_PRICED (SPENT_CACHE_WRITE_1H + 1)
struct price_rates {
	double dollars[PRICES_PRICED]; /* for a million of each */
	bool is_listed;                /* somebody knows */
};
void prices_rates(const struct prices *prices, const struct price_call *call,
                  struct price_rates *out);
double price_rates_cost(const struct price_rates *rates, const struct spent_counts *counts);

/* Tokens that its context can hold; 0: not known. */
uint64_t prices_window(const struct prices *prices, struct text model);

#endif

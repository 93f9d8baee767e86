/* spending_answer.h - sums on their way to whoever asks, for the files of crew/spending alone. */
#ifndef CREW_SPENDING_ANSWER_H
#define CREW_SPENDING_ANSWER_H

#include "crew/spending_inside.h"

/* What belongs together in an answer. */
struct spent_sum {
	char *id;        /* of a session, or NULL: */
	char *handle;    /* of a session, or NULL */
	uint32_t number; /* of a name, an hour or a day */
	struct spent_counts counts;
	double cost;
	bool has_cost; /* of some of it */
	bool unknown;  /* of some of it nobody knows the price */
	bool at_least;
};

struct spending_answer {
	const struct spending *spending;
	struct spending_question question;
	struct spent_sum *sums;
	uint32_t count, room, told;
	struct spent_sum total;
};

struct spent_sum *spending_new_sum(struct spending_answer *a);
void spending_add_part(const struct spending *s, const struct usage_part *part,
                       const struct prices *prices, struct spent_sum *sum);
void spending_add_usage(const struct spending *s, const struct usage *u,
                        const struct prices *prices, struct spent_sum *to);
void spending_put_row(const struct spending_answer *a, const struct spent_sum *sum,
                      struct buf *out);
void spending_put_sum(struct buf *out, const char *key, const struct spent_sum *sum);

#endif

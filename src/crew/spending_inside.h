/* spending_inside.h - the sums of all agents, for the files of spending alone. */
#ifndef CREW_SPENDING_INSIDE_H
#define CREW_SPENDING_INSIDE_H

#include "base/map.h"
#include "crew/seen.h"
#include "crew/spending.h"

#define SPENDING_MARK TEXT("spending 4\n") /* of what is saved; spending_load.c has those before */
#define SPENDING_OWN_MAX INT64_C(1000000000000000000) /* millionths in a row */

struct spent_row {
	uint32_t hour; /* since 1970 */
	uint32_t project, harness, model;
	uint8_t size, fast;
	uint8_t at_least; /* calls of a session were hidden */
	int64_t own;      /* millionths of a dollar beyond its calls, by agents' own figures */
	struct spent_counts counts;
};

/* A response that was counted. */
struct spent_id {
	uint64_t hash;
	uint32_t next;  /* in its chain; SPENDING_IDS: none */
	uint32_t owner; /* the session that it counts in: 31 bits of a hash; 0: not known */
	uint32_t n[SPENT_COUNTS];
};

struct spending {
	char **names; /* the first is empty */
	uint32_t name_count;
	struct map by_name; /* -> its number and one, as a pointer */
	struct spent_row *rows;
	uint32_t row_count, row_room;
	uint32_t *slots; /* numbers of rows and one, by hash; a power of two */
	uint32_t slot_count;
	struct spent_id *ids; /* a ring */
	uint32_t *chains;     /* the first of each */
	uint64_t id_count;    /* ever */
	uint64_t seed;        /* of the hash of an id */
	struct seen_ids seen; /* older responses */
	bool is_full;         /* it was said that no more of them fit */
	struct map sessions;  /* id -> struct usage */
	struct link all;      /* usage.in_all */
	uint64_t seq;         /* the newest that was heard */
	uint64_t changes;
	const struct prices *prices; /* NULL: agents' own figures are in no row */
	struct signal_reader *reader;
	struct spending_saving *savings[USAGE_SAVINGS]; /* under way, or NULL */
	struct spending_saving *fold_saving;            /* of them, for a checkpoint */
	struct spent_rates *rates;                      /* what was looked up */
};

uint32_t spending_name(struct spending *spending, struct text name); /* its number */
struct spent_row *spending_row(struct spending *spending, const struct spent_row *like);
struct usage *spending_session(struct spending *spending, struct text id);
void spending_make_rows(struct spending *spending, uint32_t room);
struct spent_id *spending_add_id(struct spending *spending, uint64_t hash);        /* that is new */
struct spent_id *spending_find_id(const struct spending *spending, uint64_t hash); /* or NULL */
uint32_t spending_project(struct spending *spending, struct text cwd); /* its last folder */

/* What is being saved must have them as they were: before each change. */
void spending_touch_row(struct spending *spending, const struct spent_row *row);
void spending_touch_id(struct spending *spending, uint32_t slot);
void spending_touch_session(struct spending *spending, struct usage *usage);

struct spent_rates *spent_rates_create(void);
void spent_rates_forget(struct spent_rates *rates); /* the list or the names are others */
void spent_rates_destroy(struct spent_rates *rates);

/* Adds to the row of whoever called. */
void spending_count(struct spending *spending, const struct usage_facts *facts, struct usage *of,
                    const struct spent_counts *added);
/* After its calls or its own figure changed: rows have what the figure is more. */
void spending_weigh(struct spending *spending, struct usage *usage);
void spending_weigh_all(struct spending *spending);
/* Dollars of its calls and beyond; false: nobody knows the price. */
bool spending_row_cost(const struct spending *spending, const struct spent_row *row,
                       const struct prices *prices, double *out);
bool spending_part_cost(const struct spending *spending, const struct usage_part *part,
                        const struct prices *prices, double *out);
/* What is new of a response: in whatever order its signals come, together they are the most
 * that any of them told.  False: nothing.  Who tells one that another told first is a fork. */
bool spending_take_news(struct spending *spending, struct usage_facts *facts, struct usage *of);
/* Notes whose it is, and that `of` has copied it if it is another's. */
void spending_own_id(const struct spending *spending, struct spent_id *id, bool is_new,
                     struct usage *of);
/* Who has no credential says nothing of a session that others tell of. */
bool spending_is_strange(const struct spending *spending, const struct signal *signal,
                         struct text session);
void spending_vouch(struct usage *usage, const struct signal *signal); /* after that was asked */
void spending_hear_past(struct spending *spending, const struct signal *signal);

#endif

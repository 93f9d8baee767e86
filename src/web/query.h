/* query.h - what of the history somebody wants; pure.
 *
 *   after, before   positions, SEQ or EPOCH-SEQ; both exclusive; after may be several
 *   limit           how many at most
 *   type, source    lists: given more than once, or with commas; a type may end
 *                   in a star
 *   correlationId   exactly this
 *   q               text that the line holds, in capitals or not
 *   format          json or ndjson
 */
#ifndef WEB_QUERY_H
#define WEB_QUERY_H

#include "base/error.h"
#include "journal/sieve.h"
#include "signal/filter.h"
#include "signal/position.h"

#define QUERY_LIMIT 100       /* unless one is given */
#define QUERY_LIMIT_MAX 10000 /* of one JSON answer */
#define QUERY_PIECE (1 * MIB) /* of everything, that the journal's thread reads at once */

struct query {
	bool has_after, has_limit, is_ndjson;
	struct positions after;
	uint64_t before; /* UINT64_MAX: the end */
	uint64_t limit;
	struct filter filter;
	char *contains; /* NULL: anything */
};

/* After a failure there is nothing to finish. */
bool query_parse(struct query *query, struct text text, struct error *why);
void query_finish(struct query *query);

/* Does it leave anything out? */
bool query_filters(const struct query *query);
bool query_matches(const struct query *query, struct text line, struct signal_reader *reader);

/* The lines that it means, wherever they stand; it copies what it needs. */
struct journal_sieve *query_sieve(const struct query *query);

#endif

/* ledger.h - responses that were read from what agents left, each once, by session; pure.
 *
 * It takes the signals that a parser makes of a transcript and keeps what was spent.  One response
 * is told by several lines, and copied by forks: the most that any of them told is kept, in the
 * session that told it first.
 */
#ifndef CREW_LEDGER_H
#define CREW_LEDGER_H

#include "base/map.h"
#include "crew/usage.h"
#include "signal/json.h"

#define LEDGER_PIECE 200 /* responses in one signal */
#define LEDGER_RESPONSES_MAX 10000000u

struct ledger_response {
	char *id;
	const char *model; /* of ledger.names */
	double at_ms;
	struct spent_counts counts;
	uint32_t session;
	uint8_t size;
	bool fast;
	bool is_known; /* whoever asked the box says so */
	bool may_grow; /* likewise: it is known, and told all the same */
	bool is_taken; /* whoever told it says so */
};

struct ledger_session {
	char *id, *cwd;
	const char *harness; /* of ledger.names */
	double cost;         /* by the agent itself; 0: not told */
	bool is_compacted;   /* the calls for that are told nowhere */
	bool is_copy;        /* a fork: its cost has calls of another session */
};

struct ledger {
	struct ledger_response *responses;
	uint32_t response_count, response_room;
	struct ledger_session *sessions;
	uint32_t session_count, session_room;
	struct map by_id, by_session, names; /* numbers and one; names: themselves */
	struct json_reader reader;
};

void ledger_init(struct ledger *ledger);
void ledger_finish(struct ledger *ledger);

/* An envelope, of whatever type. */
void ledger_take(struct ledger *ledger, struct text envelope);
/* Where a session works that has not told it itself. */
void ledger_place(struct ledger *ledger, struct text session, struct text cwd);

/* Sorted by session, then time: from now on nothing is taken. */
void ledger_sort(struct ledger *ledger);
/* The next usage.past from `*at` on, of one session, without what is known and cannot grow; *at is
 * moved behind it.  False: there is no more. */
bool ledger_write(const struct ledger *ledger, uint32_t *at, double now_ms, struct buf *out);

#endif

/* import_told.h - what an import found and did, in words and as JSON. */
#ifndef CLI_IMPORT_TOLD_H
#define CLI_IMPORT_TOLD_H

#include "cli/out.h"
#include "crew/usage.h"

struct ledger;

struct import_told {
	uint64_t files, left_out, unread, bytes, lines, bad, refused, ms;
	uint64_t sessions, responses, known;
	uint64_t counted;           /* were not known, and the box has taken them */
	struct spent_counts counts; /* of those; of a trial: of all that are not known */
	bool is_asked;              /* the box has said what it knows */
	bool is_trial, is_good;
};

/* After all was told, or as much as could be. */
void import_told_add(struct import_told *told, const struct ledger *ledger);
void import_told_show(const struct import_told *told, struct out *out, bool as_json);

#endif

/* import_told.h - what an import found and did, in words and as JSON. */
#ifndef CLI_IMPORT_TOLD_H
#define CLI_IMPORT_TOLD_H

#include "cli/out.h"
#include "crew/prices.h"

struct ledger;

struct import_told {
	uint64_t files, unread, bytes, lines, bad, refused, ms;
	uint64_t sessions, responses, known;
	struct spent_counts counts; /* of those that were not known */
	double cost;                /* likewise, by the list of prices in the program */
	bool has_unknown;           /* some have no price */
	bool is_trial, is_good;
};

void import_told_add(struct import_told *told, const struct ledger *ledger);
void import_told_show(const struct import_told *told, struct out *out, bool as_json);

#endif

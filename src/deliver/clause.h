/* clause.h - a `when` of the configuration, kept as JSON there; pure. */
#ifndef DELIVER_CLAUSE_H
#define DELIVER_CLAUSE_H

#include "base/error.h"
#include "signal/when.h"

struct clause {
	yyjson_doc *json;
	struct when *when;
};

/* Is it one?  Every word of it means something. */
bool clause_check(struct text json, struct error *why);

/* json NULL: it always holds; one that is none never does. */
void clause_init(struct clause *c, const char *json);
void clause_finish(struct clause *c);
bool clause_holds(const struct clause *c, const struct cue *cue);

#endif

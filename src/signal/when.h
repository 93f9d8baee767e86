/* when.h - the conditions of wires, choreographies and bindings; pure.
 *
 *	When = Cond | [Cond...]           an object is AND, an array OR; none is true
 *	Cond = {"signal.path": Op, ...}
 *	Op   = {equals, contains, matches, gt, lt, exists, not}     all of them
 *
 * What is not of an operator's kind does not hold: a number contains nothing.  `not`
 * stands alone: beside it the others are not looked at.  Operators that nobody knows
 * are passed over.  `matches` is a regular expression, found anywhere in a string;
 * one that is none never matches.  It has a limit to how hard it tries, and
 * beyond that it does not match.
 */
#ifndef SIGNAL_WHEN_H
#define SIGNAL_WHEN_H

#include "base/error.h"
#include "signal/cue.h"

struct when;

/* In a choreography a path begins with "signal.", and without it leads nowhere;
 * elsewhere that may be left out. */
enum when_prefix { WHEN_PREFIX_NEEDED, WHEN_PREFIX_OPTIONAL };

/* clause NULL or null: always true.  It must live as long as what is made of it.
 * NULL when it is no condition: why begins with the JSON pointer of the fault within
 * it. */
struct when *when_create(yyjson_val *clause, enum when_prefix prefix, struct error *why);
void when_destroy(struct when *when);

/* For a condition that somebody writes by hand, which should do what it says: false also for an
 * operator that nobody knows or that a `not` hides, and for a bad expression. */
bool when_check(yyjson_val *clause, struct error *why);

/* Allocates nothing.  One thread at a time. */
bool when_holds(const struct when *when, const struct cue *cue);

#endif

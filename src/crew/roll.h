/* roll.h - the sessions of a box as a client of it reads them: the answer of `GET /api/crew`, in
 * the order in which every list shows it.
 *
 * That is by group, those that wait for a person first, and in a group by handle, with
 * checkout-2 before checkout-10; one that another of its group began stands below that one.
 * Members stay JSON, and words.h says them in words.
 */
#ifndef CREW_ROLL_H
#define CREW_ROLL_H

#include <yyjson.h>

#include "base/text.h"
#include "crew/state.h"

#define ROLL_PATH "/api/crew?limit=4096" /* all that a box has */

struct roll {
	yyjson_doc *doc;
	yyjson_val **members;  /* within doc */
	unsigned char *depths; /* of each: how far it stands below others */
	size_t count;
	double at_ms; /* when the box wrote it, by its clock */
};

/* False: that is no such answer, and there is nothing to finish. */
bool roll_read(struct roll *roll, struct text answer);
void roll_finish(struct roll *roll); /* all zero is fine */

/* By its handle, its id, its newest run or one before that; NULL: none. */
yyjson_val *roll_find(const struct roll *roll, struct text name);
enum crew_group roll_group(yyjson_val *member); /* of one that says none: over */
size_t roll_count(const struct roll *roll, enum crew_group group);

#endif

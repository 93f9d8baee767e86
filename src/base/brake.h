/* brake.h - a session that is held, as a file: DATA/held/SESSION.
 *
 * What is in it is how many uses of tools may still pass.  Whoever holds a session has the
 * file on the disk when the call returns; whoever uses a tool looks for it, and needs nobody
 * else: no box has to live for a pause to hold, or to end.
 */
#ifndef BASE_BRAKE_H
#define BASE_BRAKE_H

#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

#define BRAKE_MAX 1000000 /* uses */

/* Can a session of that name be held?  It has to be the name of a file. */
bool brake_can(struct text session);

/* Holds it, with so many uses that may pass; more: besides those that it has. */
bool brake_set(const char *data, struct text session, uint64_t uses, struct error *why);
bool brake_add(const char *data, struct text session, uint64_t more, struct error *why);
/* One that is not held is fine. */
bool brake_release(const char *data, struct text session, struct error *why);

/* False: it is not held. */
bool brake_look(const char *data, struct text session, uint64_t *uses);

/* One use of a tool. */
enum brake_pass {
	BRAKE_FREE,   /* it is not held */
	BRAKE_PASSED, /* it took one of the uses */
	BRAKE_HELD,   /* there is none left */
};
enum brake_pass brake_pass(const char *data, struct text session);

/* Each session that is held. */
typedef void brake_each_fn(void *self, struct text session);
void brake_each(const char *data, brake_each_fn *each, void *self);

#endif

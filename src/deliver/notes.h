/* notes.h - short values by their names, in the order in which they were noted.
 *
 * When there are too many, the oldest is forgotten.  They are saved a piece at a time, as they
 * were when that began (bus/saving.h): `{"name":"value",...}`.
 */
#ifndef DELIVER_NOTES_H
#define DELIVER_NOTES_H

#include <yyjson.h>

#include "base/list.h"
#include "base/map.h"
#include "bus/saving.h"

#define NOTES_TEXT_MAX 1024 /* bytes of a name or a value; a longer one is not noted */

struct notes {
	struct map by_name;
	struct link all; /* note.in_all */
	size_t max;
	struct saving saving;
};

void notes_init(struct notes *n, size_t max);
void notes_finish(struct notes *n);

void notes_set(struct notes *n, struct text name, struct text value);
struct text notes_get(const struct notes *n,
                      struct text name); /* a NULL pointer: it is not there */
/* The oldest; false: there is none. */
bool notes_first(const struct notes *n, struct text *name, struct text *value);
void notes_forget(struct notes *n, struct text name);

void notes_save_begin(struct notes *n);
bool notes_save_more(struct notes *n, struct buf *out); /* false: the last */
void notes_load(struct notes *n, yyjson_val *saved);

#endif

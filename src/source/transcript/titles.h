/* titles.h - the file in which a program keeps the titles of all its sessions, as it grows.
 *
 * It has those of long ago, too: a title is told when its session is open, and the newest of the
 * others wait for theirs.
 */
#ifndef SOURCE_TITLES_H
#define SOURCE_TITLES_H

#include "base/text.h"

struct living;
struct titles;
struct trails;

struct titles_options {
	struct trails *trails;
	struct living *living;
	const char *dir;      /* copied */
	const char *name;     /* of the file; theirs */
	const char *protocol; /* of parse/ */
	void *self;
	void (*tell)(void *self, struct text envelope); /* the same envelope again is the same */
};

struct titles *titles_create(const struct titles_options *options);
void titles_destroy(struct titles *titles);

/* Each beat; is_all: also at what is watched. */
void titles_look(struct titles *titles, bool is_all);

#endif

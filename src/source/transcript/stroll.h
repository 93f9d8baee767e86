/* stroll.h - which subagents of open sessions have files, a few entries of directories at a time.
 *
 * A directory that is as it was is not walked through again, and one look takes so many entries
 * that the loop does not feel it; the next goes on there.
 */
#ifndef SOURCE_STROLL_H
#define SOURCE_STROLL_H

#include <dirent.h>

#include "base/map.h"

struct stroll_of {
	struct text session;
	bool is_beside; /* its files lie among those of other sessions */
};

typedef void stroll_found_fn(void *self, struct text session, const char *name, bool is_beside);

struct stroll {
	void *self;
	stroll_found_fn *found;
	struct map walked; /* directories: what they were known by then */
	unsigned entries;  /* that this look may still take */
	DIR *dir;          /* which the next look goes on with; NULL: none */
	char *session, *key;
	void *mark;
	bool is_beside;
	unsigned seen;
};

void stroll_init(struct stroll *stroll, void *self, stroll_found_fn *found);
void stroll_finish(struct stroll *stroll);
void stroll_forget(struct stroll *stroll); /* all are to be walked through again */

void stroll_look(struct stroll *stroll); /* a look begins */
/* Takes fd, which may be -1.  key: the name of the directory.  False: it was not walked through
 * to its end, or changed so short ago that it may change again unseen. */
bool stroll_into(struct stroll *stroll, int fd, const char *key, const struct stroll_of *of);

#endif

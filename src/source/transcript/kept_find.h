/* kept_find.h - looking for files that were changed of late, on a thread. */
#ifndef SOURCE_KEPT_FIND_H
#define SOURCE_KEPT_FIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEPT_FOUND_MAX 128
#define KEPT_DIRS_MAX 512

struct kept_find {
	char *dir;
	const char *within, *begin;  /* kept.h */
	int64_t since_s;             /* Unix time; older ones are left alone */
	char *found[KEPT_FOUND_MAX]; /* below the directory */
	unsigned count;
	char *dirs[KEPT_DIRS_MAX]; /* likewise: where such files may come */
	unsigned dir_count;
	bool is_full; /* there are more */
};

/* Is a file of this name, in a directory of that path, such a file? */
bool kept_find_wants(const struct kept_find *find, const char *dir, const char *name);
void kept_find_run(struct kept_find *find);
void kept_find_finish(struct kept_find *find);

#endif

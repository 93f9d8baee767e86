/* kept_find.h - looking for files that were changed of late, on a thread. */
#ifndef SOURCE_KEPT_FIND_H
#define SOURCE_KEPT_FIND_H

#include <stddef.h>
#include <stdint.h>

#define KEPT_FOUND_MAX 128

struct kept_find {
	char *dir;
	const char *within, *begin;  /* kept.h */
	int64_t since_s;             /* Unix time; older ones are left alone */
	char *found[KEPT_FOUND_MAX]; /* below the directory */
	unsigned count;
};

void kept_find_run(struct kept_find *find);
void kept_find_finish(struct kept_find *find);

#endif

/* kept_find.h - looking for files that were changed of late, on a thread; and opening one. */
#ifndef SOURCE_KEPT_FIND_H
#define SOURCE_KEPT_FIND_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

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

/* A plain file of ours below the directory, through no link; -1: there is none. */
int kept_open(const char *dir, const char *below, struct stat *is);

#endif

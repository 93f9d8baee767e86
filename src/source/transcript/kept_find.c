/* kept_find.c - a walk through folders. */
#include "source/transcript/kept_find.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/must.h"
#include "base/text.h"

#define DEPTH_MAX 6
#define LOOKED_MAX 200000 /* entries of one walk */

struct kept_walk {
	struct kept_find *find;
	unsigned looked;
};

static bool is_wanted(const struct kept_find *find, const char *below, const char *name,
                      const struct stat *is)
{
	return S_ISREG(is->st_mode) && is->st_uid == geteuid() &&
	       is->st_mtim.tv_sec > find->since_s &&
	       text_starts(text_of(name), text_of(find->begin)) &&
	       text_ends(text_of(name), TEXT(".jsonl")) &&
	       (!find->within || strstr(below, find->within));
}

/* Takes fd. */
static void walk_folder(struct kept_walk *w, int fd, const char *below, unsigned depth)
{
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *entry;

	if (!dir && fd >= 0)
		close(fd);
	while (dir && w->looked < LOOKED_MAX && w->find->count < KEPT_FOUND_MAX &&
	       (entry = readdir(dir))) {
		struct stat is;
		char *path;

		if (entry->d_name[0] == '.' ||
		    fstatat(dirfd(dir), entry->d_name, &is, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		w->looked++;
		path = must_print("%s/%s", below, entry->d_name);
		if (S_ISDIR(is.st_mode) && depth < DEPTH_MAX)
			walk_folder(w,
			            openat(dirfd(dir), entry->d_name,
			                   O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW),
			            path, depth + 1);
		else if (is_wanted(w->find, path, entry->d_name, &is))
			w->find->found[w->find->count++] = must_dup(path);
		free(path);
	}
	if (dir)
		closedir(dir);
}

void kept_find_run(struct kept_find *find)
{
	struct kept_walk walk = {.find = find};

	walk_folder(&walk, open(find->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), "", 0);
}

void kept_find_finish(struct kept_find *find)
{
	for (unsigned i = 0; i < find->count; i++)
		free(find->found[i]);
	free(find->dir);
}

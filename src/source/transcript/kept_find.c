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

bool kept_find_wants(const struct kept_find *find, const char *dir, const char *name)
{
	char *path;
	bool is_within;

	if (!text_starts(text_of(name), text_of(find->begin)) ||
	    !text_ends(text_of(name), TEXT(".jsonl")))
		return false;
	path = must_print("%s/%s", dir, name);
	is_within = !find->within || strstr(path, find->within);
	free(path);
	return is_within;
}

static bool is_ours(const struct kept_find *find, const struct stat *is)
{
	return S_ISREG(is->st_mode) && is->st_uid == geteuid() &&
	       is->st_mtim.tv_sec > find->since_s;
}

static void note_dir(struct kept_find *find, const char *below)
{
	if (find->dir_count == KEPT_DIRS_MAX)
		find->is_full = true;
	else
		find->dirs[find->dir_count++] = must_dup(below);
}

/* Takes fd. */
static void walk_folder(struct kept_walk *w, int fd, const char *below, unsigned depth)
{
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *entry;

	if (!dir && fd >= 0)
		close(fd);
	if (dir)
		note_dir(w->find, below);
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
		else if (is_ours(w->find, &is) && kept_find_wants(w->find, below, entry->d_name))
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
	find->is_full |= walk.looked == LOOKED_MAX || find->count == KEPT_FOUND_MAX;
}

void kept_find_finish(struct kept_find *find)
{
	for (unsigned i = 0; i < find->count; i++)
		free(find->found[i]);
	for (unsigned i = 0; i < find->dir_count; i++)
		free(find->dirs[i]);
	free(find->dir);
}

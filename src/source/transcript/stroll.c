/* stroll.c - directories, and what they were known by. */
#include "source/transcript/stroll.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/clock.h"
#include "base/must.h"

#define ENTRIES_MAX 500       /* in one look */
#define FRESH_S 2             /* a directory that changed just now may change unseen */
#define WALKED_MAX 4096       /* directories that are remembered */
#define SUBAGENTS_MAX 64      /* of a session */
#define AWAY_MS (24 * 3600e3) /* a file that is silent for longer has nothing to say */

void stroll_init(struct stroll *stroll, void *self, stroll_found_fn *found)
{
	*stroll = (struct stroll){.self = self, .found = found};
	map_init(&stroll->walked);
}

void stroll_forget(struct stroll *stroll)
{
	map_finish(&stroll->walked);
	map_init(&stroll->walked);
}

static void stroll_leave(struct stroll *stroll, bool is_whole)
{
	if (!stroll->dir)
		return;
	closedir(stroll->dir);
	if (stroll->walked.count >= WALKED_MAX)
		stroll_forget(stroll);
	if (is_whole && stroll->mark)
		map_set(&stroll->walked, text_of(stroll->key), stroll->mark);
	free(stroll->session);
	free(stroll->key);
	stroll->dir = NULL;
}

void stroll_finish(struct stroll *stroll)
{
	stroll_leave(stroll, false);
	map_finish(&stroll->walked);
}

/* Old ones stand beside new ones. */
static bool is_lively(int dir, const char *name)
{
	struct stat is;

	return fstatat(dir, name, &is, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(is.st_mode) &&
	       (double)is.st_mtim.tv_sec * 1e3 > (double)clock_wall_ms() - AWAY_MS;
}

static void stroll_on(struct stroll *stroll)
{
	struct dirent *entry = NULL;

	while (stroll->entries > 0 && stroll->seen < SUBAGENTS_MAX &&
	       (entry = readdir(stroll->dir))) {
		struct text name = text_of(entry->d_name);

		stroll->entries--;
		if (!text_starts(name, TEXT("agent-")) || !text_ends(name, TEXT(".jsonl")) ||
		    !is_lively(dirfd(stroll->dir), entry->d_name))
			continue;
		stroll->seen++;
		stroll->found(stroll->self, text_of(stroll->session), entry->d_name,
		              stroll->is_beside);
	}
	if (!entry || stroll->seen == SUBAGENTS_MAX)
		stroll_leave(stroll, true);
}

void stroll_look(struct stroll *stroll)
{
	stroll->entries = ENTRIES_MAX;
	if (stroll->dir)
		stroll_on(stroll);
}

/* As long as nothing is made there, it is the same; NULL: it changed just now. */
static void *mark_of(const struct stat *is)
{
	uint64_t when[] = {(uint64_t)is->st_mtim.tv_sec, (uint64_t)is->st_mtim.tv_nsec,
	                   (uint64_t)is->st_ino};
	uintptr_t mark = (uintptr_t)XXH3_64bits(when, sizeof(when)) | 1;

	if (is->st_mtim.tv_sec + FRESH_S >= clock_wall_ms() / 1000)
		return NULL;
	return (void *)mark; // NOLINT(performance-no-int-to-ptr)
}

static bool is_walked(const struct stroll *stroll, const char *key, const void *mark)
{
	return mark && map_get(&stroll->walked, text_of(key)) == mark;
}

bool stroll_into(struct stroll *stroll, int fd, const char *key, const struct stroll_of *of)
{
	struct stat is;
	void *mark = fd >= 0 && fstat(fd, &is) == 0 ? mark_of(&is) : NULL;
	bool is_same = fd < 0 || is_walked(stroll, key, mark);

	if (is_same || stroll->dir || stroll->entries == 0 || !(stroll->dir = fdopendir(fd))) {
		if (fd >= 0)
			close(fd);
		return is_same;
	}
	stroll->session = text_dup(of->session);
	stroll->key = must_dup(key);
	stroll->mark = mark;
	stroll->is_beside = of->is_beside;
	stroll->seen = 0;
	stroll_on(stroll);
	return mark && !stroll->dir;
}

/* adapter_files.c - files that people sent: the adapter puts them into a directory that the box
 * gives it, or says where in the internet they are. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/must.h"
#include "deliver/adapter/adapter_inside.h"

#define INCOMING "incoming"
#define KEEP_MS (24 * 3600 * INT64_C(1000)) /* what was wanted is in DATA/media by then */
#define SWEEP_MS (3600 * 1000)

static bool make_directory(const char *path)
{
	return mkdir(path, 0700) == 0 || errno == EEXIST;
}

void adapter_files_init(struct adapter *a)
{
	char *whole = realpath(a->directory, NULL);
	char *all = must_print("%s/" INCOMING, whole ? whole : a->directory);

	fetches_init(&a->fetches, &a->options);
	a->media = must_print("%s/%s", all, a->account);
	if (!make_directory(all) || !make_directory(a->media))
		log_warn("deliver", "the directory %s cannot be made: %s", a->media,
		         strerror(errno));
	free(all);
	free(whole);
}

void adapter_files_finish(struct adapter *a)
{
	fetches_finish(&a->fetches);
	free(a->media);
}

/* ---- one of them ---- */

void adapter_fetch(void *self, const struct channel_fetch *fetch)
{
	struct adapter *a = self;
	char *where = text_dup(fetch->where);
	size_t len = strlen(a->media);

	if (text_starts(fetch->where, TEXT("http://")) ||
	    text_starts(fetch->where, TEXT("https://")))
		fetches_web(&a->fetches, fetch->number, &(struct download_options){.url = where});
	else if (strncmp(where, a->media, len) == 0 && where[len] == '/')
		fetches_beneath(&a->fetches, fetch->number, a->media, where + len + 1);
	else
		fetches_beneath(&a->fetches, fetch->number, a->media, where);
	free(where);
}

/* ---- those that are old ---- */

static void sweep_file(int dir, const char *name, int64_t oldest_s)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(st.st_mode) &&
	    st.st_mtime < oldest_s && unlinkat(dir, name, 0) != 0)
		log_warn("deliver", "an old file of an adapter cannot be removed: %s",
		         strerror(errno));
}

int64_t adapter_files_tick(struct adapter *a, int64_t now_ms)
{
	const struct dirent *one;
	DIR *dir;

	if (now_ms < a->sweep_ms)
		return a->sweep_ms;
	a->sweep_ms = now_ms + SWEEP_MS;
	dir = opendir(a->media);
	while (dir && (one = readdir(dir)))
		sweep_file(dirfd(dir), one->d_name, (clock_wall_ms() - KEEP_MS) / 1000);
	if (dir)
		closedir(dir);
	return a->sweep_ms;
}

/* retention.c - by size and by age. */
#include "journal/retention.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "journal/disk.h"
#include "journal/inside.h"

#define DAY_MS 86400000ll

static bool is_older_than(int dir, uint64_t first, unsigned days)
{
	char name[SEGMENT_NAME_ROOM];
	struct stat st;

	segment_name(name, first, SEGMENT_LINES);
	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       clock_wall_ms() - (int64_t)st.st_mtim.tv_sec * 1000 > (int64_t)days * DAY_MS;
}

/* Only the writer changes the shelf, so it may look without the mutex. */
static bool must_go(struct journal *j)
{
	uint64_t bytes;
	unsigned days;

	pthread_mutex_lock(&j->mutex);
	bytes = j->options.keep_bytes;
	days = j->options.keep_days;
	pthread_mutex_unlock(&j->mutex);
	if (j->shelf.count < 2)
		return false;
	if (bytes && shelf_bytes(&j->shelf) > bytes)
		return true;
	return days && is_older_than(j->dir, j->shelf.firsts[0], days);
}

/* It leaves the shelf first: a reader that finds it there finds it on the disk,
 * or looks again. */
static void remove_oldest(struct journal *j)
{
	uint64_t first = j->shelf.firsts[0];
	char name[SEGMENT_NAME_ROOM];

	pthread_mutex_lock(&j->mutex);
	shelf_drop_oldest(&j->shelf);
	pthread_mutex_unlock(&j->mutex);
	segment_name(name, first, SEGMENT_LINES);
	unlinkat(j->dir, name, 0);
	segment_name(name, first, SEGMENT_INDEX);
	unlinkat(j->dir, name, 0);
	log_info("journal", "segment %llu is over the limit and gone", (unsigned long long)first);
}

/* FIRST.quarantine of something that was before all that is there. */
static bool is_outlived(const char *name, uint64_t oldest)
{
	struct text suffix, digits = text_cut(text_of(name), '.', &suffix);
	uint64_t first;

	return text_is(suffix, "quarantine") && text_to_u64(digits, &first) && first < oldest;
}

static void remove_outlived(struct journal *j)
{
	DIR *list = disk_list(j->dir);
	struct dirent *d;

	while (list && j->shelf.count > 0 && (d = readdir(list)))
		if (is_outlived(d->d_name, j->shelf.firsts[0]))
			unlinkat(j->dir, d->d_name, 0);
	if (list)
		closedir(list);
}

static bool remove_segments(struct journal *j)
{
	bool any = false;

	for (; must_go(j); any = true)
		remove_oldest(j);
	return any;
}

void retention_apply(struct journal *j)
{
	if (remove_segments(j))
		remove_outlived(j);
}

void retention_tidy(struct journal *j)
{
	remove_segments(j);
	remove_outlived(j);
}

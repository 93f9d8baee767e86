/* shelf.c - the sorted list of segments. */
#include "journal/shelf.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/must.h"
#include "journal/disk.h"
#include "journal/segment.h"

static void shelf_put(struct shelf *shelf, uint64_t first, uint64_t bytes)
{
	assert(shelf->count <= shelf->room);
	if (shelf->count == shelf->room) {
		shelf->room = shelf->room ? shelf->room * 2 : 64;
		shelf->firsts = must_grow(shelf->firsts, shelf->room * sizeof *shelf->firsts);
		shelf->bytes = must_grow(shelf->bytes, shelf->room * sizeof *shelf->bytes);
	}
	shelf->firsts[shelf->count] = first;
	shelf->bytes[shelf->count++] = bytes;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t shelf_size_of(int dir, uint64_t first)
{
	char name[SEGMENT_NAME_ROOM];
	struct stat st;

	segment_name(name, first, SEGMENT_LINES);
	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 ? (uint64_t)st.st_size : 0;
}

bool shelf_load(struct shelf *shelf, int dir, struct error *why)
{
	DIR *list = disk_list(dir);
	struct dirent *d;
	uint64_t first;

	*shelf = (struct shelf){0};
	if (!list)
		return error_errno(why, "the journal's directory");
	while ((d = readdir(list)))
		if (segment_parse_name(d->d_name, &first))
			shelf_put(shelf, first, 0);
	closedir(list);
	if (shelf->count)
		qsort(shelf->firsts, shelf->count, sizeof *shelf->firsts, by_number);
	for (size_t i = 0; i < shelf->count; i++)
		shelf->bytes[i] = shelf_size_of(dir, shelf->firsts[i]);
	return true;
}

void shelf_finish(struct shelf *shelf)
{
	free(shelf->firsts);
	free(shelf->bytes);
	*shelf = (struct shelf){0};
}

void shelf_add(struct shelf *shelf, uint64_t first)
{
	assert(shelf->count == 0 || first > shelf->firsts[shelf->count - 1]);
	shelf_put(shelf, first, 0);
}

void shelf_drop_oldest(struct shelf *shelf)
{
	assert(shelf->count > 0);
	shelf->count--;
	memmove(shelf->firsts, shelf->firsts + 1, shelf->count * sizeof *shelf->firsts);
	memmove(shelf->bytes, shelf->bytes + 1, shelf->count * sizeof *shelf->bytes);
}

void shelf_drop_newest(struct shelf *shelf)
{
	assert(shelf->count > 0);
	shelf->count--;
}

uint64_t shelf_bytes(const struct shelf *shelf)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < shelf->count; i++)
		sum += shelf->bytes[i];
	return sum;
}

uint64_t shelf_find(const struct shelf *shelf, uint64_t seq, uint64_t *until)
{
	size_t low = 0, high = shelf->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (shelf->firsts[middle] <= seq)
			low = middle + 1;
		else
			high = middle;
	}
	*until = low < shelf->count ? shelf->firsts[low] : 0;
	assert(low <= shelf->count);
	return low > 0 ? shelf->firsts[low - 1] : 0;
}

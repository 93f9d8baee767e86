/* place_disk.c - the files of indexes: reading, writing, and telling whose they are. */
#include "journal/place_disk.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "journal/disk.h"
#include "journal/segment.h"

#define TAIL_BYTES 4096 /* of a segment, by which it is known */

static void places_name(char out[SEGMENT_NAME_ROOM], uint64_t segment, const char *suffix)
{
	snprintf(out, SEGMENT_NAME_ROOM, "%020llu.%s", (unsigned long long)segment, suffix);
}

void placing_remove(int dir, uint64_t segment)
{
	char name[SEGMENT_NAME_ROOM];

	places_name(name, segment, PLACE_DISK_SUFFIX);
	unlinkat(dir, name, 0);
}

/* By what a segment is known; false: it cannot be read. */
static bool know_segment(int dir, uint64_t segment, struct place_segment *out)
{
	char name[SEGMENT_NAME_ROOM], tail[TAIL_BYTES];
	struct stat st;
	bool good;
	int fd;

	segment_name(name, segment, SEGMENT_LINES);
	fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return false;
	good = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
	if (good) {
		uint64_t size = (uint64_t)st.st_size;
		size_t len = size < TAIL_BYTES ? (size_t)size : TAIL_BYTES;

		good = disk_read(fd, tail, len, size - len) == (ssize_t)len;
		*out = (struct place_segment){size, good ? crc32c(0, tail, len) : 0};
	}
	close(fd);
	return good;
}

static bool read_places(const struct place_file *file, void *into, size_t len, uint64_t offset)
{
	return disk_read(file->fd, into, len, offset) == (ssize_t)len;
}

static bool open_places(int dir, uint64_t segment, struct place_file *out)
{
	char name[SEGMENT_NAME_ROOM];
	struct stat st;

	places_name(name, segment, PLACE_DISK_SUFFIX);
	*out = (struct place_file){.read = read_places};
	out->fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (out->fd < 0)
		return false;
	if (fstat(out->fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
		out->size = (uint64_t)st.st_size;
	return true;
}

bool place_disk_is_good(int dir, uint64_t segment)
{
	struct place_segment known;
	struct place_file file;
	bool good;

	if (!open_places(dir, segment, &file))
		return false;
	good = know_segment(dir, segment, &known) && place_file_is_of(&file, segment, &known);
	close(file.fd);
	return good;
}

bool place_disk_find(int dir, const struct placing_question *q, struct place_list *out)
{
	struct place_segment known;
	struct place_file file;
	bool good;

	if (!open_places(dir, q->segment, &file))
		return false;
	good = know_segment(dir, q->segment, &known) &&
	       place_file_is_of(&file, q->segment, &known) &&
	       place_file_find(&file, q->hashes, q->n, out);
	close(file.fd);
	return good && q->seq <= out->last && out->last < q->until;
}

/* Without a sync: whatever a power cut leaves of it has no checksum. */
static bool write_file(int dir, const char *name, struct text bytes)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	struct iovec all = {(void *)bytes.at, bytes.len};
	bool good = fd >= 0 && disk_write(fd, &all, 1, 0);

	return (fd < 0 || close(fd) == 0) && good;
}

void place_disk_write(int dir, uint64_t segment, const struct place_draft *draft)
{
	char name[SEGMENT_NAME_ROOM], fresh[SEGMENT_NAME_ROOM];
	struct place_segment known;
	struct buf out;

	places_name(name, segment, PLACE_DISK_SUFFIX);
	places_name(fresh, segment, PLACE_DISK_FRESH);
	buf_init(&out, PLACE_FILE_MAX);
	if (know_segment(dir, segment, &known) && place_draft_write(draft, &known, &out) &&
	    (!write_file(dir, fresh, buf_text(&out)) || renameat(dir, fresh, dir, name) != 0))
		unlinkat(dir, fresh, 0);
	buf_finish(&out);
}

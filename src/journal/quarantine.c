/* quarantine.c - from the file of lines into one beside it. */
#include "journal/quarantine.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "journal/disk.h"
#include "journal/segment.h"

#define PAGE_BYTES 4096

static int open_quarantine(int dir, uint64_t first, int flags)
{
	char name[SEGMENT_NAME_ROOM];

	segment_name(name, first, SEGMENT_QUARANTINE);
	return openat(dir, name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
}

/* One page, or as much of it as is wanted: a disk that fails does so page by page.  Returns how
 * many bytes were copied. */
static size_t copy_page(int from, uint64_t offset, size_t len, int to, uint64_t at)
{
	char page[PAGE_BYTES];
	ssize_t got = disk_read(from, page, len, offset);
	struct iovec piece = {page, got > 0 ? (size_t)got : 0};

	return got > 0 && disk_write(to, &piece, 1, at) ? (size_t)got : 0;
}

/* Returns how many bytes were copied, which is fewer than len where reading or writing fails: a
 * loop that waits for a page that cannot be read shall not wait for the next one, too. */
static uint64_t copy_range(int from, uint64_t offset, uint64_t len, int to, uint64_t at)
{
	uint64_t done = 0;
	size_t copied = 1;

	while (done < len && copied) {
		uint64_t want = PAGE_BYTES - (offset + done) % PAGE_BYTES;

		want = want < len - done ? want : len - done;
		copied = copy_page(from, offset + done, (size_t)want, to, at + done);
		done += copied;
	}
	return done;
}

void quarantine_copy(int dir, int fd, uint64_t first, uint64_t offset, uint64_t len)
{
	int out = open_quarantine(dir, first, O_EXCL);
	uint64_t copied;

	if (out < 0) {
		if (errno != EEXIST)
			log_warn("journal", "what is damaged at %llu cannot be put aside",
			         (unsigned long long)first);
		return;
	}
	copied = copy_range(fd, offset, len, out, 0);
	log_error("journal", "damaged at %llu: put %llu of %llu bytes aside",
	          (unsigned long long)first, (unsigned long long)copied, (unsigned long long)len);
	close(out);
}

bool quarantine_append(int dir, int fd, uint64_t first, uint64_t offset, uint64_t len)
{
	int out = open_quarantine(dir, first, 0);
	struct stat st;
	bool good = out >= 0 && fstat(out, &st) == 0 &&
	            copy_range(fd, offset, len, out, (uint64_t)st.st_size) == len &&
	            fsync(out) == 0 && fsync(dir) == 0;

	if (out >= 0)
		close(out);
	return good;
}

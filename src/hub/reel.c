/* reel.c - the mirrored ring and its index. */
#include "hub/reel.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/must.h"

static void must_map(bool ok, const char *what)
{
	if (ok)
		return;
	must_give_up(what);
}

/* The same pages twice, one behind the other: a read or write that runs over
 * the end goes on at the beginning. */
static char *map_twice(size_t size)
{
	int fd = memfd_create("reel", MFD_CLOEXEC);
	char *at, *low, *high;

	must_map(fd >= 0, "the kernel gives no memory file");
	must_map(ftruncate(fd, (off_t)size) == 0, "the kernel gives a memory file no size");
	at = mmap(NULL, 2 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must_map(at != MAP_FAILED, "the kernel maps no memory");
	low = mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
	high = mmap(at + size, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
	must_map(low == at && high == at + size, "the kernel maps no memory");
	close(fd);
	return at;
}

void reel_init(struct reel *reel, size_t size, size_t frames_max)
{
	assert(size && (size & (size - 1)) == 0 && frames_max &&
	       (frames_max & (frames_max - 1)) == 0);
	*reel = (struct reel){
		.ring = map_twice(size),
		.size = size,
		.frames_max = frames_max,
		.starts = must_zero(frames_max, sizeof(uint64_t)),
		.first_seq = 1,
		.next_seq = 1,
	};
}

void reel_finish(struct reel *reel)
{
	if (reel->ring)
		munmap(reel->ring, 2 * reel->size);
	free(reel->starts);
	*reel = (struct reel){0};
}

void reel_reset(struct reel *reel, uint64_t next_seq)
{
	reel->tail = reel->head;
	reel->first_seq = reel->next_seq = next_seq;
}

static void drop_first(struct reel *reel)
{
	assert(reel->first_seq < reel->next_seq);
	reel->first_seq++;
	reel->tail = reel_start(reel, reel->first_seq);
}

char *reel_reserve(struct reel *reel, size_t max)
{
	assert(max <= reel->size);
	while (reel->head - reel->tail + max > reel->size ||
	       reel->next_seq - reel->first_seq >= reel->frames_max)
		drop_first(reel);
	return reel->ring + (reel->head & (reel->size - 1));
}

void reel_commit(struct reel *reel, size_t written)
{
	assert(written <= reel->size - (reel->head - reel->tail));
	reel->starts[reel->next_seq & (reel->frames_max - 1)] = reel->head;
	reel->next_seq++;
	reel->head += written;
}

uint64_t reel_seq_at(const struct reel *reel, uint64_t at)
{
	uint64_t low = reel->first_seq, high = reel->next_seq;

	assert(at >= reel->tail && at < reel->head);
	/* The last seq that starts at or before `at`: frames of no bytes that
	 * start there too come before it. */
	while (high - low > 1) {
		uint64_t mid = low + (high - low) / 2;

		if (reel_start(reel, mid) <= at)
			low = mid;
		else
			high = mid;
	}
	return low;
}

/* parcel.h - messages of any size to a Unix socket, for a sender who cannot wait.
 *
 * A short one travels in the packet, a long one as a file in memory whose descriptor does.
 * So the kernel takes it whole whatever the receiver is at, or not at all, and packets stay
 * in the order of their sending.  Both sides look whose the other is: our own user's.
 */
#ifndef NET_PARCEL_H
#define NET_PARCEL_H

#include "base/buf.h"
#include "base/error.h"

struct loop;
struct parcels;
struct parcel_line;

#define PARCEL_MAX (64 * MIB) /* of its bytes; of a longer one its sender makes a stub */

struct parcel {
	char kind;
	int64_t at_ms;    /* when its sender began, Unix time */
	uint64_t whole;   /* bytes that it had */
	struct text body; /* those that came */
	uint32_t agent;   /* the process that its sender works for; 0: not known */
};

/* ---- who sends; nothing here waits ---- */

int parcel_connect(const char *path); /* -1: nobody is there, or not one of ours, or no room */
bool parcel_send(int fd, const struct parcel *parcel);

/* ---- who receives ---- */

/* Lines are numbered by their coming.  A line lives until left() was called for it. */
struct parcels_options {
	const char *path; /* is made anew: whoever has DATA has it alone */
	void *self;
	void (*came)(void *self, struct parcel_line *line, const struct parcel *parcel);
	void (*left)(void *self, struct parcel_line *line);
};
struct parcels *parcels_create(struct loop *loop, const struct parcels_options *o,
                               struct error *why);
void parcels_destroy(struct parcels *parcels);

/* For who receives, of one line. */
void parcel_line_set(struct parcel_line *line, void *of);
void *parcel_line_of(const struct parcel_line *line);

/* One packet, as it came: false when it is none of ours.  file: its descriptor, or -1, which
 * stays the caller's. */
bool parcel_read(struct parcel *parcel, struct text packet, int file, struct buf *room);

#endif

/* trail.h - files that grow, read by their lines as these are written.
 *
 * Only plain files of our own user are opened, and no part of their path below the root may be a
 * link.  A last line that is not whole waits for its rest.  A file that became another, or shorter,
 * is read from its beginning; one that was written anew with the same last line is read on.  A
 * long line is condensed, and all reading together takes a slice of each turn of the loop.  Where
 * its directory is watched, a file is read when it was written to; for the others somebody has to
 * call trail_read_soon().
 */
#ifndef SOURCE_TRAIL_H
#define SOURCE_TRAIL_H

#include <sys/stat.h>

#include "base/buf.h"
#include "base/list.h"
#include "net/loop.h"
#include "source/transcript/condense.h"
#include "source/transcript/watch.h"

#define TRAIL_LINE_MAX MIB /* bytes; one of which more is left is passed over */

struct trail;

struct trail_kind {
	/* From the beginning; the first time of all inode is 0 still. */
	void (*start)(struct trail *f, const struct stat *is);
	/* `at` is behind it; the same line has the same hash. */
	void (*line)(struct trail *f, struct text line, uint64_t hash);
};

struct trail {
	const struct trail_kind *kind;
	struct trails *all;
	const char *root; /* theirs */
	char *below;      /* its path */
	dev_t device;
	ino_t inode;          /* 0: it was never there */
	uint64_t at;          /* all before it was taken */
	uint64_t last, mark;  /* the bytes of the line before that, and its hash; 0: none */
	int64_t changed_s;    /* Unix time: when it was written to, as far as we know */
	uint64_t ahead;       /* bytes from there on that were read: a line that is not whole */
	struct condense rest; /* those */
	size_t held;          /* bytes of it, of trails.held */
	bool skips;           /* the line */
	struct watcher watcher;
	int fd;           /* while it is busy, and watched: -1: it is opened to be read */
	unsigned read_in; /* the rest of trails.rests in which it was read last */
	struct link in_ready, in_open;
};

/* All that one box follows. */
struct trails {
	struct loop *loop;
	struct watches *watches;
	uint64_t reads; /* how often one was opened */
	struct turn turn;
	struct link ready; /* those to be read: trail.in_ready */
	struct link open;  /* those whose fd is: trail.in_open */
	unsigned open_count, rests;
	size_t held; /* bytes of lines that are not whole yet */
	char *piece; /* what is read of a file at a time; NULL: none was */
};

void trails_init(struct trails *all, struct loop *loop, struct watches *watches);
void trails_finish(struct trails *all); /* when none is followed any more */

/* Takes below, and reads it soon. */
void trail_init(struct trail *f, struct trails *all, const char *root, char *below);
void trail_finish(struct trail *f);
void trail_read_soon(struct trail *f);
void trail_reopen(struct trail *f);   /* the name may be another file by now; and reads it soon */
void trails_rest(struct trails *all); /* each beat: closes those that were quiet since the last */

/* A plain file of ours below the root, or a directory; -1: there is none. */
int trail_open(const char *root, const char *below, struct stat *is);
int trail_open_dir(const char *root, const char *below);

#endif

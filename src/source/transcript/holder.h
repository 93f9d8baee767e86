/* holder.h - which process writes a file; for a thread.
 *
 * Of the processes of our own user their descriptors are looked at, by name, and nothing is opened
 * but what the kernel says of one.  A program that opens its file for each line is known by its
 * name and its folder: where one process alone has both, and none of its children does, it is that.
 */
#ifndef SOURCE_HOLDER_H
#define SOURCE_HOLDER_H

#include <sys/stat.h>

#include "base/text.h"

#define HOLDERS_MAX 64

struct holder_wish {
	char *name;          /* of the file, without its folder */
	const char *program; /* that does not keep it open, ... */
	char *cwd;           /* ... and works here; or NULL */
	dev_t device;
	ino_t inode;
	uint64_t pid, start; /* base/proc.h; 0: nobody */
};

struct holder_find {
	struct holder_wish wishes[HOLDERS_MAX];
	unsigned count;
};

void holder_find_run(struct holder_find *find);
void holder_find_finish(struct holder_find *find);

#endif

/* holder.h - which process has a file open to write; for a thread.
 *
 * Of the processes of our own user their descriptors are looked at, by name, and nothing is opened
 * but what the kernel says of one.
 */
#ifndef SOURCE_HOLDER_H
#define SOURCE_HOLDER_H

#include <sys/stat.h>

#include "base/text.h"

#define HOLDERS_MAX 64

struct holder_wish {
	char *name; /* of the file, without its folder */
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

/* import_zstd.h - a file that its program has compressed with zstd, read as what it was. */
#ifndef CLI_IMPORT_ZSTD_H
#define CLI_IMPORT_ZSTD_H

#include <stdbool.h>

#include "base/text.h"

struct import_zstd {
	int fd;
	void *self;
	/* Bytes of what it was; read: how many of the file were taken for them.  False: enough. */
	bool (*take)(void *self, struct text piece, uint64_t read);
};

/* False: enough, or errno says why not; EBADMSG where it is no such file, or not whole. */
bool import_zstd_read(const struct import_zstd *from);

#endif

/* whole.h - small files that are read, made and replaced whole.
 *
 * Short results and interruptions are taken care of.  A file that is written is on the
 * disk before it gets its name, and so is the name when the call returns; a crash leaves
 * the old file or the new one.
 */
#ifndef BASE_WHOLE_H
#define BASE_WHOLE_H

#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"

/* Everything up to the end, or all of the bytes; errno says why not, EFBIG that out is
 * full. */
bool whole_read(int fd, struct buf *out);
bool whole_write(int fd, struct text bytes);

/* The file of that name.  errno is ENOENT when there is none, and nothing else is. */
enum whole_demand {
	WHOLE_PRIVATE = 1, /* it is a file of ours that nobody else may read */
	WHOLE_NO_LINK = 2,
};
bool whole_load(const char *path, unsigned demands, struct buf *out, struct error *why);

/* Is it a directory of ours that nobody else gets into?  errno is ENOENT when there is none,
 * and nothing else is. */
bool whole_dir_is_private(const char *path, struct error *why);

/* Makes the directory and those above it, as far as they are missing and can be, for us
 * alone. */
void whole_make_dirs(const char *path);

/* In the place of whatever has the name, with this mode. */
bool whole_replace(const char *path, mode_t mode, struct text bytes, struct error *why);

/* The same where nothing has the name yet.  False with errno EEXIST: something has, and it
 * stays. */
bool whole_create(const char *path, mode_t mode, struct text bytes, struct error *why);

/* A name that was made or removed stays so. */
bool whole_sync_name(const char *path);

/* A secret of one line, without the space around it, of a file that is ours alone. */
bool whole_load_secret(const char *path, struct buf *out, struct error *why);

/* For a buffer that held a secret: wipes it and frees it. */
void whole_forget(struct buf *secret);

#endif

/* file.h - one settings file: found, read, and replaced in one step. */
#ifndef TAP_FILE_H
#define TAP_FILE_H

#include <sys/stat.h>

#include "base/buf.h"
#include "base/error.h"

struct file {
	char *path; /* links followed */
	bool is_there;
	struct stat was; /* when it is there */
	struct buf text;
};

/* dir/name.  inside: links may not lead out of this directory; NULL: anywhere.
 * With make, a missing dir is made.  A file that is not a plain file of our own is
 * refused.  Finish it whatever came of it. */
struct file_where {
	const char *dir, *name, *inside;
	bool make;
};
bool file_read(struct file *file, const struct file_where *where, struct error *why);
void file_finish(struct file *file);

/* Refused when somebody else changed the file since it was read. */
bool file_replace(const struct file *file, struct text with, struct error *why);
bool file_remove(const struct file *file, struct error *why);

/* The copy beside it: made, given back when it is the same as `text`, looked for. */
bool file_back_up(const struct file *file, struct error *why);
void file_drop_backup(const struct file *file, struct text text);
char *file_backup(const struct file *file); /* NULL: none; the caller frees it */

#endif

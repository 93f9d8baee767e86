/* disk.h - whole reads, whole writes and whole replacements of files.
 *
 * The system calls with their short results and interruptions taken care of.
 * Names are relative to an open directory.  Files are made with mode 0600.
 */
#ifndef JOURNAL_DISK_H
#define JOURNAL_DISK_H

#include <dirent.h>
#include <sys/uio.h>

#include "base/buf.h"
#include "base/error.h"

/* Writes all of the pieces, beginning at offset; changes the array. */
bool disk_write(int fd, struct iovec *pieces, size_t n, uint64_t offset);

/* Reads until len bytes or the end of the file are there; -1 on an error. */
ssize_t disk_read(int fd, void *into, size_t len, uint64_t offset);

/* The whole file, at most the ceiling of out; errno says why not. */
bool disk_load(int dir, const char *name, struct buf *out);

/* The file holds the new bytes or, whatever happens, still the old ones. */
bool disk_replace(int dir, const char *name, struct text bytes, struct error *why);

/* Removes a file so that it stays removed; one that is not there is fine. */
bool disk_remove(int dir, const char *name, struct error *why);

/* For readdir() and closedir(), from the beginning; NULL: errno says why not. */
DIR *disk_list(int dir);

#endif

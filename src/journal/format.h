/* format.h - is this a journal that we understand?
 *
 * `journal/format` names the newest form that its files have; each segment says its own
 * (batch.h), for those that come without that file.  What only a
 * newer signalbox understands is refused, and not touched.
 */
#ifndef JOURNAL_FORMAT_H
#define JOURNAL_FORMAT_H

#include "base/error.h"

#define NEWER_WORDS " was written by a newer signalbox, which is needed to read it"

/* Before anything is read: is it of our format? */
bool format_check(int dir, struct error *why);

/* Is everything in it a regular file? */
bool format_check_files(int dir, struct error *why);

/* Is there a `journal/format`?  Without it, a journal is of the first format. */
bool format_is_there(int dir);

/* Before anything is written: an older signalbox refuses it from now on. */
bool format_write(int dir, struct error *why);

/* The same at a start: all is to be regular files, and the format is written down. */
bool format_check_start(int dir, struct error *why);

#endif

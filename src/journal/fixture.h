/* fixture.h - a journal in a directory of its own, for the tests of this room.
 *
 * Line N is always the same text, so that what is read can be told from its seq
 * alone.  A crash is a copy of the files as they are while the journal is open.
 */
#ifndef JOURNAL_FIXTURE_H
#define JOURNAL_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "journal/reader.h"
#include "journal/segment.h"

#define WAIT_MS 60000

char *new_dir(void);
void remove_dir(char *dir); /* frees it too */

/* Paths are the caller's to free. */
char *path_in(const char *dir, const char *name);
char *segment_path(const char *dir, uint64_t first, enum segment_file which);

void load_file(const char *path, struct buf *out);
void save_file(const char *path, struct text bytes);

/* The same without the newlines that it is filled with ahead. */
void load_lines(const char *path, struct buf *out);

/* The files of a journal as they are now, in a directory of their own. */
char *crash_copy(const char *dir);

/* Writes its segments, which must be whole, in the old form, as one that was stopped cleanly
 * or crashed had left them. */
void make_old(const char *dir, bool crashed);

/* Removes all of its segments. */
void remove_segments(const char *dir);

struct journal_options some_options(const char *dir); /* segments of 1 MiB */
struct journal *open_with(const struct journal_options *options);
struct journal *open_in(const char *dir);
void expect_refusal(const char *dir, const char *words); /* it does not open */

/* Without its newline; some are short and some are long. */
size_t line_of(uint64_t seq, char *out, size_t room);

enum journal_append append(struct journal *j, bool hurry);
void wait_durable(struct journal *j);
void commit(struct journal *j, unsigned n); /* appends n and waits for them */

/* What a reader says, in one line: "1-30 gap 31-40 damaged 41-99". */
void read_all(struct journal *j, struct position after, size_t max, struct buf *story);

/* The same with several sizes of max. */
void expect_story(struct journal *j, uint64_t after, const char *expected);

#endif

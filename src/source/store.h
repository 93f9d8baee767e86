/* store.h - the sources that were added at run time, on the disk.
 *
 * DATA/sources.json holds what people may see, DATA/source-credentials.json the
 * rest, with mode 0600: a looser one is refused.  Both are replaced whole, by a
 * file that is on the disk before it gets the name.  A file that cannot be read as
 * what it should be is put aside, with a line in the log, and what can be read of it
 * is used.
 *
 * A save blocks the loop until the disk has it.  It is small, and happens when
 * somebody adds, changes or removes a source.
 */
#ifndef SOURCE_STORE_H
#define SOURCE_STORE_H

#include "source/source.h"

struct store;

/* NULL: a file is there that must not be used as it is. */
struct store *store_open(const char *data, struct error *why);
void store_close(struct store *store);
/* Could it be opened?  Nothing is put aside. */
bool store_is_usable(const char *data, struct error *why);

/* Each row in turn; once, at the start.  False from row(): it is of no use, and
 * why says so.  False: a file was put aside, and what was read of it is nowhere on
 * the disk until it is saved. */
typedef bool store_row_fn(void *self, const struct source_wish *wish, struct error *why);
bool store_each(struct store *store, store_row_fn *row, void *self);

/* What is kept for this id; empty: nothing.  Valid until the next set. */
struct text store_credential(const struct store *store, struct text id);
void store_set_credential(struct store *store, struct text id, struct text credential);

bool store_save(struct store *store, const struct sources *sources, struct error *why);

#endif

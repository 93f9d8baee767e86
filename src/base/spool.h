/* spool.h - payloads that could not be handed over, kept on disk until somebody takes them.
 *
 * DATA/spool has a line for each: when it was, in Unix ms, a space, and the payload with its
 * line breaks made spaces, which JSON does not mind.  Many processes append at once.  Whoever
 * takes the lines gives the file another name first, DATA/spool.taken, so that what comes
 * meanwhile begins a new one.  What has no room is counted in DATA/spool.lost, a byte each.
 */
#ifndef BASE_SPOOL_H
#define BASE_SPOOL_H

#include "base/buf.h"
#include "base/error.h"

#define SPOOL_MAX (64 * MIB)

/* Makes DATA when there is none.  False: there is no room for it, or DATA cannot be, and it is
 * counted if that can be. */
bool spool_add(const char *data, int64_t at_ms, struct text payload);

/* Bytes that wait; how many were lost. */
size_t spool_size(const char *data);
uint64_t spool_lost(const char *data);

/* All lines that there are, with those of a time before that was not ended.  False: there are
 * none, or not yet.  When they are safe elsewhere they are ended. */
bool spool_take(const char *data, struct buf *lines, struct error *why);
bool spool_is_taken(const char *data);
void spool_end(const char *data);

/* Cuts the next record off the lines.  False: there is no more.  at_ms is -1 when it is no
 * record; then payload has the line. */
bool spool_next(struct text *lines, int64_t *at_ms, struct text *payload);

#endif

/* quarantine.h - FIRST.quarantine: bytes that were damaged where the signal FIRST was due. */
#ifndef JOURNAL_QUARANTINE_H
#define JOURNAL_QUARANTINE_H

#include <stdbool.h>
#include <stdint.h>

/* Copies bytes that stay where they are, once. */
void quarantine_copy(int dir, int fd, uint64_t first, uint64_t offset, uint64_t len);

/* Copies bytes that are going to be cut off, behind those that were cut off there before.  True
 * when all of them are on the disk. */
bool quarantine_append(int dir, int fd, uint64_t first, uint64_t offset, uint64_t len);

#endif

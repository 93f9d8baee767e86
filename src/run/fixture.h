/* fixture.h - a journal and a bus in a directory of their own, for this room's tests. */
#ifndef RUN_FIXTURE_H
#define RUN_FIXTURE_H

#include "bus/bus.h"
#include "journal/journal.h"

extern struct journal *fixture_journal;
extern struct bus *fixture_bus;

/* A new directory; keep_bytes: of the journal, 0 for all of it. */
void fixture_open(size_t segment_bytes, uint64_t keep_bytes);
void fixture_restart(void); /* a clean stop with a checkpoint, and a start on the same one */
void fixture_close(void);   /* and the directory is gone */

/* Admits it; its seq. */
uint64_t fixture_emit(const char *raw);
uint64_t fixture_emit_as(const char *raw, bool is_box, bool keeps_origin);
void fixture_settle(void); /* all of it is on the disk, and whoever waits has heard */

#endif

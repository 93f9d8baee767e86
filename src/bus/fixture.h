/* fixture.h - a journal and a bus in a directory of their own, for this room's tests. */
#ifndef BUS_FIXTURE_H
#define BUS_FIXTURE_H

#include <stddef.h>

struct bus;
struct journal;

extern char fixture_dir[64];
extern struct journal *fixture_journal;
extern struct bus *fixture_bus;
extern size_t fixture_segment; /* bytes of a segment, from the next start on */

void fixture_open(void);  /* in a new directory */
void fixture_close(void); /* and that is gone */

/* A clean stop, which writes what is folded as a checkpoint, and a start in the same
 * directory. */
void fixture_stop(void);
void fixture_start(void);

#endif

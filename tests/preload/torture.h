/* torture.h - what memory.c and calls.c share: which call is the one that fails.
 *
 * TORTURE_FAIL   N: the N-th fails; N+: it, and then every one of its kind
 * TORTURE_SEED   a number, for what is left to chance
 * TORTURE_COUNT  a path: how many there were is written there at a good end
 * TORTURE_MADE   a path: the names of temporary directories are added to it, because
 *                who ends in the middle does not remove its own
 *
 * What fails is told on standard error, with the place it was called from as addr2line
 * wants it; and when the program breaks, all the places on the way there.
 */
#ifndef PRELOAD_TORTURE_H
#define PRELOAD_TORTURE_H

#include <stdbool.h>

/* Is it this one's turn?  What cmocka and the loader do is not counted. */
bool torture_now(const void *caller);
/* Did its turn come, and do all of its kind fail from then on? */
bool torture_lasts(const void *caller);
/* Is the place in an object of which the name holds this? */
bool torture_is_in(const void *caller, const char *object);
unsigned torture_lot(unsigned n); /* 0 <= lot < n */
void torture_tell(const char *call, const char *how, const void *caller);

#endif

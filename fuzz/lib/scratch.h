/* scratch.h - a directory of a fuzz target's own, in memory, gone when it ends. */
#ifndef FUZZ_LIB_SCRATCH_H
#define FUZZ_LIB_SCRATCH_H

const char *scratch(void); /* the same one each time */

#endif

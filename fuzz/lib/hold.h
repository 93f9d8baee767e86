/* hold.h - what a fuzz target says must be so. */
#ifndef FUZZ_LIB_HOLD_H
#define FUZZ_LIB_HOLD_H

#include <stdbool.h>
#include <stdlib.h>

/* libFuzzer sees abort(), but not every trap. */
static inline void must_hold(bool condition)
{
	if (!condition)
		abort();
}

#endif

/* Filling a journal, for the modes that read it. */
#ifndef BENCH_LOAD_EMIT_H
#define BENCH_LOAD_EMIT_H

#include "load.h"

/* Emit `count` signals durably; answers the seq of the last. */
uint64_t emit_fill(const struct target *target, uint64_t count);

#endif

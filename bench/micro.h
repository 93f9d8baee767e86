/* What the microbenchmarks share. */
#ifndef BENCH_MICRO_H
#define BENCH_MICRO_H

#include <stdint.h>

uint64_t cpu_ns(void);
/* Prints what one of so many cost since the start. */
void report(uint64_t start, unsigned count);

/* micro_words.c; the file has natural text, as bench/words.py writes it. */
void micro_words(const char *file);
void micro_document(const char *file);
void micro_anthropic(const char *file);

/* micro_sums.c */
void micro_sums_load(void);
void micro_sums_save(void);
void micro_sums_hours(void);

/* micro_deliver.c */
void micro_chunk(void);
void micro_pipeline(void);

/* micro_device.c */
void micro_device(void);

#endif

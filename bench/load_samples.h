/* Times that were measured: they are kept until the end, for the percentiles. */
#ifndef BENCH_LOAD_SAMPLES_H
#define BENCH_LOAD_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

struct samples {
	uint32_t *ns;
	size_t count;
};

void samples_init(struct samples *samples);

/* What is more than there is room for is not kept. */
void samples_add(struct samples *samples, uint64_t ns);

/* `,"name":{"count":...,"p50_ns":...,"p99_ns":...,"max_ns":...}`, or nothing without any. */
void samples_print(const char *name, struct samples *samples);

#endif

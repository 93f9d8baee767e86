/* Room for four million times, and their percentiles. */
#include "load_samples.h"
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

enum { SAMPLES_MAX = 1 << 22 };

void samples_init(struct samples *samples)
{
	*samples = (struct samples){.ns = malloc(SAMPLES_MAX * sizeof(uint32_t))};
	if (samples->ns == NULL)
		die("starting");
}

void samples_add(struct samples *samples, uint64_t ns)
{
	if (samples->count < SAMPLES_MAX)
		samples->ns[samples->count++] = ns > UINT32_MAX ? UINT32_MAX : (uint32_t)ns;
}

static int by_size(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

void samples_print(const char *name, struct samples *samples)
{
	size_t n = samples->count;

	if (n == 0)
		return;
	qsort(samples->ns, n, sizeof *samples->ns, by_size);
	printf(",\"%s\":{\"count\":%zu,\"p50_ns\":%u,\"p99_ns\":%u,\"max_ns\":%u}", name, n,
	       samples->ns[n / 2], samples->ns[n - 1 - n / 100], samples->ns[n - 1]);
}

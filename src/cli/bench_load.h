/* bench_load.h - the three things that are measured, each for a while.
 *
 * Emits that are acknowledged from the disk, one at a time and many at a time; and signals
 * on their way to many subscribers.  What the box itself used is asked of the kernel.
 */
#ifndef CLI_BENCH_LOAD_H
#define CLI_BENCH_LOAD_H

#include <sys/types.h>

#include "cli/progress.h"
#include "cli/spread.h"

#define BENCH_TYPE "bench"
#define BENCH_SOURCE "signalbox-bench"

#define BENCH_SIZE_MIN 200
#define BENCH_SIZE_MAX 1000000
#define BENCH_OUTSTANDING_MAX 65536
#define BENCH_SUBSCRIBERS_MAX 10000

struct bench_plan {
	const char *data; /* of the box */
	pid_t pid;        /* 0: what it uses is not known */
	unsigned ms;      /* that each measurement takes */
	unsigned size, outstanding, subscribers;
	struct progress *progress;
};

struct bench_result {
	uint64_t count; /* emits, or deliveries */
	double seconds;
	double cpu_seconds; /* of the box, all its threads; less than 0: not known */
	struct spread spread;
};

/* On failure, and when Ctrl-C came, the result holds what was seen until then. */
bool bench_emits(const struct bench_plan *plan, unsigned outstanding, struct bench_result *result,
                 struct error *why);
bool bench_fanout(const struct bench_plan *plan, unsigned outstanding, struct bench_result *result,
                  struct error *why);

#endif

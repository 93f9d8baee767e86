/* metric.h - numbers as Prometheus reads them: a family is its help, its type and its
 * samples.  Names and labels are ours; values of labels may be anybody's. */
#ifndef SIGNAL_METRIC_H
#define SIGNAL_METRIC_H

#include "base/buf.h"

enum metric_type { METRIC_COUNTER, METRIC_GAUGE, METRIC_HISTOGRAM };

struct metric {
	const char *name;
	enum metric_type type;
	const char *help;
};

/* A family with one sample. */
void metric_add(struct buf *out, const struct metric *metric, double value);

/* One with several: begin, then each. */
void metric_begin(struct buf *out, const struct metric *metric);
void metric_sample(struct buf *out, const struct metric *metric, const char *label, struct text of,
                   double value);

struct tally;

/* Of each source and kind that there was one of. */
void metric_tally(struct buf *out, const struct metric *metric, const struct tally *tally);

/* counts[i] were at most bounds[i] seconds long, and not at most the bound before; the last
 * of them were longer than any. */
struct metric_spread {
	const double *bounds;
	const uint64_t *counts; /* one more */
	size_t n;
	double sum;
};
void metric_histogram(struct buf *out, const struct metric *metric,
                      const struct metric_spread *spread);

#endif

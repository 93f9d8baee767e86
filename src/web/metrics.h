/* metrics.h - numbers as Prometheus reads them: a family is its help, its type and its
 * samples.  Names and labels are ours; values of labels may be anybody's. */
#ifndef WEB_METRICS_H
#define WEB_METRICS_H

#include "base/buf.h"

enum metric_type { METRIC_COUNTER, METRIC_GAUGE };

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

#endif

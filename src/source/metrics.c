/* metrics.c - the sources by state, for GET /metrics. */
#include "signal/metric.h"
#include "source/source.h"

void sources_metrics(const struct sources *sources, struct buf *out)
{
	static const struct metric states = {"signalbox_sources", METRIC_GAUGE,
	                                     "Sources, by state."};
	unsigned counts[SOURCE_STATES] = {0};

	for (struct source *s = NULL; (s = sources_next(sources, s));)
		counts[source_state(s)]++;
	metric_begin(out, &states);
	for (int i = 0; i < SOURCE_STATES; i++)
		metric_sample(out, &states, "state",
		              text_of(source_state_name((enum source_state)i)), counts[i]);
}

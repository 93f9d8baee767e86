/* metrics.c - what the hub counts, for GET /metrics. */
#include "hub/hub.h"
#include "hub/stats.h"
#include "signal/metric.h"

static void add_counts(struct buf *out, const struct hub_stats *s)
{
	static const struct metric joined = {"signalbox_clients_joined_total", METRIC_COUNTER,
	                                     "Clients that came."};
	static const struct metric frames = {"signalbox_frames_encoded_total", METRIC_COUNTER,
	                                     "Frames, each for all clients of an encoding."};
	static const struct metric behind = {"signalbox_clients_fell_behind_total", METRIC_COUNTER,
	                                     "Times a client was too slow."};
	static const struct metric gaps = {"signalbox_gaps_total", METRIC_COUNTER,
	                                   "Gaps that clients were told of."};
	static const struct metric closed = {"signalbox_clients_slow_closed_total", METRIC_COUNTER,
	                                     "Clients closed because they were too slow."};
	static const struct metric skipped = {
		"signalbox_signals_dropped_total", METRIC_COUNTER,
		"Signals that were kept from a client that asked for that when it is slow."};

	metric_add(out, &joined, (double)s->joined);
	metric_add(out, &frames, (double)s->frames);
	metric_add(out, &behind, (double)s->fell_behind);
	metric_add(out, &gaps, (double)s->gaps);
	metric_add(out, &closed, (double)s->slow_closed);
	metric_add(out, &skipped, (double)s->skipped);
}

static void add_lag(struct buf *out, const struct hub *hub)
{
	static const struct metric reading = {"signalbox_clients_reading", METRIC_GAUGE,
	                                      "Clients that catch up from the journal."};
	static const struct metric behind = {"signalbox_clients_lag_bytes", METRIC_GAUGE,
	                                     "How far the last of the others is behind."};
	const struct hub_lag lag = hub_lag(hub);

	metric_add(out, &reading, (double)lag.reading);
	metric_add(out, &behind, (double)lag.bytes);
}

void hub_metrics(const struct hub *hub, struct buf *out)
{
	static const struct metric told = {
		"signalbox_signals_out_total", METRIC_COUNTER,
		"Signals for clients, once for each of them, by source and kind."};
	const struct hub_stats stats = hub_stats(hub);

	add_counts(out, &stats);
	add_lag(out, hub);
	metric_tally(out, &told, hub_told(hub));
}

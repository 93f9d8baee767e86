/* seats.c - see seats.h. */
#include "web/seats.h"

#include "net/seats.h"
#include "signal/metric.h"

static const char *const place_names[PLACE_KINDS] = {"unix", "own", "known", "unknown"};

static void add_places(struct buf *out, const struct seats *seats)
{
	static const struct metric taken = {"signalbox_connections", METRIC_GAUGE,
	                                    "Connections, by who is there."};
	static const struct metric evicted = {"signalbox_connections_evicted_total", METRIC_COUNTER,
	                                      "Unknown ones that were closed to make room."};
	static const struct metric away = {"signalbox_connections_turned_away_total",
	                                   METRIC_COUNTER, "Those for whom there was no room."};

	metric_begin(out, &taken);
	for (int i = 0; i < PLACE_KINDS; i++)
		metric_sample(out, &taken, "place", text_of(place_names[i]), seats->counts[i]);
	metric_add(out, &evicted, (double)seats->evicted);
	metric_add(out, &away, (double)seats->turned_away);
}

static void add_inputs(struct buf *out, const struct inputs *inputs)
{
	static const struct metric held = {"signalbox_unfinished_bytes", METRIC_GAUGE,
	                                   "Of heads, bodies and messages that are not whole, by "
	                                   "who is there."};
	static const struct metric crowded = {"signalbox_unfinished_evicted_total", METRIC_COUNTER,
	                                      "Of those, the ones cut off because all of them were "
	                                      "too much."};
	static const struct metric late = {"signalbox_unfinished_late_total", METRIC_COUNTER,
	                                   "Of those, the ones that took too long."};

	metric_begin(out, &held);
	for (int i = 0; i < PLACE_KINDS; i++)
		metric_sample(out, &held, "place", text_of(place_names[i]),
		              (double)inputs->held[i]);
	metric_add(out, &crowded, (double)inputs->crowded);
	metric_add(out, &late, (double)inputs->late);
}

void web_add_seats(struct buf *out, const struct seats *seats)
{
	add_places(out, seats);
	add_inputs(out, &seats->inputs);
}

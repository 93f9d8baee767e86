/* metrics.c - the show in numbers, for GET /metrics. */
#include "play/house/hands.h"
#include "signal/metric.h"

struct wires_metric {
	struct buf *out;
	const struct metric *metric;
	bool of_dropped, has_begun;
};

static void add_wire(void *self, struct text id, uint64_t passed, uint64_t dropped)
{
	struct wires_metric *w = self;

	if (!w->has_begun)
		metric_begin(w->out, w->metric);
	w->has_begun = true;
	metric_sample(w->out, w->metric, "wire", id, (double)(w->of_dropped ? dropped : passed));
}

static void add_wires(struct buf *out, const struct theatre *theatre)
{
	static const struct metric passed = {"signalbox_wire_passed_total", METRIC_COUNTER,
	                                     "Signals that a wire let through."};
	static const struct metric dropped = {"signalbox_wire_dropped_total", METRIC_COUNTER,
	                                      "Signals that a wire's filters kept back."};

	theatre_each_wire(theatre, add_wire, &(struct wires_metric){out, &passed});
	theatre_each_wire(theatre, add_wire,
	                  &(struct wires_metric){out, &dropped, .of_dropped = true});
}

void playhouse_metrics(const struct playhouse *p, struct buf *out)
{
	static const struct metric followers = {"signalbox_stage_followers", METRIC_GAUGE,
	                                        "Clients that follow the stage."};
	static const struct metric running = {"signalbox_show_running", METRIC_GAUGE,
	                                      "1 while the show is on."};
	static const struct metric processed = {"signalbox_show_signals_processed_total",
	                                        METRIC_COUNTER,
	                                        "Signals that something on the stage took up."};
	static const struct metric skipped = {"signalbox_show_signals_skipped_total",
	                                      METRIC_COUNTER,
	                                      "Signals that came too quickly to be seen."};
	static const struct metric refused = {"signalbox_show_performances_refused_total",
	                                      METRIC_COUNTER,
	                                      "Performances that were one too many."};
	static const struct metric active = {"signalbox_show_performances", METRIC_GAUGE,
	                                     "Performances under way."};
	const struct playhouse_options *o = hands_options(p);
	const struct theatre *theatre = playhouse_theatre(p);
	const struct theatre_stats s = theatre_stats(theatre);

	metric_add(out, &followers, (double)o->followers(o->self));
	metric_add(out, &running, theatre_is_running(theatre) ? 1 : 0);
	metric_add(out, &processed, (double)s.processed);
	metric_add(out, &skipped, (double)playhouse_skipped(p));
	metric_add(out, &refused, (double)s.refused);
	metric_add(out, &active, (double)s.active);
	add_wires(out, theatre);
}

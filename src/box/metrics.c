/* metrics.c - what the rooms that web may not know have to say to Prometheus. */
#include "web/metrics.h"

#include "box/parts.h"
#include "hub/hub.h"
#include "hub/stats.h"
#include "native/native.h"
#include "play/house/playhouse.h"
#include "source/claude/hook.h"
#include "source/source.h"
#include "web/listens.h"

static void add_hub(struct buf *out, const struct hub_stats *s, unsigned long followed)
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
	static const struct metric followers = {"signalbox_stage_followers", METRIC_GAUGE,
	                                        "Clients that follow the stage."};

	metric_add(out, &joined, (double)s->joined);
	metric_add(out, &frames, (double)s->frames);
	metric_add(out, &behind, (double)s->fell_behind);
	metric_add(out, &gaps, (double)s->gaps);
	metric_add(out, &closed, (double)s->slow_closed);
	metric_add(out, &skipped, (double)s->skipped);
	metric_add(out, &followers, (double)followed);
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

static void add_sources(struct buf *out, const struct sources *sources)
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

static void add_hooks(struct buf *out, const struct hook_stats *s)
{
	static const struct metric taken = {"signalbox_hooks_taken_total", METRIC_COUNTER,
	                                    "Words of Claude Code's hooks that were understood."};
	static const struct metric refused = {"signalbox_hooks_refused_total", METRIC_COUNTER,
	                                      "Words of Claude Code's hooks that were not."};

	metric_add(out, &taken, (double)s->taken);
	metric_add(out, &refused, (double)s->refused);
}

/* ---- the show ---- */

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

static void add_show(struct buf *out, const struct box *box)
{
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
	const struct theatre *theatre = playhouse_theatre(box->playhouse);
	const struct theatre_stats s = theatre_stats(theatre);

	metric_add(out, &running, theatre_is_running(theatre) ? 1 : 0);
	metric_add(out, &processed, (double)s.processed);
	metric_add(out, &skipped, (double)playhouse_skipped(box->playhouse));
	metric_add(out, &refused, (double)s.refused);
	metric_add(out, &active, (double)s.active);
	add_wires(out, theatre);
}

void box_add_metrics(void *self, struct buf *out)
{
	static const struct metric told = {
		"signalbox_signals_out_total", METRIC_COUNTER,
		"Signals for clients, once for each of them, by source and kind."};
	struct box *box = self;
	const struct hub_stats hub = hub_stats(box->hub);
	const struct hook_stats hooks = hook_stats(box->hook);

	add_hub(out, &hub, native_followers(box->native));
	add_lag(out, box->hub);
	listens_metrics(box->listens, out);
	metric_tally(out, &told, hub_told(box->hub));
	add_sources(out, box->sources);
	add_hooks(out, &hooks);
	add_show(out, box);
}

/* api_metrics.c - GET /metrics, for Prometheus; and GET /api/stage, for a look at once.
 *
 * What the rooms below web count is written here; the rest comes through a door.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "bus/bus.h"
#include "journal/journal.h"
#include "net/account.h"
#include "signal/metric.h"
#include "web/inside.h"
#include "web/late.h"

#define METRICS_MAX (16 * MIB) /* a line for each wire of the largest show */
#define STAGE_MAX (64 * MIB)
#define STATM_MAX 256 /* seven numbers */

/* ---- the program ---- */

static double resident_bytes(void)
{
	FILE *statm = fopen("/proc/self/statm", "re");
	char line[STATM_MAX] = "";
	struct text pages;
	uint64_t n = 0;

	if (statm && fgets(line, sizeof(line), statm)) {
		text_cut(text_of(line), ' ', &pages); /* all of it is the first number */
		text_to_u64(text_cut(pages, ' ', &pages), &n);
	}
	if (statm)
		fclose(statm);
	return (double)n * (double)sysconf(_SC_PAGESIZE);
}

static double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

static void add_program(struct buf *out, const struct web *web)
{
	static const struct metric build = {"signalbox_build_info", METRIC_GAUGE,
	                                    "Which signalbox this is; always 1."};
	static const struct metric uptime = {"signalbox_uptime_seconds", METRIC_GAUGE,
	                                     "Time since it started."};
	static const struct metric cpu = {"process_cpu_seconds_total", METRIC_COUNTER,
	                                  "User and system time of the processor."};
	static const struct metric resident = {"process_resident_memory_bytes", METRIC_GAUGE,
	                                       "Memory that is in use."};
	struct rusage used;

	metric_begin(out, &build);
	metric_sample(out, &build, "version", TEXT(SIGNALBOX_VERSION), 1);
	metric_add(out, &uptime, (double)(clock_mono_ns() - web->started_ns) / 1e9);
	getrusage(RUSAGE_SELF, &used);
	metric_add(out, &cpu, seconds(&used.ru_utime) + seconds(&used.ru_stime));
	metric_add(out, &resident, resident_bytes());
}

static void add_callers(struct buf *out, const struct web *web)
{
	static const struct metric clients = {"signalbox_clients", METRIC_GAUGE,
	                                      "Clients that are connected to hear signals."};
	static const struct metric refused = {"signalbox_credentials_refused_total", METRIC_COUNTER,
	                                      "Wrong credentials."};
	const struct web_doors *doors = &web->options.doors;

	metric_add(out, &clients, (double)doors->clients(doors->self));
	metric_add(out, &refused, (double)web->throttle.failures);
}

static void add_shares(struct buf *out, const struct account_stats *s)
{
	static const struct metric refused = {"signalbox_connections_refused_total", METRIC_COUNTER,
	                                      "What went beyond a credential's share, by reason."};
	static const struct metric held = {"signalbox_producers_held_total", METRIC_COUNTER,
	                                   "Times a producer was too fast and not read."};

	metric_begin(out, &refused);
	metric_sample(out, &refused, "reason", TEXT("connections"), (double)s->connections);
	metric_sample(out, &refused, "reason", TEXT("subscriptions"), (double)s->subscriptions);
	metric_add(out, &held, (double)s->held);
}

/* ---- signals ---- */

static void add_refused(struct buf *out, const struct bus_stats *s, uint64_t too_fast)
{
	static const struct metric refused = {"signalbox_signals_refused_total", METRIC_COUNTER,
	                                      "Signals that were not taken, by reason."};

	metric_begin(out, &refused);
	for (int i = ADMIT_OK + 1; i < ADMIT_REASONS; i++)
		metric_sample(out, &refused, "reason",
		              text_of(admit_reason_name((enum admit_reason)i)),
		              (double)s->refused[i]);
	metric_sample(out, &refused, "reason", TEXT("full"), (double)s->full);
	metric_sample(out, &refused, "reason", TEXT("too_fast"), (double)too_fast);
}

static void add_bus(struct buf *out, const struct bus_stats *s, uint64_t too_fast)
{
	static const struct metric accepted = {"signalbox_signals_accepted_total", METRIC_COUNTER,
	                                       "Signals that got a seq."};
	static const struct metric repeated = {"signalbox_signals_repeated_total", METRIC_COUNTER,
	                                       "Emits answered with the seq they got before."};
	static const struct metric reused = {"signalbox_signals_id_reused_total", METRIC_COUNTER,
	                                     "Signals with the id of another one."};
	static const struct metric broken = {"signalbox_signals_schema_broken_total",
	                                     METRIC_COUNTER,
	                                     "Signals taken although they break their schema."};
	static const struct metric live = {"signalbox_signals_live_only_total", METRIC_COUNTER,
	                                   "Signals sent on, but not stored."};

	metric_add(out, &accepted, (double)s->accepted);
	metric_add(out, &repeated, (double)s->repeated);
	metric_add(out, &reused, (double)s->id_reused);
	metric_add(out, &broken, (double)s->breaks_schema);
	metric_add(out, &live, (double)s->live_only);
	add_refused(out, s, too_fast);
}

static void add_sources(struct buf *out, const struct tally *tally)
{
	static const struct metric in = {"signalbox_signals_in_total", METRIC_COUNTER,
	                                 "Signals that got a seq, by source and kind."};

	metric_tally(out, &in, tally);
}

/* ---- the journal ---- */

static void add_disk(struct buf *out, const struct journal_stats *s)
{
	static const struct metric bytes = {"signalbox_journal_size_bytes", METRIC_GAUGE,
	                                    "What the journal takes on the disk."};
	static const struct metric segments = {"signalbox_journal_segments", METRIC_GAUGE,
	                                       "Files of the journal."};
	static const struct metric commits = {"signalbox_journal_commits_total", METRIC_COUNTER,
	                                      "Writes that were brought to the disk."};
	static const struct metric failures = {"signalbox_journal_sync_failures_total",
	                                       METRIC_COUNTER, "Times the disk failed."};
	static const struct metric waiting = {"signalbox_journal_waiting_bytes", METRIC_GAUGE,
	                                      "What is not on the disk yet."};

	metric_add(out, &bytes, (double)s->bytes);
	metric_add(out, &segments, (double)s->segments);
	metric_add(out, &commits, (double)s->commits);
	metric_add(out, &failures, (double)s->sync_failures);
	metric_add(out, &waiting, (double)s->waiting);
}

static void add_commits(struct buf *out, const struct journal_stats *s)
{
	static const struct metric took = {"signalbox_journal_commit_seconds", METRIC_HISTOGRAM,
	                                   "How long the disk took for each of them."};
	double bounds[JOURNAL_BUCKETS];
	const struct metric_spread spread = {bounds, s->buckets, JOURNAL_BUCKETS,
	                                     (double)s->commit_ns_total / 1e9};

	for (int i = 0; i < JOURNAL_BUCKETS; i++)
		bounds[i] = (double)journal_bucket_ns[i] / 1e9;
	metric_histogram(out, &took, &spread);
}

static void add_journal(struct buf *out, const struct journal *journal)
{
	static const struct metric last = {"signalbox_journal_last_seq", METRIC_GAUGE,
	                                   "The newest seq."};
	static const struct metric durable = {"signalbox_journal_durable_seq", METRIC_GAUGE,
	                                      "The newest seq that is on the disk."};
	static const struct metric trouble = {"signalbox_journal_trouble", METRIC_GAUGE,
	                                      "1 while the disk fails."};
	const struct journal_stats s = journal_stats(journal);

	metric_add(out, &last, (double)journal_last_seq(journal));
	metric_add(out, &durable, (double)journal_durable_seq(journal));
	add_disk(out, &s);
	add_commits(out, &s);
	metric_add(out, &trouble, journal_trouble(journal) ? 1 : 0);
}

/* ---- answers ---- */

static void answer(struct call *call, const char *type, struct buf *out)
{
	if (out->full)
		web_refuse(call->http, 500, "the response is too large", NULL);
	else
		http_answer(call->http, 200, type, buf_text(out), NULL);
	buf_finish(out);
}

void api_metrics(struct call *call)
{
	const struct web *web = call->web;
	const struct web_doors *doors = &web->options.doors;
	struct buf out;

	buf_init(&out, METRICS_MAX);
	add_program(&out, web);
	add_callers(&out, web);
	add_shares(&out, &web->options.accounts->counts);
	add_bus(&out, bus_stats(web->options.bus), web->options.accounts->counts.too_fast);
	add_sources(&out, bus_tally(web->options.bus));
	add_journal(&out, web->options.journal);
	doors->metrics(doors->self, &out);
	answer(call, "text/plain; version=0.0.4; charset=utf-8", &out);
}

void api_stage(struct call *call)
{
	const struct web_stage *stage = &call->web->options.stage;
	struct buf out;

	if (!web_has_stage(call, api_stage))
		return;
	buf_init(&out, STAGE_MAX);
	stage->look(stage->self, &out);
	buf_add_char(&out, '\n');
	answer(call, "application/json", &out);
}

/* bench.c - `signalbox bench`: how fast is a box on this machine? */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/must.h"
#include "base/put.h"
#include "cli/bench_box.h"
#include "cli/bench_load.h"
#include "cli/command.h"
#include "cli/doctor.h"
#include "cli/interrupt.h"
#include "cli/table.h"

extern const struct command command_bench;

#define FANOUT_OUTSTANDING 64 /* as tokens come: in bursts, and not all at once */
#define SOCKET_DIR_MAX 80     /* what is left of a socket's path for the directory above */
#define SECONDS_PRESET 3
#define SECONDS_MIN 0.1
#define SECONDS_MAX 3600.0
#define ROWS 3
#define CELL_MAX 60

struct bench_row {
	const char *what; /* for programs */
	unsigned outstanding, subscribers;
	struct bench_result result;
	bool was_run;
};

struct bench {
	struct command_context *context;
	struct config config;
	struct bench_plan plan;
	struct progress progress;
	struct bench_row rows[ROWS];
	bool is_running; /* the box is somebody's own */
};

/* ---- options ---- */

static bool read_number(const struct options *options, const char *name, unsigned *out,
                        const unsigned range[2])
{
	const char *value = options_value(options, name);
	uint64_t n;

	if (!value)
		return true;
	if (!text_to_u64(text_of(value), &n) || n < range[0] || n > range[1])
		return false;
	*out = (unsigned)n;
	return true;
}

static const struct bench_number {
	const char *name;
	unsigned preset, range[2];
	size_t at; /* in the plan */
} numbers[] = {
	{"size", 300, {BENCH_SIZE_MIN, BENCH_SIZE_MAX}, offsetof(struct bench_plan, size)},
	{"outstanding", 1024, {1, BENCH_OUTSTANDING_MAX}, offsetof(struct bench_plan, outstanding)},
	{"subscribers", 100, {1, BENCH_SUBSCRIBERS_MAX}, offsetof(struct bench_plan, subscribers)},
};

static bool read_seconds(const struct options *options, unsigned *ms, struct error *why)
{
	const char *value = options_value(options, "seconds");
	char *end;
	double seconds;

	*ms = SECONDS_PRESET * 1000;
	if (!value)
		return true;
	seconds = strtod(value, &end);
	if (end == value || *end || !(seconds >= SECONDS_MIN && seconds <= SECONDS_MAX))
		return error_set(why, "--seconds wants a number between %g and %g", SECONDS_MIN,
		                 SECONDS_MAX);
	*ms = (unsigned)(seconds * 1000);
	return true;
}

static bool read_plan(const struct options *options, struct bench_plan *plan, struct error *why)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		const struct bench_number *n = &numbers[i];
		unsigned *value = (unsigned *)((char *)plan + n->at);

		*value = n->preset;
		if (!read_number(options, n->name, value, n->range))
			return error_set(why, "--%s wants a number between %u and %u", n->name,
			                 n->range[0], n->range[1]);
	}
	return read_seconds(options, &plan->ms, why);
}

/* ---- what is shown ---- */

static void add_count(struct buf *out, double n)
{
	char digits[32];
	int len = snprintf(digits, sizeof(digits), "%.0f", n);

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			buf_add_char(out, ',');
		buf_add_char(out, digits[i]);
	}
}

static void add_duration(struct buf *out, uint64_t ns)
{
	if (ns < 1000000)
		buf_print(out, "%.1f us", (double)ns / 1e3);
	else if (ns < 1000000000)
		buf_print(out, "%.2f ms", (double)ns / 1e6);
	else
		buf_print(out, "%.2f s", (double)ns / 1e9);
}

static double rate_of(const struct bench_result *r)
{
	return r->seconds > 0 ? (double)r->count / r->seconds : 0;
}

/* Seconds of the box's processors for a million; less than 0: not known. */
static double cpu_of(const struct bench_result *r)
{
	return r->count && r->cpu_seconds >= 0 ? r->cpu_seconds * 1e6 / (double)r->count : -1;
}

static void add_cell(struct table *table, struct buf *cell)
{
	table_add(table, buf_text(cell), CELL_MAX);
	buf_clear(cell);
}

static void add_result_row(struct table *table, const struct bench_row *row)
{
	const struct bench_result *r = &row->result;
	struct buf cell;

	buf_init(&cell, KIB);
	if (row->subscribers)
		buf_print(&cell, "deliveries, 1 to %u, %u at a time", row->subscribers,
		          row->outstanding);
	else
		buf_print(&cell, "emits on the disk, %u at a time", row->outstanding);
	add_cell(table, &cell);
	add_count(&cell, rate_of(r));
	add_cell(table, &cell);
	add_duration(&cell, spread_at(&r->spread, 50));
	add_cell(table, &cell);
	add_duration(&cell, spread_at(&r->spread, 99));
	add_cell(table, &cell);
	add_duration(&cell, r->spread.max);
	add_cell(table, &cell);
	if (cpu_of(r) >= 0)
		buf_print(&cell, "%.3g s", cpu_of(r));
	add_cell(table, &cell);
	buf_finish(&cell);
}

static void show_table(struct bench *b)
{
	static const char *const heading[] = {"what", "a second", "p50",
	                                      "p99",  "max",      "processor for a million"};
	struct out *out = &b->context->out;
	struct table table;

	table_init(&table, sizeof(heading) / sizeof(*heading));
	for (unsigned i = 0; i < table.columns; i++)
		table_add(&table, text_of(heading[i]), CELL_MAX);
	for (unsigned i = 0; i < ROWS; i++)
		if (b->rows[i].was_run)
			add_result_row(&table, &b->rows[i]);
	table_show(&table, out);
	table_finish(&table);
	out_print(out, "\nsignals of %u bytes, %g s each, %s%s\n", b->plan.size,
	          (double)b->plan.ms / 1000,
	          b->is_running ? "the box that was running" : "a box of its own",
	          interrupt_came() ? "; interrupted" : "");
}

static void add_row_json(struct buf *out, const struct bench_row *row)
{
	const struct bench_result *r = &row->result;

	buf_print(out,
	          "{\"what\":\"%s\",\"outstanding\":%u,\"subscribers\":%u,\"count\":%llu,"
	          "\"seconds\":%.6f,\"perSecond\":%.1f,\"p50Us\":%.3f,\"p99Us\":%.3f,"
	          "\"maxUs\":%.3f,\"cpuSecondsPerMillion\":",
	          row->what, row->outstanding, row->subscribers, (unsigned long long)r->count,
	          r->seconds, rate_of(r), (double)spread_at(&r->spread, 50) / 1e3,
	          (double)spread_at(&r->spread, 99) / 1e3, (double)r->spread.max / 1e3);
	if (cpu_of(r) >= 0)
		buf_print(out, "%.6f}", cpu_of(r));
	else
		buf_add(out, TEXT("null}"));
}

static void show_results_json(struct bench *b, const struct error *why)
{
	bool is_first = true;
	struct buf json;

	buf_init(&json, 64 * KIB);
	put_object(&json, NULL);
	put_bool(&json, "ok", !why);
	put_word(&json, "box", b->is_running ? "running" : "own");
	put_u64(&json, "size", b->plan.size);
	put_bool(&json, "interrupted", interrupt_came());
	put_list(&json, "results");
	for (unsigned i = 0; i < ROWS; i++) {
		if (!b->rows[i].was_run)
			continue;
		if (!is_first)
			buf_add_char(&json, ',');
		add_row_json(&json, &b->rows[i]);
		is_first = false;
	}
	buf_add_char(&json, ']');
	if (why) {
		put_word(&json, "error", why->words);
	}
	buf_add(&json, TEXT("}\n"));
	out_add(&b->context->out, buf_text(&json));
	buf_finish(&json);
}

/* ---- the verb ---- */

static bool run_row(struct bench *b, struct bench_row *row, struct error *why)
{
	bool good;

	b->progress = (struct progress){.what = row->what, .unit = PROGRESS_SIGNALS};
	progress_begin(&b->progress, b->context);
	good = row->subscribers ? bench_fanout(&b->plan, row->outstanding, &row->result, why)
	                        : bench_emits(&b->plan, row->outstanding, &row->result, why);
	progress_clear(&b->progress);
	row->was_run = row->result.count > 0;
	return good;
}

static int run_bench(struct bench *b, const struct options *options)
{
	unsigned most = b->plan.outstanding;
	struct error why;
	bool good = true;

	b->rows[0] = (struct bench_row){"emit", 1};
	b->rows[1] = (struct bench_row){"emit", most};
	b->rows[2] =
		(struct bench_row){"deliver", most < FANOUT_OUTSTANDING ? most : FANOUT_OUTSTANDING,
	                           b->plan.subscribers};
	b->plan.progress = &b->progress;
	for (unsigned i = 0; i < ROWS && good && !interrupt_came(); i++)
		if (i != 1 || most > 1) /* else it is the same once more */
			good = run_row(b, &b->rows[i], &why);
	if (options_has(options, "json"))
		show_results_json(b, good ? NULL : &why);
	else if (b->rows[0].was_run)
		show_table(b);
	if (!good)
		out_say("%s", why.words);
	return good ? STATUS_DONE : STATUS_FAILED;
}

static int run_running(struct bench *b, const struct options *options)
{
	b->plan.data = b->config.data;
	b->plan.pid = doctor_find_box(b->config.data);
	if (b->plan.pid == 0) {
		out_say("no signalbox is running on %s; without --running a box of "
		        "its own is loaded",
		        b->config.data);
		return STATUS_FAILED;
	}
	out_say("the journal of %s keeps what this emits: type " BENCH_TYPE
	        ", source " BENCH_SOURCE,
	        b->config.data);
	return run_bench(b, options);
}

/* Where its journal is to be: on the disk of DATA, if that can be. */
static char *parent_of(const char *data)
{
	const char *slash = strrchr(data, '/');
	char *parent = slash > data ? must_dup(data) : NULL;

	if (parent)
		parent[slash - data] = '\0';
	if (parent && access(parent, W_OK | X_OK) == 0 && strlen(parent) < SOCKET_DIR_MAX)
		return parent;
	free(parent);
	return must_dup("/tmp");
}

static int run_own(struct bench *b, const struct options *options)
{
	const char *dir = options_value(options, "dir");
	char *parent = dir ? realpath(dir, NULL) : parent_of(b->config.data);
	struct bench_box box;
	struct error why;
	int status = STATUS_FAILED;

	if (!parent) {
		error_errno(&why, "%s", dir);
		out_say("%s", why.words);
	} else if (bench_box_start(&box, parent, b->context->env, &why)) {
		b->plan.data = box.dir;
		b->plan.pid = doctor_find_box(box.dir);
		status = run_bench(b, options);
		bench_box_stop(&box);
	} else if (!interrupt_came()) {
		out_say("%s", why.words);
	}
	free(parent);
	return status;
}

/* Each subscriber is an open file, here and in the box. */
static void raise_files(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) != 0)
		return;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
}

static struct bench bench; /* holds three histograms */

static int bench_run(struct command_context *context, const struct options *options)
{
	struct bench *b = &bench;
	struct error why;
	int status;

	*b = (struct bench){.context = context, .is_running = options_has(options, "running")};
	if (options->word_count > 0)
		return command_misused(&command_bench, "unexpected argument '%s'",
		                       options->words[0]);
	if (!read_plan(options, &b->plan, &why))
		return command_misused(&command_bench, "%s", why.words);
	if (b->is_running && options_has(options, "dir"))
		return command_misused(&command_bench, "--running or --dir, not both");
	if (!command_config(context, options, &b->config))
		return STATUS_CONFIG;
	raise_files();
	interrupt_watch();
	status = b->is_running ? run_running(b, options) : run_own(b, options);
	config_finish(&b->config);
	return status;
}

static const struct option own[] = {
	{"seconds", 'n', "N", "how long each measurement takes", "3"},
	{"size", 's', "BYTES", "of a signal", "300"},
	{"outstanding", 0, "N", "emits that wait for the disk at any time", "1024"},
	{"subscribers", 0, "N", "who hear each signal", "100"},
	{"running", 0, .help = "load the running box, whose journal keeps what is emitted"},
	{"dir", 0, "DIR", "where the journal of a box of its own is for a while", "beside DATA"},
	{"json", 'j', .help = "as one JSON object"},
	{0},
};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_where, &options_common,
                                                    NULL};

const struct command command_bench = {
	.name = "bench",
	.summary = "measure how fast a box is on this machine",
	.usage = "[--seconds N] [--size BYTES] [--subscribers N] [--running]",
	.examples = "  signalbox bench\n"
		    "  signalbox bench --seconds 10 --size 1000 --subscribers 1000\n"
		    "  signalbox bench --json | jq '.results[].perSecond'\n",
	.about = "Starts a box of its own with a journal on the disk of DATA, and removes both\n"
		 "at the end, however that comes; the running box and its journal are left\n"
		 "alone. Measured are emits that are acknowledged when they are on the disk, one\n"
		 "at a time and many at a time, and deliveries of signals to many subscribers:\n"
		 "how many a second, how long each took, and the time of the box's processors for\n"
		 "a million of them. Ctrl-C ends it, and what was seen until then is shown.\n"
		 "\n"
		 "With --running the running box is loaded instead, with signals of type\n"
		 "bench and source signalbox-bench, which its journal keeps.\n",
	.groups = groups,
	.run = bench_run,
};

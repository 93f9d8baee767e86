/* adapter_in.c - what people write: as it comes, and what came while nobody listened.
 *
 * `monitor` prints what comes.  After each beginning of it, and when the platform is there again,
 * `backfill` prints what was written since the newest message that is on the disk; what came before
 * is known by its id.  While that is not over, the time that is kept stays where the gap begins.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/must.h"
#include "deliver/adapter/adapter_inside.h"

#define FILL_SOON_MS 1000 /* after a monitor began, which has to connect first */
#define FILL_MS 120000
#define FILL_MAX 1000                              /* messages of one backfill */
#define FILL_BACK_MS (60 * 1000)                   /* before the newest: clocks and orders differ */
#define FILL_OLDEST_MS (23 * 3600 * INT64_C(1000)) /* ids are known for a day */
#define PLACE_MAX (2 * CHANNEL_ID_MAX)

/* ---- one message ---- */

/* False: not now. */
static bool hand_on(struct adapter *a, struct adapter_event *event)
{
	int64_t now_ms = clock_wall_ms(), newest;
	struct text place = event->inbound.place;
	struct buf kept;
	bool good;

	newest = event->at_ms > 0 && event->at_ms < now_ms ? event->at_ms : now_ms;
	if (newest < a->newest_ms)
		newest = a->newest_ms;
	buf_init(&kept, PLACE_MAX);
	adapter_put_place(a->has_gap ? a->since_ms : newest, place.len ? place : text_of(a->place),
	                  &kept);
	event->inbound.place = buf_text(&kept);
	good = a->options.came(a->options.self, &event->inbound);
	buf_finish(&kept);
	if (!good)
		return false;
	a->newest_ms = newest;
	if (!a->has_gap)
		a->since_ms = newest;
	if (place.len) {
		char *next = text_dup(place);

		free(a->place);
		a->place = next;
	}
	return true;
}

static void hush(struct adapter *a, bool hushes)
{
	if (a->monitor)
		adapter_child_hush(a->monitor, hushes);
	if (a->fill)
		adapter_child_hush(a->fill, hushes);
}

static void take_or_wait(struct adapter *a, struct adapter_event *event, struct text line)
{
	if (!a->waiting.len && hand_on(a, event))
		return;
	buf_add(&a->waiting, line);
	buf_add_char(&a->waiting, '\n');
	hush(a, true);
	a->options.wake(a->options.self);
}

/* All of the gap was told and taken. */
static void close_gap(struct adapter *a)
{
	if (!a->is_filled || a->waiting.len)
		return;
	a->is_filled = a->has_gap = false;
	if (a->newest_ms > a->since_ms)
		a->since_ms = a->newest_ms;
}

bool adapter_hand_on(struct adapter *a)
{
	struct adapter_event event;
	size_t from = 0;

	while (from < a->waiting.len) {
		struct text rest = {a->waiting.at + from, a->waiting.len - from}, after;
		struct text line = text_cut(rest, '\n', &after);

		if (adapter_read_event(&a->reader, line, &event, NULL) == ADAPTER_MESSAGE &&
		    !hand_on(a, &event))
			break;
		from += line.len + 1;
	}
	buf_drop(&a->waiting, from);
	if (from && !a->waiting.len)
		hush(a, false);
	close_gap(a);
	return !a->waiting.len;
}

/* ---- monitor ---- */

static bool monitor_line(void *self, struct text line, struct error *why)
{
	struct adapter *a = self;
	struct adapter_event event;
	enum adapter_read read = adapter_read_event(&a->reader, line, &event, why);

	a->heard_ms = adapter_now(a);
	if (read == ADAPTER_MESSAGE)
		take_or_wait(a, &event, line);
	return read != ADAPTER_GARBAGE;
}

static void monitor_argv(const struct adapter *a, struct adapter_argv *out)
{
	const char *words[] = {"--format", "jsonl", NULL, NULL, NULL};

	if (a->info.can[ADAPTER_RESUME] && a->place) {
		words[2] = "--after";
		words[3] = a->place;
	}
	adapter_argv(a, ADAPTER_MONITOR, words, out);
}

static void monitor_over(void *self, struct text answer, const char *why)
{
	struct adapter *a = self;
	struct adapter_argv argv;

	log_warn("deliver", "the monitor of the adapter %s ended: %s", a->account, why);
	error_set(&a->why, "the adapter's monitor is not there: %s", why);
	monitor_argv(a, &argv);
	adapter_child_set(a->monitor, argv.words);
}

static void monitor_began(void *self)
{
	struct adapter *a = self;

	a->fill_fails = 0;
	adapter_fill(a);
}

void adapter_open_monitor(struct adapter *a)
{
	struct adapter_child_options o;
	struct adapter_argv argv;

	monitor_argv(a, &argv);
	o = adapter_child_of(a, &argv);
	o.input_max = KIB; /* nothing goes there: its end is the end of the box */
	o.has_lines = true;
	o.line = monitor_line;
	o.began = monitor_began;
	o.over = monitor_over;
	a->monitor = adapter_child_create(&o);
}

/* ---- backfill ---- */

static bool fill_line(void *self, struct text line, struct error *why)
{
	struct adapter *a = self;
	struct adapter_event event;
	enum adapter_read read = adapter_read_event(&a->reader, line, &event, why);

	if (read != ADAPTER_MESSAGE)
		return read != ADAPTER_GARBAGE;
	if (!event.at_ms)
		return error_set(why, "'timestamp' is missing");
	if (a->fill_count++ == FILL_MAX) {
		log_warn("deliver",
		         "the adapter %s: of what came meanwhile, all beyond %d "
		         "messages is left out",
		         a->account, FILL_MAX);
		adapter_child_end(a->fill, "it has said enough");
	} else if (a->fill_count <= FILL_MAX && event.at_ms > clock_wall_ms() - FILL_OLDEST_MS) {
		take_or_wait(a, &event, line);
	}
	return true;
}

static void fill_over(void *self, struct text answer, const char *why)
{
	struct adapter *a = self;

	if (a->fills_again) {
		a->fills_again = false;
		deadline_set(a->options.loop, &a->fill_due, FILL_SOON_MS);
	} else if (!why || a->fill_count > FILL_MAX) {
		a->is_filled = true;
		close_gap(a);
	} else {
		log_warn("deliver", "the backfill of the adapter %s failed: %s", a->account, why);
		if (a->fill_fails < ADAPTER_RESTARTS_MAX)
			deadline_set(a->options.loop, &a->fill_due,
			             adapter_rest_ms(a->fill_fails++));
	}
}

static void put_since(int64_t at_ms, char out[32])
{
	time_t seconds = (time_t)(at_ms / 1000);
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

static void start_fill(struct deadline *deadline)
{
	struct adapter *a = list_of(deadline, struct adapter, fill_due);
	int64_t since_ms = a->since_ms - FILL_BACK_MS;
	int64_t oldest_ms = clock_wall_ms() - FILL_OLDEST_MS;
	char since[32];
	const char *const words[] = {"--since", since, "--format", "jsonl", NULL};
	struct adapter_child_options o;
	struct adapter_argv argv;

	put_since(since_ms > oldest_ms ? since_ms : oldest_ms, since);
	adapter_child_destroy(a->fill);
	a->fill = NULL;
	a->fill_count = 0;
	if (!adapter_argv(a, ADAPTER_BACKFILL, words, &argv))
		return;
	o = adapter_child_of(a, &argv);
	o.ms = FILL_MS;
	o.has_lines = true;
	o.line = fill_line;
	o.over = fill_over;
	a->fill = adapter_child_create(&o);
	adapter_child_hush(a->fill, a->waiting.len > 0);
}

/* Before the first message there is nothing to go on from. */
void adapter_fill(struct adapter *a)
{
	if (!a->info.can[ADAPTER_BACKFILL] || a->since_ms <= 0)
		return;
	a->has_gap = true;
	a->is_filled = false;
	if (adapter_child_runs(a->fill))
		a->fills_again = true;
	else
		deadline_set(a->options.loop, &a->fill_due, FILL_SOON_MS);
}

/* ---- life ---- */

void adapter_in_init(struct adapter *a, struct text place)
{
	place = adapter_read_place(place, &a->since_ms);
	a->newest_ms = a->since_ms;
	a->place = place.len ? text_dup(place) : NULL;
	a->fill_due.fire = start_fill;
	buf_init(&a->waiting, 4 * ADAPTER_LINE_MAX);
}

void adapter_in_finish(struct adapter *a)
{
	deadline_clear(&a->fill_due);
	adapter_child_destroy(a->monitor);
	adapter_child_destroy(a->fill);
	buf_finish(&a->waiting);
	free(a->place);
}

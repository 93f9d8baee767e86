/* scenario.c - playing scripts and recordings: the smallest possible transport.
 *
 *   scenario:demo[?speed=X]               the built-in scripts, for ever
 *   scenario:/a/file.ndjson[?speed=X&loop=true]
 *
 * A recording's signals come as far apart as their timestamps are, divided by the
 * speed, and happen now: id, timestamp and seq are left out, so that they get new
 * ones.
 */
#include "source/stream/scenario.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

#include "base/buf.h"
#include "base/must.h"
#include "base/scan.h"
#include "net/http.h"
#include "net/loop.h"
#include "signal/make.h"
#include "source/stream/recording.h"
#include "source/transport.h"

#define SCHEME "scenario:"
#define SCENARIO_PAUSE_MS 2000 /* between two scripts, or two plays */
#define SCENARIO_SIGNAL_MAX (8 * KIB)
#define SCENARIO_LINE_MAX (1 * MIB)
#define SCENARIO_AT_ONCE 256 /* lines without a distance, in a turn */
#define SCENARIO_SPEED_MIN 0.01
#define SCENARIO_SPEED_MAX 1000
#define SCENARIO_GAP_MS (24 * 3600e3) /* no longer than a day */

struct scenario {
	uv_timer_t timer;
	struct source *source;
	double speed;
	bool is_live;

	/* The built-in scripts. */
	const struct script *script;
	const struct beat *beat;
	unsigned long round; /* which play this is: part of the correlationId */

	/* A recording; NULL: the scripts. */
	struct recording *recording;
	bool loops, is_due; /* is_due: `next` has waited long enough */
	double before_ms;   /* timestamp of the line before; NAN: none */
	struct buf next;
};

static void wait_ms(struct scenario *s, double ms);

/* ---- scripts ---- */

static void emit_beat(struct scenario *s)
{
	const char *payload = s->beat->payload;
	char run[64];
	struct make m;
	struct buf out;

	buf_init(&out, SCENARIO_SIGNAL_MAX);
	snprintf(run, sizeof(run), "demo-%s-%lu", s->script->name, s->round);
	make_begin(&m, &out,
	           &(struct make_head){.type = s->beat->type,
	                               .source = TEXT("demo"),
	                               .correlation = text_of(run)});
	make_metadata(&m);
	make_bool(&m, "demo", true);
	make_word(&m, "scenario", s->script->name);
	make_payload(&m);
	buf_add(&out, (struct text){payload + 1, strlen(payload) - 2}); /* without its braces */
	make_end(&m);
	source_received(s->source, buf_text(&out));
	buf_finish(&out);
}

static void next_script(struct scenario *s)
{
	s->script++;
	if (!s->script->name)
		s->script = scenario_scripts;
	s->beat = s->script->beats;
	s->round++;
}

static void play_beat(struct scenario *s)
{
	double pause = 0;

	emit_beat(s);
	s->beat++;
	if (!s->beat->type) {
		next_script(s);
		pause = SCENARIO_PAUSE_MS;
	}
	wait_ms(s, s->beat->after_ms + pause);
}

/* ---- recordings ---- */

/* Writes the line to `next` without what is to be new; its timestamp, or NAN. */
static bool scenario_take_line(struct scenario *s, struct text line, double *at_ms)
{
	struct text key, value;
	struct scan scan;
	char digits[32];

	*at_ms = NAN;
	buf_clear(&s->next);
	buf_add_char(&s->next, '{');
	scan_object(&scan, line);
	while (scan_member(&scan, &key, &value)) {
		if (text_is(key, "timestamp") && value.len < sizeof(digits)) {
			snprintf(digits, sizeof(digits), "%.*s", TEXT_ARG(value));
			*at_ms = strtod(digits, NULL);
		}
		if (text_is(key, "id") || text_is(key, "timestamp") || text_is(key, "seq"))
			continue;
		buf_print(&s->next, "%s\"%.*s\":", s->next.len > 1 ? "," : "", TEXT_ARG(key));
		buf_add(&s->next, value);
	}
	buf_add_char(&s->next, '}');
	return scan_is_over(&scan) && !s->next.full;
}

static void refuse_line(struct scenario *s, const char *why)
{
	source_bad(s->source, why);
	buf_finish(&s->next);
}

static double distance(struct scenario *s, double at_ms)
{
	double ms = at_ms - s->before_ms;

	if (isfinite(at_ms))
		s->before_ms = at_ms;
	if (!(ms > 0))
		return 0;
	return ms < SCENARIO_GAP_MS ? ms : SCENARIO_GAP_MS;
}

static void end_play(struct scenario *s)
{
	static const struct loss over = {.for_good = true};

	if (!s->loops) {
		source_lost(s->source, &over);
		return;
	}
	s->before_ms = NAN;
	recording_rewind(s->recording);
	wait_ms(s, SCENARIO_PAUSE_MS);
}

/* True: the line is in `next`, and due after so many milliseconds. */
static bool scenario_fetch(struct scenario *s, double *ms)
{
	static const struct loss failed = {.why = "the file cannot be read", .for_good = true};
	struct text line;
	double at_ms;

	switch (recording_next(s->recording, &line)) {
	case RECORDING_LINE:
		*ms = 0;
		if (text_trim(line).len == 0)
			buf_clear(&s->next);
		else if (scenario_take_line(s, line, &at_ms))
			*ms = distance(s, at_ms);
		else
			refuse_line(s, "a line is no JSON object");
		return true;
	case RECORDING_LONG:
		refuse_line(s, "a line is longer than a signal may be");
		*ms = 0;
		return true;
	case RECORDING_WAIT:
		return false;
	case RECORDING_END:
		end_play(s);
		return false;
	case RECORDING_FAILED:
		source_lost(s->source, &failed);
		return false;
	}
	return false;
}

/* The next line is there and due; else it will be, and we are called again. */
static bool is_ready(struct scenario *s)
{
	double ms;

	if (s->is_due)
		return true;
	if (!scenario_fetch(s, &ms))
		return false;
	s->is_due = true;
	if (ms > 0)
		wait_ms(s, ms);
	return !(ms > 0);
}

static void scenario_play_lines(struct scenario *s)
{
	for (unsigned i = 0; i < SCENARIO_AT_ONCE; i++) {
		if (!is_ready(s))
			return;
		s->is_due = false;
		if (s->next.len)
			source_received(s->source, buf_text(&s->next));
	}
	wait_ms(s, 0);
}

/* ---- both ---- */

static void play(uv_timer_t *timer)
{
	struct scenario *s = timer->data;

	if (!s->is_live) {
		s->is_live = true;
		source_live(s->source);
		wait_ms(s, s->recording ? 0 : s->beat->after_ms);
	} else if (s->recording) {
		scenario_play_lines(s);
	} else {
		play_beat(s);
	}
}

static void have_read(void *self)
{
	scenario_play_lines(self);
}

static void wait_ms(struct scenario *s, double ms)
{
	uv_timer_start(&s->timer, play, (uint64_t)(ms / s->speed), 0);
}

static bool scenario_read_parameter(void *self, struct text name, struct text value,
                                    struct error *why)
{
	struct scenario *s = self;
	char digits[32], *end;

	if (text_is(name, "loop") && (text_is(value, "true") || text_is(value, "false"))) {
		s->loops = text_is(value, "true");
		return true;
	}
	if (!text_is(name, "speed"))
		return error_set(why, "there are speed=X and loop=true");
	snprintf(digits, sizeof(digits), "%.*s", TEXT_ARG(value));
	s->speed = strtod(digits, &end);
	return (*end == '\0' && s->speed >= SCENARIO_SPEED_MIN && s->speed <= SCENARIO_SPEED_MAX) ||
	       error_set(why, "a number from %.2f to %d is wanted", SCENARIO_SPEED_MIN,
	                 SCENARIO_SPEED_MAX);
}

static void scenario_free_closed(uv_handle_t *timer)
{
	struct scenario *s = timer->data;

	buf_finish(&s->next);
	free(s);
}

static void scenario_close(void *self)
{
	struct scenario *s = self;

	recording_close(s->recording);
	s->recording = NULL;
	uv_close((uv_handle_t *)&s->timer, scenario_free_closed);
}

static bool find_play(struct scenario *s, struct text what, struct error *why)
{
	struct text query, name = text_cut(what, '?', &query);
	char *path;

	if (!http_query_each(query, scenario_read_parameter, s, why))
		return false;
	if (text_is(name, "demo"))
		return true;
	if (!text_starts(name, TEXT("/")))
		return error_set(why, "scenario:demo or scenario:/a/file.ndjson is wanted");
	path = text_dup(name);
	s->recording = recording_open(source_loop(s->source), path, have_read, s, why);
	free(path);
	return s->recording != NULL;
}

static void *scenario_open(struct source *source, struct error *why)
{
	struct scenario *s = must_zero(1, sizeof(*s));
	struct text prefix = TEXT(SCHEME), url = text_of(source_url(source));

	s->source = source;
	s->speed = 1;
	s->before_ms = NAN;
	s->script = scenario_scripts;
	s->beat = s->script->beats;
	s->round = 1;
	buf_init(&s->next, SCENARIO_LINE_MAX);
	uv_timer_init(loop_uv(source_loop(source)), &s->timer);
	s->timer.data = s;
	if (text_starts(url, prefix))
		url = (struct text){url.at + prefix.len, url.len - prefix.len};
	if (!find_play(s, url, why)) {
		scenario_close(s);
		return NULL;
	}
	wait_ms(s, 0);
	return s;
}

static const char *const schemes[] = {SCHEME, NULL};

const struct transport transport_scenario = {
	.protocol = "scenario",
	.label = "a recording to play",
	.schemes = schemes,
	.reads_url = true,
	.open = scenario_open,
	.close = scenario_close,
};

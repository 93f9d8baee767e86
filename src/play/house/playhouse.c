/* playhouse.c - the show in a box: what the bus says is played, in time, for all to see.
 *
 * The theatre has no clock: here is one, and a timer that wakes it when something is
 * due.  It may take a tenth of the processor, and a fiftieth while nobody looks, because
 * the signals themselves come before what they look like: what comes when that is used
 * up is not played, and counted, and what is due is done a little later.  While many come
 * and nobody looks it sleeps, and nothing is due: who wants to see it wakes it, and the
 * newest of what it missed is played from the journal.  What was played is part of the
 * checkpoint; at a start, the signals that came after it are played likewise, at their own
 * times.
 */
#include <math.h>
#include <stdlib.h>
#include <uv.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/must.h"
#include "base/sections.h"
#include "bus/bus.h"
#include "journal/journal.h"
#include "net/loop.h"
#include "play/house/hands.h"
#include "signal/json.h"

#define SECTION "show"         /* of a checkpoint */
#define SECTION_SEQ "show.seq" /* the newest signal that it heard */
#define SAVED_MAX (16 * MIB)   /* of it: the others have a right to their part */
#define SHARE_NS 100000        /* of the processor in each millisecond: a tenth ... */
#define SHARE_ALONE_NS 20000   /* ... or less when nobody looks */
#define STRENGTH_NS 25000000   /* and so much at once */
#define TYPE_KNOWN 32          /* bytes of a type that is remembered */
#define SET_CLOCK_MS 1000      /* from one look at the wall to the next */
#define FOLD_SIGNALS 65536     /* the newest, that are played again at a start ... */
#define FOLD_NS 500000000u     /* ... if the processor needs no longer than this */
#define FOLD_WAIT_MS 5000      /* for a disk that stands still meanwhile */
#define BUSY 250               /* signals from one tick of the loop to the next, that are many */
#define CALM_TICKS 4           /* without so many, until it wakes by itself */
#define WAKE_SIGNALS 4096      /* the newest, that are played then ... */
#define WAKE_NS STRENGTH_NS    /* ... likewise, and without a wait */

struct playhouse {
	struct playhouse_options options;
	struct theatre *theatre;
	struct tap tap;
	bool is_open; /* what was is folded, and it is now */
	struct later settling;
	uv_timer_t timer;
	double strength_ns;    /* what is left of its share of the processor */
	uint64_t strengthened; /* the loop's time when it was last given some */
	uint64_t skipped;      /* signals for which nothing was left */
	/* Most signals are of the type of the one before. */
	char type[TYPE_KNOWN];
	size_t type_len;
	bool is_wanted;
	double due_ms; /* what the timer waits for; NAN: it is to be set anew */

	struct deadline tick; /* is much going on?  Set while anything is */
	uint64_t counted;     /* the newest signal at the last one */
	unsigned calm;        /* ticks in a row */
	bool is_ticking, is_asleep;
	bool is_folding;     /* what is played now is not told: who asked will look */
	uint64_t slept_from; /* the newest signal that was heard before */

	/* Unix time by the loop's clock.  When somebody puts the wall's clock back we go on
	 * as before; when it is put forward we follow. */
	double wall_ms;  /* minus the loop's */
	uint64_t set_at; /* the loop's time when that was looked at */
	double now_ms;   /* what was told last */
};

/* ---- time ---- */

static void set_clock(struct playhouse *p)
{
	double wall_ms = floor((double)clock_wall_ms() - (double)clock_mono_ns() / 1e6);

	p->set_at = loop_now_ms(p->options.loop);
	if (wall_ms <= p->wall_ms)
		return;
	p->wall_ms = wall_ms;
	p->due_ms = NAN;
	loop_later(p->options.loop, &p->settling);
}

static double now(struct playhouse *p)
{
	uint64_t mono_ms = loop_now_ms(p->options.loop);

	if (mono_ms - p->set_at >= SET_CLOCK_MS)
		set_clock(p);
	p->now_ms = fmax(p->now_ms, (double)mono_ms + p->wall_ms);
	return p->now_ms;
}

/* ---- its share of the processor ---- */

static double share_ns(const struct playhouse *p)
{
	return p->options.followers(p->options.self) ? SHARE_NS : SHARE_ALONE_NS;
}

static bool has_strength(struct playhouse *p)
{
	uint64_t ms = loop_now_ms(p->options.loop);

	if (ms == p->strengthened)
		return p->strength_ns > 0;
	p->strength_ns += (double)(ms - p->strengthened) * share_ns(p);
	p->strength_ns = fmin(p->strength_ns, STRENGTH_NS);
	p->strengthened = ms;
	return p->strength_ns > 0;
}

/* ---- deadlines ---- */

static void wake_for(struct playhouse *p, double next_ms);

static void is_due(uv_timer_t *timer)
{
	struct playhouse *p = timer->data;
	uint64_t begun = clock_work_ns();

	theatre_tick(p->theatre, now(p));
	p->strength_ns -= (double)(clock_work_ns() - begun);
	p->due_ms = NAN;
	wake_for(p, theatre_next(p->theatre));
}

static void wake_for(struct playhouse *p, double next_ms)
{
	double rest_ms = 0, wait_ms;

	if (next_ms == p->due_ms || p->is_asleep)
		return;
	p->due_ms = next_ms;
	if (isinf(next_ms)) {
		uv_timer_stop(&p->timer);
		return;
	}
	if (!has_strength(p))
		rest_ms = -p->strength_ns / share_ns(p);
	wait_ms = fmax(ceil(fmax(next_ms - now(p), rest_ms)), 1);
	uv_timer_start(&p->timer, is_due, (uint64_t)wait_ms, 0);
}

/* At the end of a turn, once for all that was heard in it. */
static void settle(struct later *later)
{
	struct playhouse *p = list_of(later, struct playhouse, settling);

	wake_for(p, theatre_next(p->theatre));
}

/* ---- sleep ---- */

static void wake(struct playhouse *p, uint64_t until);

/* Somebody wants to know how it is now. */
static void look_up(struct playhouse *p)
{
	wake(p, journal_last_seq(p->options.journal));
}

static void fall_asleep(struct playhouse *p)
{
	p->is_asleep = true;
	p->slept_from = journal_last_seq(p->options.journal);
	p->due_ms = NAN;
	uv_timer_stop(&p->timer);
}

static void watch_rate(struct playhouse *p)
{
	p->is_ticking = true;
	deadline_set(p->options.loop, &p->tick, DEADLINE_TICK_MS);
}

static void tick(struct deadline *deadline)
{
	struct playhouse *p = list_of(deadline, struct playhouse, tick);
	uint64_t last = journal_last_seq(p->options.journal), came = last - p->counted;

	p->counted = last;
	p->calm = came < BUSY ? p->calm + 1 : 0;
	if (p->is_asleep && p->calm >= CALM_TICKS)
		wake(p, last);
	else if (!p->is_asleep && !p->calm && !p->options.followers(p->options.self))
		fall_asleep(p);
	p->is_ticking = false;
	if (came || p->is_asleep)
		watch_rate(p);
}

/* ---- what is heard and what is seen ---- */

static void play(struct playhouse *p, const struct signal *s)
{
	uint64_t begun = clock_work_ns();

	theatre_hear(p->theatre, s, now(p));
	p->strength_ns -= (double)(clock_work_ns() - begun);
	loop_later(p->options.loop, &p->settling);
}

static bool is_wanted(struct playhouse *p, struct text type)
{
	if (p->type_len && text_equal(type, (struct text){p->type, p->type_len}))
		return p->is_wanted;
	p->is_wanted = theatre_wants(p->theatre, type);
	p->type_len = type.len < TYPE_KNOWN ? type.len : 0;
	memcpy(p->type, type.at, p->type_len);
	return p->is_wanted;
}

static void heard(struct tap *tap, const struct signal *s)
{
	struct playhouse *p = list_of(tap, struct playhouse, tap);

	if (!s->via.len && text_starts(s->type, TEXT("user.")))
		wake(p, s->seq - 1);
	if (!p->is_ticking)
		watch_rate(p);
	if (p->is_asleep)
		theatre_note(p->theatre, s);
	else if (!is_wanted(p, s->type))
		theatre_hear(p->theatre, s, now(p)); /* who speaks of what */
	else if (has_strength(p))
		play(p, s);
	else
		p->skipped++;
}

static void played(void *self, uint64_t version, double at_ms, struct text json)
{
	struct playhouse *p = self;

	if (!p->is_folding)
		p->options.command(p->options.self, version, at_ms, json);
}

static void changed(void *self)
{
	struct playhouse *p = self;

	p->type_len = 0;
	p->options.changed(p->options.self);
}

double playhouse_look(struct playhouse *p, struct buf *out)
{
	double at_ms;

	look_up(p);
	at_ms = now(p);
	theatre_look(p->theatre, at_ms, out);
	return at_ms;
}

bool playhouse_since(struct playhouse *p, uint64_t version, theatre_each_fn *each, void *of)
{
	look_up(p);
	return theatre_since(p->theatre, version, each, of);
}

void playhouse_status(struct playhouse *p, struct buf *out)
{
	const struct theatre_stats s = theatre_stats(p->theatre);

	buf_print(out,
	          ",\"show\":{\"running\":%s,\"asleep\":%s,\"version\":%llu,"
	          "\"signalsProcessed\":%llu,\"skipped\":%llu,\"refused\":%llu,"
	          "\"active\":%zu,\"wires\":",
	          theatre_is_running(p->theatre) ? "true" : "false",
	          p->is_asleep ? "true" : "false", (unsigned long long)theatre_version(p->theatre),
	          (unsigned long long)s.processed, (unsigned long long)playhouse_skipped(p),
	          (unsigned long long)s.refused, s.active);
	theatre_counts(p->theatre, out);
	buf_add_char(out, '}');
}

/* ---- what was missed ---- */

/* The newest so many of what came after this one. */
static uint64_t newest(uint64_t after, uint64_t until, unsigned max)
{
	return until > max && after < until - max ? until - max : after;
}

static uint64_t play_past(struct playhouse *p, struct show_past *past)
{
	uint64_t came_to;

	past->theatre = p->theatre;
	past->journal = p->options.journal;
	past->now_ms = now(p);
	p->is_folding = true;
	came_to = hands_play_past(past);
	theatre_tick(p->theatre, past->now_ms);
	p->is_folding = false;
	return came_to;
}

/* What it missed up to this signal is played, or at least the newest of that. */
static void wake(struct playhouse *p, uint64_t until)
{
	struct show_past past = {.until = until, .ns = WAKE_NS};

	if (!p->is_asleep)
		return;
	p->is_asleep = false;
	p->calm = 0;
	past.after = newest(p->slept_from, until, WAKE_SIGNALS);
	p->skipped += past.after - p->slept_from;
	p->skipped += until - play_past(p, &past);
	hands_arm(p);
}

/* ---- what people do ---- */

/* Whom or what it was done to; empty: nothing that is on the stage. */
static struct text entity_of(yyjson_val *envelope)
{
	yyjson_val *payload = yyjson_obj_get(envelope, "payload");
	struct text target = json_text(yyjson_obj_get(payload, "target"));

	return target.len ? target : json_text(yyjson_obj_get(payload, "entityId"));
}

struct text playhouse_concerned(void *self, const struct signal *s, struct text *run)
{
	struct playhouse *p = self;
	struct text source = TEXT(""), known;
	struct json_reader reader;
	yyjson_doc *doc;

	*run = s->correlation;
	if (run->at)
		return theatre_source(p->theatre, *run);
	wake(p, s->seq - 1);
	json_reader_init(&reader, s->line.len);
	doc = json_read(&reader, s->line, NULL);
	theatre_episode(p->theatre, entity_of(yyjson_doc_get_root(doc)), run, &source);
	json_reader_finish(&reader);
	known = run->len ? theatre_source(p->theatre, *run) : source;
	return known.len ? known : source;
}

/* ---- across a restart ---- */

/* While it sleeps it is not of the time of the checkpoint. */
static void save_seq(const struct playhouse *p, struct buf *out)
{
	size_t begun = section_begin(out, SECTION_SEQ);

	buf_add_u64(out, p->is_asleep ? p->slept_from : journal_last_seq(p->options.journal));
	section_end(out, begun);
}

void playhouse_save(struct playhouse *p, struct buf *out)
{
	struct buf saved;
	size_t begun;

	buf_init(&saved, SAVED_MAX);
	theatre_save(p->theatre, &saved);
	if (saved.full) {
		log_warn("show", "there is too much on the stage to remember it");
	} else {
		begun = section_begin(out, SECTION);
		buf_add(out, buf_text(&saved));
		section_end(out, begun);
		save_seq(p, out);
	}
	buf_finish(&saved);
}

static void remember(struct playhouse *p)
{
	struct show_past past = {
		.until = journal_last_seq(p->options.journal),
		.ns = FOLD_NS,
		.wait_ms = FOLD_WAIT_MS,
	};
	uint64_t after;
	struct text all = journal_checkpoint(p->options.journal, &after);
	struct text saved = section_find(all, SECTION);

	text_to_u64(section_find(all, SECTION_SEQ), &after);
	if (saved.len == 0 || !theatre_load(p->theatre, saved, p->now_ms))
		after = 0;
	past.after = newest(after, past.until, FOLD_SIGNALS);
	if (play_past(p, &past) < past.until)
		log_warn("show", "what came before is long: the stage goes on without all of it");
}

/* ---- life ---- */

uint64_t playhouse_skipped(const struct playhouse *p)
{
	return theatre_stats(p->theatre).skipped + p->skipped;
}

const struct theatre *playhouse_theatre(const struct playhouse *p)
{
	return p->theatre;
}

struct theatre *hands_theatre(struct playhouse *p)
{
	return p->theatre;
}

const struct playhouse_options *hands_options(const struct playhouse *p)
{
	return &p->options;
}

double hands_now(struct playhouse *p)
{
	if (!p->is_open)
		return 0;
	look_up(p);
	return now(p);
}

void hands_arm(struct playhouse *p)
{
	loop_later(p->options.loop, &p->settling);
}

struct playhouse *playhouse_create(const struct playhouse_options *options)
{
	struct playhouse *p = must_zero(1, sizeof(*p));
	struct theatre_options o = {.self = p, .command = played, .changed = changed};

	p->options = *options;
	p->tap = (struct tap){.name = "show", .heard = heard};
	p->settling.run = settle;
	p->tick.fire = tick;
	p->strength_ns = STRENGTH_NS;
	p->strengthened = loop_now_ms(p->options.loop);
	uv_timer_init(loop_uv(p->options.loop), &p->timer);
	p->timer.data = p;
	set_clock(p);
	p->theatre = theatre_create(&o, now(p));
	return p;
}

void playhouse_open(struct playhouse *p)
{
	hands_load(p);
	remember(p);
	p->is_open = true;
	p->counted = journal_last_seq(p->options.journal);
	hands_arm(p);
	bus_add_tap(p->options.bus, &p->tap);
}

static void free_closed(uv_handle_t *timer)
{
	free(timer->data);
}

void playhouse_destroy(struct playhouse *p)
{
	if (!p)
		return;
	loop_forget(&p->settling);
	deadline_clear(&p->tick);
	theatre_destroy(p->theatre);
	uv_close((uv_handle_t *)&p->timer, free_closed);
}

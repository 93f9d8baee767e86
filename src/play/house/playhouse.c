/* playhouse.c - the show in a box: what the bus says is played, in time, for all to see.
 *
 * The stage is folded from the journal like all else (bus/folds.h); the theatre has no clock, and
 * here is one, with a timer that wakes it when something is due.  Signals of the present are
 * played now, and those who follow are told of each command.  Signals that were left behind, by a
 * flood or by a restart, are played at their own times, and whoever follows looks at the stage
 * again.  The document of the show is an input of the fold: the same journal and the same show
 * give the same stage, but for what the clock of the wall made due since.
 *
 * By which of our sources a signal came is not in the journal: that is heard from the bus.
 */
#include <math.h>
#include <stdlib.h>
#include <uv.h>

#include "base/clock.h"
#include "base/must.h"
#include "base/put.h"
#include "bus/backs.h"
#include "bus/bus.h"
#include "bus/folds.h"
#include "journal/journal.h"
#include "net/loop.h"
#include "play/house/hands.h"
#include "signal/json.h"

#define SAVED_MAX (16 * MIB) /* of it: the others have a right to their part */
#define SET_CLOCK_MS 1000    /* from one look at the wall to the next */
#define BACK 65536           /* signals, the newest, that are played again at a start */
#define BUSY 250             /* from one tick to the next: then it waits, while nobody looks */
#define REACH_NS 25000000    /* for who wants to know how it is now */
#define DEED_NS 25000000     /* for what a person did on it */
#define PRESENT_MS 250       /* what came since is of the present, not left behind */
#define LOOK_MS 500          /* while it is behind, those who follow look again so often */

struct playhouse {
	struct playhouse_options options;
	struct theatre *theatre;
	struct bus_listener listener;
	struct folded *folded; /* NULL: it is not open yet */
	bool is_watched;       /* by those who follow */
	bool is_untold;        /* commands were played that nobody was told of */
	bool is_past;          /* what was heard last was left behind */
	bool is_quiet;         /* whoever asked looks when all is played */
	bool is_awaited;       /* a deed waits until it is played up to there */
	uint64_t present_ms;   /* the loop's time when it was last at the present; 0: never */
	uint64_t reached_ms;   /* likewise, when it was last played on for somebody */
	uint64_t looked_ms;    /* likewise, when those who follow were last told to look */
	struct later settling;
	uv_timer_t timer;
	double due_ms; /* what the timer waits for; NAN: it is to be set anew */

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

/* It was at the present a moment ago; or later, but little came since: the machine is busy. */
static bool was_present(const struct playhouse *p)
{
	uint64_t ms = loop_now_ms(p->options.loop);
	uint64_t left = journal_last_seq(p->options.journal) - fold_seq(p->folded);

	return p->present_ms && (ms - p->present_ms < PRESENT_MS || (!p->is_past && left < BUSY));
}

/* What comes now is of the present: nothing is left to hear, or not for long. */
static bool is_present(const struct playhouse *p)
{
	return p->folded && (!fold_is_behind(p->folded) || was_present(p));
}

/* For who wants to know how it is now: much, but not often. */
static uint64_t may_take_ns(struct playhouse *p, uint64_t much)
{
	uint64_t ms = loop_now_ms(p->options.loop);

	if (p->reached_ms && ms - p->reached_ms < LOOK_MS)
		return FOLDS_TURN_NS;
	if (fold_is_behind(p->folded))
		p->reached_ms = ms;
	return much;
}

/* ---- deadlines ---- */

static void wake_for(struct playhouse *p, double next_ms);

static void is_due(uv_timer_t *timer)
{
	struct playhouse *p = timer->data;

	p->due_ms = NAN;
	if (is_present(p) && !fold_stands_still(p->folded))
		theatre_tick(p->theatre, now(p)); /* otherwise in a millisecond */
	wake_for(p, theatre_next(p->theatre));
}

/* While it is behind nothing is due: it is not of that time yet. */
static void wake_for(struct playhouse *p, double next_ms)
{
	if (next_ms == p->due_ms)
		return;
	p->due_ms = next_ms;
	if (isinf(next_ms) || !is_present(p)) {
		p->due_ms = NAN;
		uv_timer_stop(&p->timer);
		return;
	}
	uv_timer_start(&p->timer, is_due, (uint64_t)fmax(ceil(next_ms - now(p)), 1), 0);
}

static void tell_to_look(struct playhouse *p)
{
	p->is_untold = false;
	p->looked_ms = loop_now_ms(p->options.loop);
	p->options.changed(p->options.self);
}

/* Whoever asked too early is told when there is more to know; until then it is played on. */
static void await(struct playhouse *p, bool is_awaited)
{
	if (is_awaited != p->is_awaited)
		fold_watch(p->folded, is_awaited);
	p->is_awaited = is_awaited;
}

/* At the end of a turn, once for all that was heard in it. */
static void settle_turn(struct later *later)
{
	struct playhouse *p = list_of(later, struct playhouse, settling);

	if (p->is_untold && p->folded && !fold_is_behind(p->folded))
		tell_to_look(p);
	if (p->is_awaited) {
		await(p, false);
		p->options.reached(p->options.self);
	}
	wake_for(p, theatre_next(p->theatre));
}

/* ---- the fold ---- */

static void fold_signal(void *self, const struct signal *s)
{
	struct playhouse *p = self;

	p->is_past = !is_present(p);
	theatre_hear(p->theatre, s, p->is_past ? fmin(s->at_ms, now(p)) : now(p));
}

static void folded_piece(void *self, bool is_all)
{
	struct playhouse *p = self;
	uint64_t ms = loop_now_ms(p->options.loop);

	if (is_all && p->is_past)
		theatre_tick(p->theatre, now(p));
	if (is_all)
		p->present_ms = ms;
	if (p->is_untold && !p->is_quiet && (is_all || ms - p->looked_ms >= LOOK_MS))
		tell_to_look(p);
	loop_later(p->options.loop, &p->settling);
}

static void begin_save(void *self)
{
	theatre_save_begin(((struct playhouse *)self)->theatre);
}

static bool save_more(void *self, struct buf *out)
{
	return theatre_save_more(((struct playhouse *)self)->theatre, out);
}

static bool load_stage(void *self, struct text saved, uint64_t *seq)
{
	struct playhouse *p = self;

	return theatre_load(p->theatre, saved, p->now_ms);
}

static const struct fold_kind stage_fold = {
	.name = "show",
	.pace = FOLD_LATER,
	.back = BACK,
	.is_narrow = true,
	.flood = BUSY,
	.saved_max = SAVED_MAX,
	.hear = fold_signal,
	.heard = folded_piece,
	.save_begin = begin_save,
	.save_more = save_more,
	.stands_still = true,
	.load = load_stage,
};

/* ---- what is heard and what is seen ---- */

static void watch(struct playhouse *p)
{
	bool wanted = p->options.followers(p->options.self) > 0;

	if (wanted != p->is_watched)
		fold_watch(p->folded, wanted);
	p->is_watched = wanted;
}

static void note(struct bus_listener *listener, const struct signal *s)
{
	struct playhouse *p = list_of(listener, struct playhouse, listener);

	if (fold_seq(p->folded) + 1 == s->seq)
		p->present_ms = loop_now_ms(p->options.loop);
	watch(p);
	theatre_note(p->theatre, s);
}

static void played(void *self, uint64_t version, double at_ms, struct text json)
{
	struct playhouse *p = self;

	if (p->is_quiet || p->is_untold || !is_present(p))
		p->is_untold = true;
	else
		p->options.command(p->options.self, version, at_ms, json);
}

static void changed(void *self)
{
	struct playhouse *p = self;

	tell_to_look(p);
}

bool playhouse_reach(void *self)
{
	struct playhouse *p = self;

	return fold_reach(p->folded, may_take_ns(p, REACH_NS));
}

/* Whoever asks is given all of it; the others who follow look again. */
static void reach_quietly(struct playhouse *p)
{
	bool was_untold = p->is_untold;

	watch(p);
	p->is_quiet = true;
	playhouse_reach(p);
	p->is_quiet = false;
	if (!was_untold && p->options.followers(p->options.self) <= 1)
		p->is_untold = fold_is_behind(p->folded);
	hands_arm(p);
}

uint64_t playhouse_seq(void *self)
{
	return fold_seq(((struct playhouse *)self)->folded);
}

void playhouse_watch(void *self, bool watches)
{
	fold_watch(((struct playhouse *)self)->folded, watches);
}

void playhouse_show(void *self, struct buf *out)
{
	struct playhouse *p = self;

	theatre_look(p->theatre, now(p), out);
}

double playhouse_look(struct playhouse *p, struct buf *out)
{
	double at_ms;

	reach_quietly(p);
	at_ms = now(p);
	theatre_look(p->theatre, at_ms, out);
	return at_ms;
}

bool playhouse_since(struct playhouse *p, uint64_t version, theatre_each_fn *each, void *of)
{
	reach_quietly(p);
	return theatre_since(p->theatre, version, each, of);
}

void playhouse_status(struct playhouse *p, struct buf *out)
{
	const struct theatre_stats s = theatre_stats(p->theatre);

	put_object(out, "show");
	put_bool(out, "running", theatre_is_running(p->theatre));
	put_bool(out, "asleep", !is_present(p));
	put_u64(out, "version", theatre_version(p->theatre));
	put_u64(out, "signalsProcessed", s.processed);
	put_u64(out, "skipped", playhouse_skipped(p));
	put_u64(out, "refused", s.refused);
	put_u64(out, "active", s.active);
	put_key(out, "wires");
	theatre_counts(p->theatre, out);
	put_end(out);
}

/* ---- what people do ---- */

/* Whom or what it was done to; empty: nothing that is on the stage. */
static struct text entity_of(yyjson_val *envelope)
{
	yyjson_val *payload = yyjson_obj_get(envelope, "payload");
	struct text target = json_text(yyjson_obj_get(payload, "target"));

	return target.len ? target : json_text(yyjson_obj_get(payload, "entityId"));
}

bool playhouse_concerned(void *self, const struct signal *s, struct back_deed *deed)
{
	struct playhouse *p = self;
	struct json_reader reader;
	struct text known;
	yyjson_doc *doc;

	deed->run = s->correlation;
	if (deed->run.at)
		deed->source = theatre_source(p->theatre, deed->run);
	if (deed->source.len)
		return true;
	if (!fold_reach_to(p->folded, s->seq - 1, may_take_ns(p, DEED_NS))) {
		await(p, true);
		return false;
	}
	if (deed->run.at) {
		deed->source = theatre_source(p->theatre, deed->run);
		return true;
	}
	json_reader_init(&reader, s->line.len);
	doc = json_read(&reader, s->line, NULL);
	theatre_episode(p->theatre, entity_of(yyjson_doc_get_root(doc)), &deed->run, &deed->source);
	json_reader_finish(&reader);
	known = deed->run.len ? theatre_source(p->theatre, deed->run) : deed->source;
	if (known.len)
		deed->source = known;
	return true;
}

/* ---- life ---- */

uint64_t playhouse_skipped(const struct playhouse *p)
{
	return theatre_stats(p->theatre).skipped;
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
	if (!p->folded)
		return 0;
	playhouse_reach(p);
	fold_save_rest(p->folded);
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
	p->listener = (struct bus_listener){.name = "show", .heard = note};
	p->settling.run = settle_turn;
	p->due_ms = NAN;
	uv_timer_init(loop_uv(p->options.loop), &p->timer);
	p->timer.data = p;
	set_clock(p);
	p->theatre = theatre_create(&o, now(p));
	return p;
}

void playhouse_open(struct playhouse *p)
{
	hands_load(p);
	p->folded = folds_add(bus_folds(p->options.bus), &stage_fold, p);
	if (fold_is_behind(p->folded))
		p->is_untold = true;
	hands_arm(p);
	bus_add_listener(p->options.bus, &p->listener);
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
	theatre_destroy(p->theatre);
	uv_close((uv_handle_t *)&p->timer, free_closed);
}

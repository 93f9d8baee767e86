/* show.c - the show in a box: what the bus says is played, in time, for all to see.
 *
 * The theatre has no clock: here is one, and a timer that wakes it when something is
 * due.  It may take a tenth of the processor, and a fiftieth while nobody looks, because
 * the signals themselves come before what they look like: what comes when that is used
 * up is not played, and counted, and what is due is done a little later.  What was played
 * is part of the checkpoint; at a start, the signals that came after it are played again,
 * at their own times.
 */
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <uv.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/must.h"
#include "base/sections.h"
#include "box/parts.h"
#include "bus/bus.h"
#include "hub/hub.h"
#include "journal/reader.h"
#include "play/theatre.h"

#define SECTION "show"       /* of a checkpoint */
#define SAVED_MAX (16 * MIB) /* of it: the others have a right to their part */
#define SHARE_NS 100000      /* of the processor in each millisecond: a tenth ... */
#define SHARE_ALONE_NS 20000 /* ... or less when nobody looks */
#define STRENGTH_NS 25000000 /* and so much at once */
#define TYPE_KNOWN 32        /* bytes of a type that is remembered */
#define SET_CLOCK_MS 1000    /* from one look at the wall to the next */
#define FOLD_SIGNALS 65536   /* the newest, that are played again at a start ... */
#define FOLD_NS 500000000u   /* ... and no longer than this */
#define FOLD_LOOK 256        /* signals between two looks at the time */
#define FOLD_CHUNK (256 * KIB)
#define FOLD_WAIT_MS 1000

struct playhouse {
	struct box *box;
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

	p->set_at = loop_now_ms(p->box->loop);
	if (wall_ms <= p->wall_ms)
		return;
	p->wall_ms = wall_ms;
	p->due_ms = NAN;
	loop_later(p->box->loop, &p->settling);
}

static double now(struct playhouse *p)
{
	uint64_t mono_ms = loop_now_ms(p->box->loop);

	if (mono_ms - p->set_at >= SET_CLOCK_MS)
		set_clock(p);
	p->now_ms = fmax(p->now_ms, (double)mono_ms + p->wall_ms);
	return p->now_ms;
}

/* ---- its share of the processor ---- */

static double used_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double share_ns(const struct playhouse *p)
{
	return p->box->hub && hub_stats(p->box->hub).followers ? SHARE_NS : SHARE_ALONE_NS;
}

static bool has_strength(struct playhouse *p)
{
	uint64_t ms = loop_now_ms(p->box->loop);

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
	double begun = used_ns();

	theatre_tick(p->box->theatre, now(p));
	p->strength_ns -= used_ns() - begun;
	p->due_ms = NAN;
	wake_for(p, theatre_next(p->box->theatre));
}

static void wake_for(struct playhouse *p, double next_ms)
{
	double rest_ms = 0, wait_ms;

	if (next_ms == p->due_ms)
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

	wake_for(p, theatre_next(p->box->theatre));
}

/* ---- what is heard and what is seen ---- */

static void play(struct playhouse *p, const struct signal *s)
{
	double begun = used_ns();

	theatre_hear(p->box->theatre, s, now(p));
	p->strength_ns -= used_ns() - begun;
	loop_later(p->box->loop, &p->settling);
}

static bool is_wanted(struct playhouse *p, struct text type)
{
	if (p->type_len && text_equal(type, (struct text){p->type, p->type_len}))
		return p->is_wanted;
	p->is_wanted = theatre_wants(p->box->theatre, type);
	p->type_len = type.len < TYPE_KNOWN ? type.len : 0;
	memcpy(p->type, type.at, p->type_len);
	return p->is_wanted;
}

static void heard(struct tap *tap, const struct signal *s)
{
	struct playhouse *p = list_of(tap, struct playhouse, tap);

	if (!s->via.len && text_starts(s->type, TEXT("user.")))
		box_pass_on(p->box, s);
	if (!is_wanted(p, s->type))
		theatre_hear(p->box->theatre, s, now(p)); /* who speaks of what */
	else if (has_strength(p))
		play(p, s);
	else
		p->skipped++;
}

static void played(void *self, uint64_t version, double at_ms, struct text json)
{
	struct box *box = self;

	if (box->hub)
		hub_tell_command(box->hub, version, at_ms, json);
}

static void changed(void *self)
{
	struct box *box = self;

	if (box->playhouse)
		box->playhouse->type_len = 0;
	if (box->hub)
		hub_tell_stage(box->hub);
}

static struct hub_moment look(void *self, struct buf *out)
{
	struct box *box = self;
	struct hub_moment moment = {theatre_version(box->theatre), now(box->playhouse)};

	theatre_look(box->theatre, moment.at_ms, out);
	return moment;
}

static bool since(void *self, uint64_t version, hub_command_fn *each, void *of)
{
	return theatre_since(((struct box *)self)->theatre, version, each, of);
}

struct hub_stage box_stage(struct box *box)
{
	return (struct hub_stage){.self = box, .look = look, .since = since};
}

void box_look_at_stage(void *self, struct buf *out)
{
	look(self, out);
}

void box_show_status(struct box *box, struct buf *out)
{
	const struct theatre_stats s = theatre_stats(box->theatre);

	buf_print(out,
	          ",\"show\":{\"running\":%s,\"version\":%llu,\"signalsProcessed\":%llu,"
	          "\"skipped\":%llu,\"refused\":%llu,\"active\":%zu,\"wires\":",
	          theatre_is_running(box->theatre) ? "true" : "false",
	          (unsigned long long)theatre_version(box->theatre),
	          (unsigned long long)s.processed, (unsigned long long)box_show_skipped(box),
	          (unsigned long long)s.refused, s.active);
	theatre_counts(box->theatre, out);
	buf_add_char(out, '}');
}

/* ---- across a restart ---- */

void box_save_show(struct box *box, struct buf *out)
{
	struct buf saved;
	size_t begun;

	if (!box->theatre)
		return;
	buf_init(&saved, SAVED_MAX);
	theatre_save(box->theatre, &saved);
	if (saved.full) {
		log_warn("show", "there is too much on the stage to remember it");
	} else {
		begun = section_begin(out, SECTION);
		buf_add(out, buf_text(&saved));
		section_end(out, begun);
	}
	buf_finish(&saved);
}

struct fold {
	struct journal_reader *from;
	struct signal_reader *lines;
	uint64_t until_ns;
	unsigned count;
	double at_ms; /* of the signal that was played last */
};

/* At its own time: not before the one before it, and not in the future. */
static void play_again(struct playhouse *p, struct fold *f, struct text line)
{
	struct signal s;

	if (!signal_read(f->lines, line, &s, NULL))
		return;
	f->at_ms = fmax(f->at_ms, fmin(s.at_ms, p->now_ms));
	theatre_hear(p->box->theatre, &s, f->at_ms);
}

/* False when it takes too long. */
static bool play_lines(struct playhouse *p, struct fold *f, struct text lines)
{
	while (lines.len) {
		struct text line = text_cut(lines, '\n', &lines);

		play_again(p, f, line);
		journal_reader_take(f->from, line.len + 1, signal_seq_of(line) + 1);
		if (++f->count % FOLD_LOOK == 0 && clock_mono_ns() > f->until_ns)
			return false;
	}
	return true;
}

static bool wait_for_disk(struct journal *journal, const struct fold *f)
{
	journal_wait(journal, FOLD_WAIT_MS);
	journal_poll(journal);
	return clock_mono_ns() <= f->until_ns;
}

/* Plays what came after this position, as far as that is soon done. */
static void fold(struct playhouse *p, struct position after)
{
	struct journal *journal = p->box->journal;
	struct fold f = {.from = journal_reader_create(journal, after),
	                 .lines = signal_reader_create(),
	                 .until_ns = clock_mono_ns() + FOLD_NS};
	enum journal_news news;
	struct text lines;
	struct gap gap;
	bool on = true;

	while (on && (news = journal_read(f.from, FOLD_CHUNK, &lines, &gap)) != JOURNAL_END) {
		if (news == JOURNAL_LINES)
			on = play_lines(p, &f, lines);
		else if (news == JOURNAL_COLD)
			on = wait_for_disk(journal, &f);
	}
	if (!on)
		log_warn("show", "what came before is long: the stage goes on without all of it");
	journal_reader_destroy(f.from);
	signal_reader_destroy(f.lines);
}

static void remember(struct playhouse *p)
{
	uint64_t last = journal_last_seq(p->box->journal);
	struct position after = {.seq = 0};
	struct text saved = journal_checkpoint(p->box->journal, &after.seq);

	saved = section_find(saved, SECTION);
	if (saved.len == 0 || !theatre_load(p->box->theatre, saved, p->now_ms))
		after.seq = 0;
	if (last > FOLD_SIGNALS && after.seq < last - FOLD_SIGNALS)
		after.seq = last - FOLD_SIGNALS;
	fold(p, after);
	theatre_tick(p->box->theatre, p->now_ms);
}

/* ---- life ---- */

uint64_t box_show_skipped(const struct box *box)
{
	return theatre_stats(box->theatre).skipped + box->playhouse->skipped;
}

double box_show_now(struct box *box)
{
	return box->playhouse->is_open ? now(box->playhouse) : 0;
}

void box_show_arm(struct box *box)
{
	loop_later(box->loop, &box->playhouse->settling);
}

void box_make_show(struct box *box)
{
	struct playhouse *p = must_zero(1, sizeof(*p));
	struct theatre_options o = {.self = box, .command = played, .changed = changed};

	box->playhouse = p;
	p->box = box;
	p->tap = (struct tap){.name = "show", .heard = heard};
	p->settling.run = settle;
	p->strength_ns = STRENGTH_NS;
	p->strengthened = loop_now_ms(box->loop);
	uv_timer_init(loop_uv(box->loop), &p->timer);
	p->timer.data = p;
	set_clock(p);
	box->theatre = theatre_create(&o, now(p));
}

void box_open_show(struct box *box)
{
	remember(box->playhouse);
	box->playhouse->is_open = true;
	box_show_arm(box);
	bus_add_tap(box->bus, &box->playhouse->tap);
}

static void free_closed(uv_handle_t *timer)
{
	free(timer->data);
}

void box_destroy_show(struct box *box)
{
	struct playhouse *p = box->playhouse;

	if (!p)
		return;
	loop_forget(&p->settling);
	uv_close((uv_handle_t *)&p->timer, free_closed);
	theatre_destroy(box->theatre);
	box->theatre = NULL;
	box->playhouse = NULL;
}

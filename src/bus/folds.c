/* folds.c - the frame of all that is folded from the journal. */
#include "bus/folds.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/must.h"
#include "bus/inside.h"
#include "journal/kept.h"
#include "journal/reader.h"

#define READ_CHUNK (256 * KIB)
#define READ_WAIT_MS 1000
#define LOOK_EVERY 16 /* signals between two looks at the clock */
#define FEW 250       /* signals from one tick to the next */
#define FLOOD 5000    /* likewise; and as many may be folded from one tick to the next */

bool folded_is_later(const struct folded *f)
{
	return f->kind->pace == FOLD_LATER || f->folds->is_of_past;
}

static uint64_t last_of(const struct folds *folds)
{
	return folds->is_of_past ? folds->moment : journal_last_seq(folds->journal);
}

static void begin(struct folded *f)
{
	uint64_t last = last_of(f->folds), back = f->kind->back;

	uint64_t oldest = back && last > back ? last - back : 0;

	if (!folded_load(f) || (f->kind->is_narrow && f->seq < oldest))
		f->seq = oldest;
	f->is_past = !folded_is_later(f);
	f->watchers = f->folds->is_of_past;
	f->purse = FLOOD;
	if (!f->is_past)
		f->reader = journal_reader_create(f->folds->journal, f->seq);
}

/* --- at once --------------------------------------------------------------- */

static void hear_line(struct folds *folds, struct text line)
{
	uint64_t seq = signal_seq_of(line);
	bool is_read = false;
	struct signal s;

	list_each(&folds->all, l) {
		struct folded *f = list_of(l, struct folded, in_folds);

		if (!f->is_past || seq <= f->seq || (f->kind->may_want && !f->kind->may_want(line)))
			continue;
		is_read = is_read || signal_read(folds->lines, line, &s, NULL);
		if (!is_read)
			return;
		f->kind->hear(f->self, &s);
	}
}

static void hear_lines(struct folds *folds, struct journal_reader *from, struct text lines)
{
	while (lines.len) {
		struct text line = text_cut(lines, '\n', &lines);

		hear_line(folds, line);
		journal_reader_take(from, line.len + 1, signal_seq_of(line) + 1);
	}
}

static void wait_for_disk(struct journal *journal)
{
	journal_wait(journal, READ_WAIT_MS);
	journal_poll(journal);
}

static void read_past(struct folds *folds, uint64_t after)
{
	struct journal_reader *from = journal_reader_create(folds->journal, after);
	enum journal_news news;
	struct text lines;
	struct gap gap;

	while ((news = journal_read(from, READ_CHUNK, &lines, &gap)) != JOURNAL_END) {
		if (news == JOURNAL_LINES)
			hear_lines(folds, from, lines);
		else if (news == JOURNAL_COLD)
			wait_for_disk(folds->journal);
	}
	journal_reader_destroy(from);
}

static void reach_moment(struct folds *folds)
{
	while (folds_are_behind(folds))
		if (!folds_turn(folds))
			wait_for_disk(folds->journal);
}

void folds_catch_up(struct folds *folds)
{
	uint64_t last = journal_last_seq(folds->journal), after = last;

	if (folds->is_of_past) {
		reach_moment(folds);
		return;
	}
	list_each(&folds->all, l) {
		struct folded *f = list_of(l, struct folded, in_folds);

		if (f->is_past && f->seq < after)
			after = f->seq;
	}
	if (after < last)
		read_past(folds, after);
	list_each(&folds->all, l) {
		struct folded *f = list_of(l, struct folded, in_folds);

		if (f->is_past && f->kind->durable)
			f->kind->durable(f->self, last);
		f->is_past = false;
	}
}

void folds_hear(struct folds *folds, const struct signal *s)
{
	list_each(&folds->at_once, l) {
		struct folded *f = list_of(l, struct folded, in_at_once);

		if (!f->kind->wants || f->kind->wants(s))
			f->kind->hear(f->self, s);
	}
}

void folds_durable(struct folds *folds, uint64_t seq)
{
	list_each(&folds->at_once, l) {
		struct folded *f = list_of(l, struct folded, in_at_once);

		if (f->kind->durable)
			f->kind->durable(f->self, seq);
	}
}

/* --- later ----------------------------------------------------------------- */

static uint64_t present_of(const struct folded *f)
{
	const struct journal *journal = f->folds->journal;

	if (f->folds->is_of_past)
		return f->folds->moment;
	return f->kind->durable_first && !journal_fails(journal) ? journal_durable_seq(journal)
	                                                         : journal_last_seq(journal);
}

static bool is_over(uint64_t count, uint64_t until_ns)
{
	return count % LOOK_EVERY == 0 && clock_mono_ns() >= until_ns;
}

/* False: the time is over. */
static bool follow_lines(struct folded *f, struct text lines, uint64_t limit, uint64_t until_ns)
{
	struct signal s;

	while (lines.len) {
		struct text line = text_cut(lines, '\n', &lines);
		uint64_t seq = signal_seq_of(line);

		if (seq > limit) {
			f->seq = seq - 1; /* there are none between */
			return true;
		}
		if ((!f->kind->may_want || f->kind->may_want(line)) &&
		    signal_read(f->folds->lines, line, &s, NULL))
			f->kind->hear(f->self, &s);
		journal_reader_take(f->reader, line.len + 1, seq + 1);
		f->seq = seq;
		if (is_over(seq, until_ns))
			return false;
	}
	return true;
}

/* True: there is more, and it can be read at once. */
static bool follow(struct folded *f, uint64_t limit, uint64_t until_ns)
{
	enum journal_news news = JOURNAL_LINES;
	uint64_t began = f->seq;
	bool has_time = true;
	struct text lines;
	struct gap gap;

	if (f->seq < limit && !folded_may_go_on(f, until_ns))
		return true;
	while (f->reader && has_time && f->seq < limit) {
		news = journal_read(f->reader, READ_CHUNK, &lines, &gap);
		if (news == JOURNAL_LINES)
			has_time = follow_lines(f, lines, limit, until_ns);
		else if (news == JOURNAL_GAP)
			f->seq = journal_reader_next(f->reader) - 1;
		else
			break;
	}
	if (f->seq != began && f->kind->heard)
		f->kind->heard(f->self, f->seq >= limit);
	if (f->seq != began && f->kind->durable && f->folds->is_of_past)
		f->kind->durable(f->self, f->seq);
	return f->reader && f->seq < limit && news != JOURNAL_COLD;
}

/* What nobody watches has a purse, which a tick fills. */
static bool follow_slowly(struct folded *f, uint64_t until_ns)
{
	uint64_t present = present_of(f), before = f->seq, used;
	bool more;

	if (!f->purse)
		return false;
	more = follow(f, before + f->purse < present ? before + f->purse : present, until_ns);
	used = f->seq - before;
	f->purse -= used < f->purse ? used : f->purse;
	if (f->seq >= present && !f->folds->few_come)
		f->purse = 0;
	return more && f->purse;
}

bool fold_is_behind(const struct folded *f)
{
	return f->reader && f->seq < present_of(f);
}

bool folds_are_behind(const struct folds *folds)
{
	list_each(&folds->all, l)
		if (fold_is_behind(list_of(l, const struct folded, in_folds)))
			return true;
	return false;
}

bool folds_turn(struct folds *folds)
{
	uint64_t until_ns = clock_mono_ns() + FOLDS_TURN_NS;
	bool more = false;

	list_each(&folds->all, l) {
		struct folded *f = list_of(l, struct folded, in_folds);

		if (!fold_is_behind(f))
			continue;
		more = (f->watchers ? follow(f, present_of(f), until_ns)
		                    : follow_slowly(f, until_ns)) ||
		       more;
	}
	return more;
}

static void fill_purse(struct folded *f, uint64_t came)
{
	uint64_t flood = f->kind->flood ? f->kind->flood : FLOOD;

	f->purse = came <= flood ? FLOOD : 0;
}

bool folds_tick(struct folds *folds)
{
	uint64_t last = journal_last_seq(folds->journal), came = last - folds->counted;

	folds->counted = last;
	folds->few_come = came <= FEW;
	list_each(&folds->all, l)
		fill_purse(list_of(l, struct folded, in_folds), came);
	return came > 0;
}

uint64_t fold_seq(const struct folded *f)
{
	return f->seq;
}

bool fold_reach(struct folded *f, uint64_t ns)
{
	follow(f, present_of(f), clock_mono_ns() + ns);
	return !fold_is_behind(f);
}

bool fold_reach_to(struct folded *f, uint64_t seq, uint64_t ns)
{
	uint64_t present = present_of(f);

	follow(f, seq < present ? seq : present, clock_mono_ns() + ns);
	return f->seq >= seq;
}

void fold_watch(struct folded *f, bool watch)
{
	f->watchers += watch ? 1 : -1;
}

/* --- from start to end ----------------------------------------------------- */

struct folds *folds_create(struct journal *journal)
{
	struct folds *folds = must_zero(1, sizeof(*folds));

	folds->journal = journal;
	folds->lines = signal_reader_create();
	folds->counted = journal_last_seq(journal);
	folds->few_come = true;
	list_init(&folds->all);
	list_init(&folds->at_once);
	return folds;
}

struct folds *folds_create_at(struct journal *journal, uint64_t seq)
{
	struct folds *folds = folds_create(journal);

	folds->is_of_past = true;
	folds->moment = seq < folds->counted ? seq : folds->counted;
	buf_init(&folds->kept, KEPT_STATE_MAX);
	journal_kept(journal, folds->moment, &folds->kept, &folds->kept_seq);
	return folds;
}

uint64_t folds_began(const struct folds *folds)
{
	return folds->kept_seq;
}

struct folded *folds_add(struct folds *folds, const struct fold_kind *kind, void *self)
{
	struct folded *f = must_zero(1, sizeof(*f));

	f->kind = kind;
	f->self = self;
	f->folds = folds;
	list_add(&folds->all, &f->in_folds);
	list_init(&f->in_at_once);
	if (kind->pace == FOLD_AT_ONCE && !folds->is_of_past)
		list_add(&folds->at_once, &f->in_at_once);
	begin(f);
	return f;
}

static void stop_reading(struct folded *f)
{
	journal_reader_destroy(f->reader);
	f->reader = NULL;
}

void fold_remove(struct folded *f)
{
	if (!f)
		return;
	folds_save_abandon(f->folds);
	stop_reading(f);
	list_remove(&f->in_folds);
	list_remove(&f->in_at_once);
	free(f);
}

void folds_close(struct folds *folds)
{
	list_each(&folds->all, l)
		stop_reading(list_of(l, struct folded, in_folds));
	folds->is_closed = true;
}

void folds_destroy(struct folds *folds)
{
	if (!folds)
		return;
	list_each(&folds->all, l)
		fold_remove(list_of(l, struct folded, in_folds));
	signal_reader_destroy(folds->lines);
	buf_finish(&folds->kept);
	free(folds);
}

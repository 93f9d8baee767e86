/* folds_save.c - what is folded, in a checkpoint and back. */
#include <stdio.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/sections.h"
#include "bus/folds.h"
#include "bus/inside.h"
#include "journal/journal.h"

/* For a long state, at once: it need not be moved as it grows, which would hold the loop.  What
 * is not written to costs nothing. */
#define ROOM (32 * MIB)

static void name_part(const struct fold_kind *kind, const char *part, char name[SECTION_NAME_MAX])
{
	snprintf(name, SECTION_NAME_MAX, "%s.%s", kind->name, part);
}

static struct text checkpoint_of(const struct folds *folds, uint64_t *seq)
{
	if (!folds->is_of_past)
		return journal_checkpoint(folds->journal, seq);
	*seq = folds->kept_seq;
	return buf_text(&folds->kept);
}

bool folded_load(struct folded *f)
{
	struct text all = checkpoint_of(f->folds, &f->seq);
	struct text saved = section_find(all, f->kind->name);
	char name[SECTION_NAME_MAX];

	name_part(f->kind, "seq", name);
	text_to_u64(section_find(all, name), &f->seq);
	if (!saved.len || !f->kind->load(f->self, saved, &f->seq))
		return false;
	if (f->kind->load_texts) {
		name_part(f->kind, "texts", name);
		f->kind->load_texts(f->self, section_find(all, name));
	}
	return true;
}

static void save_seq(const struct folded *f, struct buf *out)
{
	char name[SECTION_NAME_MAX];
	size_t begun;

	name_part(f->kind, "seq", name);
	begun = section_begin(out, name);
	buf_add_u64(out, f->saved_seq);
	section_end(out, begun);
}

static bool is_too_long(const struct folded *f)
{
	size_t most = f->kind->saved_max;

	return most && f->saved->bytes.len - f->saved_begun > most;
}

static void end_section(struct folded *f)
{
	struct buf *out = &f->saved->bytes;
	size_t most = f->kind->kept_max;

	if (is_too_long(f)) {
		log_warn("journal", "the state of '%s' is too long to be saved", f->kind->name);
		out->len = f->saved_begun;
	}
	section_end(out, f->saved_begun);
	if (folded_is_later(f) || f->is_past)
		save_seq(f, out);
	f->saved->is_kept = !f->kind->newest_alone && (!most || out->len <= most);
	f->has_more = false;
}

static void begin_section(struct folded *f)
{
	f->saved = saved_state_add(&f->folds->state, false);
	f->saved_seq = f->seq;
	f->saved_begun = section_begin(&f->saved->bytes, f->kind->name);
	f->has_more = f->kind->save_more != NULL;
	if (f->has_more) {
		buf_reserve(&f->saved->bytes, ROOM);
		f->kind->save_begin(f->self);
		return;
	}
	f->kind->save(f->self, &f->saved->bytes);
	end_section(f);
}

static void add_piece(struct folded *f)
{
	if (!f->kind->save_more(f->self, &f->saved->bytes) || is_too_long(f))
		end_section(f);
}

static void save_texts(const struct folded *f)
{
	struct buf *out = &saved_state_add(&f->folds->state, false)->bytes;
	char name[SECTION_NAME_MAX];
	size_t begun;

	name_part(f->kind, "texts", name);
	begun = section_begin(out, name);
	f->kind->save_texts(f->self, out);
	section_end(out, begun);
}

/* --- a step at a time ------------------------------------------------------ */

bool fold_stands_still(const struct folded *f)
{
	return f->has_more && f->kind->stands_still;
}

void fold_save_rest(struct folded *f)
{
	while (fold_stands_still(f))
		add_piece(f);
}

bool folded_may_go_on(struct folded *f, uint64_t until_ns)
{
	while (fold_stands_still(f) && clock_mono_ns() < until_ns)
		add_piece(f);
	return !fold_stands_still(f);
}

/* One that stands still is saved at once, so that it does not for long. */
static bool begin_one_that_folds_later(struct folds *folds)
{
	list_each(&folds->all, l) {
		struct folded *f = list_of(l, struct folded, in_folds);

		if (fold_stands_still(f)) {
			add_piece(f);
			return true;
		}
		if (!f->saved && folded_is_later(f)) {
			begin_section(f);
			return true;
		}
	}
	return false;
}

static void begin_the_others(struct folds *folds)
{
	list_each(&folds->all, l) {
		struct folded *f = list_of(l, struct folded, in_folds);

		if (!f->saved)
			begin_section(f);
	}
	folds->state.seq = journal_last_seq(folds->journal);
	folds->is_dated = true;
}

static bool save_piece(struct folds *folds)
{
	list_each(&folds->all, l) {
		struct folded *f = list_of(l, struct folded, in_folds);

		if (!f->has_more)
			continue;
		add_piece(f);
		return true;
	}
	return false;
}

/* One that folds later need not have heard all that the others have, but never more. */
bool folds_save_step(struct folds *folds)
{
	if (folds->is_dated)
		return save_piece(folds);
	if (!begin_one_that_folds_later(folds))
		begin_the_others(folds);
	return true;
}

static void end_saving(struct folds *folds)
{
	list_each(&folds->all, l) {
		struct folded *f = list_of(l, struct folded, in_folds);

		f->saved = NULL;
		f->has_more = false;
	}
	folds->is_saving = folds->is_dated = false;
}

void folds_save_abandon(struct folds *folds)
{
	end_saving(folds);
	saved_state_finish(&folds->state);
}

void folds_save_begin(struct folds *folds)
{
	folds_save_abandon(folds);
	folds->is_saving = true;
	folds->is_save_due = false;
}

static void give(struct folds *folds, struct saved_state *out)
{
	saved_state_finish(out);
	*out = folds->state;
	folds->state = (struct saved_state){0};
	end_saving(folds);
}

void folds_save_all(struct folds *folds, struct saved_state *out)
{
	folds_save_begin(folds);
	while (folds_save_step(folds))
		;
	list_each(&folds->all, l) {
		const struct folded *f = list_of(l, const struct folded, in_folds);

		if (f->kind->save_texts && folds->is_closed)
			save_texts(f);
	}
	give(folds, out);
}

bool folds_save(struct folds *folds, struct saved_state *out)
{
	folds->is_save_due = !folds->is_closed;
	if (folds->is_closed)
		folds_save_all(folds, out);
	return folds->is_closed;
}

bool folds_save_turn(struct folds *folds)
{
	uint64_t until_ns = clock_mono_ns() + FOLDS_TURN_NS;
	struct saved_state whole = {0};

	if (!folds->is_saving && !folds->is_save_due)
		return false;
	if (!folds->is_saving)
		folds_save_begin(folds);
	while (folds_save_step(folds))
		if (clock_mono_ns() >= until_ns)
			return true;
	give(folds, &whole);
	journal_take_state(folds->journal, &whole);
	return folds->is_save_due;
}

/* folds_save.c - what is folded, in a checkpoint and back. */
#include <stdio.h>

#include "base/log.h"
#include "base/sections.h"
#include "bus/folds.h"
#include "bus/inside.h"
#include "journal/journal.h"

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
	buf_add_u64(out, f->seq);
	section_end(out, begun);
}

static void save_texts(const struct folded *f, struct buf *out)
{
	char name[SECTION_NAME_MAX];
	size_t begun;

	name_part(f->kind, "texts", name);
	begun = section_begin(out, name);
	f->kind->save_texts(f->self, out);
	section_end(out, begun);
}

static void save_bounded(const struct folded *f, struct buf *out)
{
	struct buf saved;

	buf_init(&saved, f->kind->saved_max);
	f->kind->save(f->self, &saved);
	if (saved.full)
		log_warn("journal", "the state of '%s' is too long to be saved", f->kind->name);
	else
		buf_add(out, buf_text(&saved));
	buf_finish(&saved);
}

/* All of it but texts. */
static void save(const struct folded *f, struct buf *out)
{
	size_t begun = section_begin(out, f->kind->name);

	if (f->kind->saved_max)
		save_bounded(f, out);
	else
		f->kind->save(f->self, out);
	section_end(out, begun);
	if (folded_is_later(f) || f->is_past)
		save_seq(f, out);
}

/* kept may be NULL. */
static void save_one(const struct folded *f, struct buf *out, struct buf *kept)
{
	size_t begun = out->len;

	save(f, out);
	if (kept && !out->full && (!f->kind->kept_max || out->len - begun <= f->kind->kept_max))
		buf_add(kept, (struct text){out->at + begun, out->len - begun});
}

void folds_save(const struct folds *folds, struct buf *out, struct buf *kept)
{
	list_each(&folds->all, l) {
		const struct folded *f = list_of(l, const struct folded, in_folds);

		save_one(f, out, f->kind->newest_alone ? NULL : kept);
		if (f->kind->save_texts && folds->is_closed)
			save_texts(f, out);
	}
}

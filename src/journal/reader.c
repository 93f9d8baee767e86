/* reader.c - from a seq to lines: in memory, in a file, or no longer there. */
#include "journal/reader.h"

#include <assert.h>
#include <stdlib.h>

#include "base/must.h"
#include "journal/cold.h"
#include "journal/inside.h"
#include "journal/walk.h"

struct journal_reader {
	struct journal *journal;
	uint64_t next;
	struct gap pending; /* to be told first; why is NULL when there is none */
	struct walk walk;   /* where in the files it stands */
};

struct journal_reader *journal_reader_resume(struct journal *j, const struct positions *after)
{
	struct journal_reader *r = must_zero(1, sizeof *r);

	r->journal = j;
	walk_init(&r->walk, j);
	r->next = epochs_resume(&j->epochs, after, j->last, &r->pending);
	/* Nobody has seen seq 0: it stands for the beginning of what there is. */
	if (after->all[0].seq == 0)
		r->next = journal_first_seq(j);
	return r;
}

struct journal_reader *journal_reader_create(struct journal *j, uint64_t after)
{
	return journal_reader_resume(j, &(struct positions){.all = {{.seq = after}}, .count = 1});
}

void journal_reader_destroy(struct journal_reader *r)
{
	if (!r)
		return;
	walk_finish(&r->walk);
	free(r);
}

uint64_t journal_reader_next(const struct journal_reader *r)
{
	return r->next;
}

void journal_reader_seek(struct journal_reader *r, uint64_t next_seq)
{
	uint64_t end = r->journal->last + 1;

	r->next = next_seq < 1 ? 1 : next_seq < end ? next_seq : end;
	r->pending.why = NULL;
	walk_leave_place(&r->walk);
}

void journal_reader_take(struct journal_reader *r, size_t bytes, uint64_t next_seq)
{
	assert(next_seq >= r->next);
	walk_take(&r->walk, bytes);
	r->next = next_seq;
}

static enum journal_news report(struct journal_reader *r, struct gap *out, uint64_t to,
                                const char *why)
{
	assert(to >= r->next);
	*out = (struct gap){r->next, to, why};
	r->next = to + 1;
	walk_leave_place(&r->walk);
	return JOURNAL_GAP;
}

static enum journal_news read_memory(struct journal_reader *r, size_t max, struct text *lines,
                                     struct gap *gap)
{
	const struct block *b = recent_find(&r->journal->recent, r->next);

	assert(b->first <= r->next);
	walk_leave_file(&r->walk);
	if (b->gap_to)
		return report(r, gap, b->gap_to, "lost");
	*lines = recent_lines(b, r->next, max);
	return JOURNAL_LINES;
}

static enum journal_news read_files(struct journal_reader *r, size_t max, struct text *lines,
                                    struct gap *gap)
{
	uint64_t to;

	switch (walk_read(&r->walk, r->next, max, lines, &to)) {
	case WALK_LINES:
		return JOURNAL_LINES;
	case WALK_COLD:
		return JOURNAL_COLD;
	case WALK_LOST:
		return report(r, gap, to, "lost");
	case WALK_FORGOTTEN:
		return report(r, gap, to, "forgotten");
	case WALK_EXPIRED:
		return report(r, gap, to, "expired");
	case WALK_DAMAGED:
		break;
	}
	return report(r, gap, to, "damaged");
}

enum journal_news journal_read(struct journal_reader *r, size_t max, struct text *lines,
                               struct gap *gap)
{
	struct journal *j = r->journal;

	assert(r->next > 0);
	if (r->pending.why) {
		*gap = r->pending;
		r->pending.why = NULL;
		return JOURNAL_GAP;
	}
	if (r->next > j->last)
		return JOURNAL_END;
	if (r->next >= j->recent.next) /* live only, and its gap line is not written yet */
		return report(r, gap, j->last, "lost");
	if (r->next >= recent_first(&j->recent))
		return read_memory(r, max, lines, gap);
	return read_files(r, max, lines, gap);
}

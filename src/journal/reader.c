/* reader.c - from a seq to lines: in memory, in a file, or no longer there. */
#include "journal/reader.h"

#include <assert.h>
#include <stdlib.h>

#include "base/must.h"
#include "journal/cold.h"
#include "journal/find.h"
#include "journal/inside.h"
#include "journal/sieve.h"
#include "journal/walk.h"

struct journal_reader {
	struct journal *journal;
	uint64_t next;
	struct gap pending; /* to be told first; why is NULL when there is none */
	struct walk walk;   /* where in the files it stands */
	size_t looked;      /* bytes that the last journal_read has gone through here */

	/* with a sieve, in the place of the walk: */
	struct journal_sieve *sieve; /* a reference; NULL: everything is wanted */
	struct find *find;           /* its question, and what it has of the answer */
	uint64_t end;                /* the first seq that is not wanted */
};

struct journal_reader *journal_reader_resume(struct journal *j, const struct positions *after)
{
	struct journal_reader *r = must_zero(1, sizeof *r);

	r->journal = j;
	r->end = UINT64_MAX;
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
	find_destroy(r->find);
	journal_sieve_unref(r->sieve);
	walk_finish(&r->walk);
	free(r);
}

void journal_reader_sift(struct journal_reader *r, struct journal_sieve *sieve)
{
	assert(!r->sieve);
	r->sieve = sieve;
	r->find = find_create(r->journal, sieve);
}

void journal_reader_end_at(struct journal_reader *r, uint64_t end)
{
	r->end = end;
}

size_t journal_reader_looked(const struct journal_reader *r)
{
	return r->looked;
}

/* What is being found for another place is of no use here. */
static void reader_forget_found(struct journal_reader *r)
{
	if (!r->find)
		return;
	if (find_is_waiting(r->find)) {
		find_destroy(r->find);
		r->find = find_create(r->journal, r->sieve);
	}
	buf_clear(&r->find->found);
	r->find->taken = 0;
	r->find->next = 0;
	r->find->gap.why = NULL;
	r->find->is_entered = false;
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
	reader_forget_found(r);
	walk_leave_place(&r->walk);
}

void journal_reader_take(struct journal_reader *r, size_t bytes, uint64_t next_seq)
{
	assert(next_seq >= r->next);
	r->next = next_seq;
	if (r->find)
		r->find->taken += bytes;
	else
		walk_take(&r->walk, bytes);
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
	r->looked = lines->len;
	return JOURNAL_LINES;
}

static enum journal_news read_files(struct journal_reader *r, size_t max, struct text *lines,
                                    struct gap *gap)
{
	uint64_t to;

	switch (walk_read(&r->walk, r->next, max, lines, &to)) {
	case WALK_LINES:
		r->looked = lines->len;
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

/* ---- with a sieve ---- */

/* As many whole lines as fit; one that is longer is given whole. */
static struct text first_lines(struct text lines, size_t max)
{
	const char *end;

	if (lines.len <= max)
		return lines;
	end = memrchr(lines.at, '\n', max);
	if (!end)
		end = memchr(lines.at, '\n', lines.len);
	return (struct text){lines.at, (size_t)(end - lines.at) + 1};
}

static struct text found_lines(const struct find *f)
{
	assert(f->taken <= f->found.len);
	return f->found.len ? (struct text){f->found.at + f->taken, f->found.len - f->taken}
	                    : TEXT("");
}

/* When what was found is used: behind it stands how far that went, and perhaps a gap. */
static bool pass_found(struct journal_reader *r, struct gap *gap)
{
	struct find *f = r->find;

	if (f->next > r->next)
		r->next = f->next;
	if (!f->gap.why)
		return false;
	*gap = f->gap;
	f->gap.why = NULL;
	return true;
}

/* A slice of memory, judged here: hashes beside the lines tell of most that they do not pass. */
static enum journal_news sift_memory(struct journal_reader *r, size_t max, struct text *lines,
                                     struct gap *gap)
{
	const struct block *b = recent_find(&r->journal->recent, r->next);
	struct find *f = r->find;
	struct text rest;

	if (b->gap_to)
		return report(r, gap, b->gap_to, "lost");
	rest = recent_lines(b, r->next, max);
	r->looked = rest.len;
	buf_clear(&f->found);
	f->taken = 0;
	f->next = r->next;
	for (; rest.len && f->next < r->end; f->next++) {
		struct text line = text_cut(rest, '\n', &rest);
		const struct place_keys *keys = recent_keys(b, f->next);

		if ((keys && !journal_sieve_may_pass(r->sieve, keys)) ||
		    !journal_sieve_passes(r->sieve, line, f->signals))
			continue;
		buf_add(&f->found, line);
		buf_add_char(&f->found, '\n');
	}
	*lines = buf_text(&f->found);
	if (!lines->len)
		r->next = f->next;
	return JOURNAL_LINES;
}

/* In files, which are the reader's thread's to look at. */
static enum journal_news sift_files(struct journal_reader *r)
{
	find_ask(r->find, r->next, r->end);
	return JOURNAL_COLD;
}

static bool reader_waits(struct journal_reader *r)
{
	return r->find && find_is_waiting(r->find);
}

enum journal_news journal_read(struct journal_reader *r, size_t max, struct text *lines,
                               struct gap *gap)
{
	struct journal *j = r->journal;

	assert(r->next > 0);
	r->looked = 0;
	if (r->pending.why) {
		*gap = r->pending;
		r->pending.why = NULL;
		return JOURNAL_GAP;
	}
	if (reader_waits(r))
		return JOURNAL_COLD;
	if (r->find) {
		*lines = first_lines(found_lines(r->find), max);
		if (lines->len)
			return JOURNAL_LINES;
		if (pass_found(r, gap))
			return JOURNAL_GAP;
		if (r->next >= r->end)
			return JOURNAL_LINES;
	}
	if (r->next > j->last)
		return JOURNAL_END;
	if (r->next >= j->recent.next) /* live only, and its gap line is not written yet */
		return report(r, gap, j->last, "lost");
	if (r->next >= recent_first(&j->recent))
		return r->find ? sift_memory(r, max, lines, gap) : read_memory(r, max, lines, gap);
	return r->find ? sift_files(r) : read_files(r, max, lines, gap);
}

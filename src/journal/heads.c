/* heads.c - from a seq to the batch that has it, and to its lines. */
#include "journal/heads.h"

#include <assert.h>

#include "base/crc32c.h"
#include "journal/batch.h"
#include "journal/inside.h"
#include "journal/quarantine.h"

#define PROBE_BYTES (32 * KIB) /* two batches, as a rule */
#define PAGE_BYTES 4096
#define UNREAD_PAGES 64
#define PIECE_BYTES (256 * KIB) /* read at once, at most */

/* A part of the file, in the walk's scratch, and the batch in it that is looked at. */
struct file_piece {
	uint64_t from;
	struct text bytes;
	struct index_entry batch;
};

/* len bytes from `at` on, fewer where the file ends. */
static enum cold_answer read_piece(struct walk *s, uint64_t at, size_t len, struct file_piece *p)
{
	uint64_t size = walk_size(s), left = at < size ? size - at : 0;
	struct buf *scratch = walk_scratch(s);
	enum cold_answer answer;
	char *room;

	if (left < len)
		len = (size_t)left;
	*p = (struct file_piece){.from = at, .bytes = TEXT("")};
	if (len == 0)
		return COLD_READY;
	buf_clear(scratch);
	room = buf_reserve(scratch, len);
	answer = room ? walk_read_exactly(s, SEGMENT_LINES, at, len, room) : COLD_FAILED;
	if (answer == COLD_READY)
		p->bytes = (struct text){room, len};
	return answer;
}

static struct text piece_from(const struct file_piece *p, uint64_t at)
{
	size_t skip = (size_t)(at - p->from);

	assert(at >= p->from);
	if (skip >= p->bytes.len)
		return TEXT("");
	return (struct text){p->bytes.at + skip, p->bytes.len - skip};
}

/* ---- where is it? ---- */

struct found_head {
	bool is_there;
	uint64_t at;
	struct index_entry entry;
	struct file_piece piece; /* that it was found in */
};

static size_t to_page_end(uint64_t at)
{
	return PAGE_BYTES - (size_t)(at % PAGE_BYTES);
}

/* How far to go on behind a page that cannot be read: to the next one, and when that was so for
 * many in a row, as far again.  What could not be read is remembered (cold.h), or the search,
 * which begins anew after each, would never end; and a segment of nothing else has room there. */
static uint64_t pass_unread(uint64_t at, size_t unread)
{
	return to_page_end(at) + (unread > UNREAD_PAGES ? UNREAD_PAGES * PAGE_BYTES : 0);
}

/* What a probe looks at; where that cannot be read, up to the end of the page, and nothing if
 * that cannot either. */
static enum cold_answer read_readable(struct walk *s, uint64_t at, struct file_piece *p)
{
	enum cold_answer answer = read_piece(s, at, PROBE_BYTES, p);

	return answer == COLD_FAILED ? read_piece(s, at, to_page_end(at), p) : answer;
}

/* The first head behind `at`, before `end`, if there is one.  What cannot be read is
 * passed over. */
static enum cold_answer next_head(struct walk *s, uint64_t at, uint64_t end, struct found_head *out)
{
	bool at_line = at == 0;
	size_t unread = 0; /* pages in a row */

	out->is_there = false;
	while (at < end) {
		struct file_piece p;
		const char *newline;
		size_t place;

		if (read_readable(s, at, &p) == COLD_WAIT)
			return COLD_WAIT;
		out->piece = p;
		if (batch_find_head(p.bytes, at_line, &out->entry, &place)) {
			out->at = at + place;
			out->is_there = out->at < end;
			return COLD_READY;
		}
		newline = p.bytes.len ? memrchr(p.bytes.at, '\n', p.bytes.len) : NULL;
		/* A head that the piece ends in is seen whole in the next one. */
		at_line = newline != NULL;
		unread = p.bytes.len ? 0 : unread + 1;
		at += newline       ? (size_t)(newline + 1 - p.bytes.at)
		      : p.bytes.len ? p.bytes.len
		                    : pass_unread(at, unread);
	}
	return COLD_READY;
}

/* A part of the file, and the seqs of its ends: at `low` stands a head, or the file begins; at
 * `high` a batch with a greater seq than what is looked for, if high_seq is known. */
struct file_stretch {
	uint64_t low, high;
	uint64_t low_seq, high_seq;
	bool is_head;
};

/* How far behind `low` next is, if lines are of one length. */
static uint64_t likely_distance(const struct file_stretch *t, uint64_t next)
{
	uint64_t len = t->high - t->low;

	if (t->high_seq <= next || next < t->low_seq)
		return len / 2;
	return (uint64_t)((double)len * (double)(next - t->low_seq) /
	                  (double)(t->high_seq - t->low_seq));
}

/* By the seqs and by halves in turn, so that it ends soon in any file; rather before the
 * place than behind it. */
static uint64_t next_probe(const struct file_stretch *t, uint64_t next, bool by_halves)
{
	uint64_t far = by_halves ? (t->high - t->low) / 2 : likely_distance(t, next);

	return t->low + (far > PROBE_BYTES / 2 ? far - PROBE_BYTES / 2 : 0);
}

/* A head whose batch begins at or before next, and not far before; or the beginning of the
 * file.  The piece is one that has it, if that is in memory still. */
static enum cold_answer seek_head(struct walk *s, uint64_t next, uint64_t *at, struct file_piece *p)
{
	struct file_stretch t = {0, walk_size(s), s->file->first, s->file->until, false};
	bool by_halves = false;

	while (t.high - t.low > PROBE_BYTES &&
	       !(t.is_head && t.high_seq && likely_distance(&t, next) <= PROBE_BYTES)) {
		uint64_t probe = next_probe(&t, next, by_halves);
		struct found_head head;

		if (next_head(s, probe, t.high, &head) == COLD_WAIT)
			return COLD_WAIT;
		*p = (struct file_piece){0};
		if (head.is_there && head.entry.first <= next) {
			t.low = head.at;
			t.low_seq = head.entry.first;
			t.is_head = true;
			*p = head.piece;
		} else {
			t.high = probe;
			t.high_seq = head.is_there ? head.entry.first : t.high_seq;
		}
		by_halves = !by_halves;
	}
	*at = t.low;
	return COLD_READY;
}

static enum cold_answer start_place(struct walk *s, uint64_t next, uint64_t *at,
                                    struct file_piece *p)
{
	if (s->end_seq && next == s->end_seq)
		*at = s->end_at;
	else if (s->hint_seq && next >= s->hint_seq && next < s->end_seq)
		*at = s->hint_at;
	else
		return seek_head(s, next, at, p);
	return COLD_READY;
}

/* ---- what is there ---- */

/* Is a head there?  e->offset is that of its lines then. */
static bool head_at(const struct file_piece *p, uint64_t at, struct index_entry *e)
{
	struct text rest, bytes = piece_from(p, at);
	struct text line = text_cut(bytes, '\n', &rest);
	size_t title;

	if (at == 0 && batch_read_title(bytes, &title) == TITLE_OURS)
		return head_at(p, title, e);
	if (line.len == bytes.len || !batch_head_read(line, e))
		return false;
	e->offset = at + line.len + 1;
	return true;
}

/* The batches from e on that are wholly in the piece, good and without a break: their lines
 * are moved together.  False when not even the first is good. */
static bool join_batches(struct walk *s, const struct walk_question *q, const struct file_piece *p,
                         const struct index_entry *first, struct text *lines)
{
	char *to = (char *)piece_from(p, first->offset).at, *start = to;
	struct index_entry e = *first;

	for (;;) {
		struct text batch = piece_from(p, e.offset);
		uint64_t last = e.last;

		if (batch.len < e.length || crc32c(0, batch.at, e.length) != e.crc)
			break;
		memmove(to, batch.at, e.length);
		to += e.length;
		s->end_seq = last + 1;
		s->end_at = e.offset + e.length;
		if (!head_at(p, s->end_at, &e) || e.kind != ENTRY_LINES || e.first != last + 1 ||
		    e.last >= q->limit || (size_t)(to - start) >= q->max)
			break;
	}
	*lines = (struct text){start, (size_t)(to - start)};
	return lines->len > 0;
}

static enum walk_news heads_damaged(struct walk *s, const struct index_entry *e, uint64_t *to)
{
	walk_leave_place(s);
	quarantine_copy(s->journal->dir, s->file->fds[SEGMENT_LINES], e->first, e->offset,
	                e->length);
	*to = e->last;
	return WALK_DAMAGED;
}

/* One batch at least is read whole, if it can be read at all. */
static enum walk_news read_batch(struct walk *s, const struct walk_question *q,
                                 struct file_piece *p, struct text *lines, uint64_t *to)
{
	const struct index_entry batch = p->batch, *e = &batch;
	uint64_t at = e->offset;

	if (e->first > q->next || e->last >= q->limit) {
		walk_leave_place(s);
		*to = (e->first > q->next && e->first < q->limit ? e->first : q->limit) - 1;
		return WALK_DAMAGED;
	}
	if (e->kind != ENTRY_LINES) {
		*to = e->last;
		return e->kind == ENTRY_FORGOTTEN ? WALK_FORGOTTEN : WALK_LOST;
	}
	if (piece_from(p, at).len < e->length) {
		switch (read_piece(s, at, e->length, p)) {
		case COLD_WAIT:
			return WALK_COLD;
		case COLD_FAILED:
			return heads_damaged(s, e, to);
		case COLD_READY:
			break;
		}
	}
	s->hint_seq = e->first;
	s->hint_at = at - batch_head_length(e);
	if (!join_batches(s, q, p, e, lines) || !walk_skip_lines(lines, q->next - e->first) ||
	    !walk_cut_to(lines, q->max))
		return heads_damaged(s, e, to);
	return WALK_LINES;
}

static size_t piece_size(const struct walk *s, const struct walk_question *q)
{
	size_t want = q->max + 2 * BATCH_AIM;

	if (s->is_careful)
		return 2 * BATCH_HEAD_MAX;
	return want < PIECE_BYTES ? want : PIECE_BYTES;
}

/* Where the next head stands, if there is none at *at; false: there is no other, and all is
 * damaged up to the limit. */
static enum cold_answer pass_over(struct walk *s, uint64_t *at, bool *found)
{
	struct found_head head;
	enum cold_answer answer = next_head(s, *at, walk_size(s), &head);

	*found = head.is_there;
	if (head.is_there)
		*at = head.at;
	return answer;
}

/* The piece has what stands at `at`, as far as the file goes. */
static enum cold_answer load_head(struct walk *s, const struct walk_question *q, uint64_t at,
                                  struct file_piece *p)
{
	enum cold_answer answer;

	if (piece_from(p, at).len >= 2 * BATCH_HEAD_MAX)
		return COLD_READY;
	answer = read_piece(s, at, piece_size(s, q), p);
	if (answer != COLD_FAILED || s->is_careful)
		return answer;
	s->is_careful = true;
	return read_piece(s, at, piece_size(s, q), p);
}

enum walk_news heads_read(struct walk *s, const struct walk_question *q, struct text *lines,
                          uint64_t *to)
{
	struct file_piece p = {0};
	bool found = true;
	uint64_t at;

	if (!s->warm)
		s->size = 0; /* it may have grown */
	if (start_place(s, q->next, &at, &p) == COLD_WAIT)
		return WALK_COLD;
	while (found) {
		if (load_head(s, q, at, &p) == COLD_WAIT)
			return WALK_COLD;
		if (head_at(&p, at, &p.batch)) {
			if (p.batch.last >= q->next)
				return read_batch(s, q, &p, lines, to);
			at = p.batch.offset + p.batch.length;
		} else if (pass_over(s, &at, &found) == COLD_WAIT) {
			return WALK_COLD;
		} else {
			p = (struct file_piece){.from = at}; /* the scratch has other bytes now */
		}
	}
	walk_leave_place(s);
	*to = q->limit - 1;
	return WALK_DAMAGED;
}

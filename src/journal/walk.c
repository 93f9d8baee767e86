/* walk.c - finding the entry of a seq, and reading what it speaks of.
 *
 * By the index, in the old form; heads.c does it in the new one.
 */
#include "journal/walk.h"

#include <assert.h>
#include <sys/stat.h>

#include "base/crc32c.h"
#include "journal/heads.h"
#include "journal/inside.h"
#include "journal/quarantine.h"

#define WINDOW_ENTRIES 128

/* A piece of the index, and in it the entry that covers what is looked for. */
struct index_window {
	struct index_entry entries[WINDOW_ENTRIES];
	size_t n, at;
	uint64_t start; /* the number of entries[0] */
};

void walk_init(struct walk *walk, struct journal *journal)
{
	*walk = (struct walk){.journal = journal};
}

void walk_init_patient(struct walk *walk, struct journal *journal)
{
	walk_init(walk, journal);
	walk->is_patient = true;
	buf_init(&walk->own, BATCH_BYTES_MAX);
}

/* From which seq on lines are in memory. */
static uint64_t walk_memory(const struct walk *walk)
{
	return walk->is_patient ? walk->memory : recent_first(&walk->journal->recent);
}

void walk_finish(struct walk *walk)
{
	walk_leave_file(walk);
	buf_finish(&walk->own);
	cold_forget(walk->journal, &walk->warm);
}

void walk_leave_place(struct walk *walk)
{
	walk->is_placed = false;
	walk->is_careful = false;
	walk->hint_seq = walk->end_seq = walk->size = 0;
}

void walk_leave_file(struct walk *walk)
{
	cold_unref(walk->file);
	walk->file = NULL;
	walk->entry = 0;
	walk_leave_place(walk);
}

void walk_take(struct walk *walk, size_t bytes)
{
	walk->offset += bytes;
	walk->is_careful = false;
}

enum cold_answer walk_read_exactly(struct walk *s, enum segment_file which, uint64_t offset,
                                   size_t len, void *into)
{
	struct wanted wanted = {s->file->first, s->file, which, offset, len};

	assert(len > 0);
	return s->is_patient ? cold_read_patiently(&wanted, into)
	                     : cold_read(s->journal, &wanted, &s->warm, into);
}

static uint64_t walk_size_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 ? (uint64_t)st.st_size : 0;
}

struct buf *walk_scratch(struct walk *s)
{
	return s->is_patient ? &s->own : &s->journal->scratch;
}

uint64_t walk_size(struct walk *s)
{
	if (!s->size)
		s->size = walk_size_of(s->file->fds[SEGMENT_LINES]);
	return s->size;
}

static uint64_t count_entries(const struct walk *s)
{
	return walk_size_of(s->file->fds[SEGMENT_INDEX]) / sizeof(struct index_entry);
}

static enum cold_answer load_window(struct walk *s, struct index_window *w, uint64_t start,
                                    uint64_t count)
{
	uint64_t left = start < count ? count - start : 0;

	w->start = start;
	w->at = 0;
	w->n = left < WINDOW_ENTRIES ? (size_t)left : WINDOW_ENTRIES;
	if (w->n == 0)
		return COLD_READY;
	return walk_read_exactly(s, SEGMENT_INDEX, start * sizeof(struct index_entry),
	                         w->n * sizeof(struct index_entry), w->entries);
}

static bool covers(const struct index_entry *e, const struct walk_question *q)
{
	return e->first <= q->next && q->next <= e->last && e->last < q->limit &&
	       index_entry_is_sound(e);
}

static bool walk_find_in(struct index_window *w, const struct walk_question *q)
{
	for (w->at = 0; w->at < w->n; w->at++)
		if (covers(&w->entries[w->at], q))
			return true;
	return false;
}

/* The last entry that begins at or before next, if the index is in order; zeros
 * count as later than everything. */
static enum cold_answer bisect(struct walk *s, const struct walk_question *q, uint64_t count,
                               uint64_t *found)
{
	uint64_t low = 0, high = count;

	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;
		struct index_entry e;
		enum cold_answer answer =
			walk_read_exactly(s, SEGMENT_INDEX, middle * sizeof e, sizeof e, &e);

		if (answer != COLD_READY)
			return answer;
		if (!index_entry_is_zero(&e) && e.first <= q->next)
			low = middle;
		else
			high = middle;
	}
	*found = low;
	return COLD_READY;
}

/* Entry by entry, for an index with damage in it.  Not found: *to is before the
 * next line that there is. */
static enum cold_answer search_all(struct walk *s, const struct walk_question *q,
                                   struct index_window *w, uint64_t *to)
{
	uint64_t count = count_entries(s);

	assert(q->next < q->limit);
	*to = q->limit - 1;
	for (uint64_t start = 0; start < count; start += WINDOW_ENTRIES) {
		enum cold_answer answer = load_window(s, w, start, count);

		if (answer != COLD_READY)
			return answer;
		if (walk_find_in(w, q))
			return COLD_READY;
		for (size_t i = 0; i < w->n; i++) {
			const struct index_entry *e = &w->entries[i];

			if (e->first > q->next && e->first <= *to && index_entry_is_sound(e))
				*to = e->first - 1;
		}
	}
	return COLD_FAILED;
}

/* Puts the entry that covers next into the window: where we were, else where it
 * should be, else wherever it is. */
static enum cold_answer walk_find(struct walk *s, const struct walk_question *q,
                                  struct index_window *w, uint64_t *to)
{
	uint64_t count = count_entries(s);
	enum cold_answer answer = load_window(s, w, s->entry, count);
	uint64_t place;

	if (answer == COLD_READY && walk_find_in(w, q))
		return COLD_READY;
	if (answer != COLD_WAIT)
		answer = bisect(s, q, count, &place);
	if (answer == COLD_READY)
		answer = load_window(s, w, place, count);
	if (answer == COLD_READY && walk_find_in(w, q))
		return COLD_READY;
	return answer == COLD_WAIT ? answer : search_all(s, q, w, to);
}

/* ------------------------------------------------------------------------ */

/* How many bytes to read from offset on, and how many whole batches end in
 * them: as many as max allows, without a break, and at least one. */
static size_t plan(const struct index_window *w, const struct walk_question *q, uint64_t offset,
                   size_t *n)
{
	const struct index_entry *e = &w->entries[w->at];
	uint64_t len = e->offset + e->length - offset;

	assert(w->at < w->n);
	*n = 1;
	if (offset > e->offset && len > q->max) {
		*n = 0;
		return q->max;
	}
	for (size_t i = w->at + 1; i < w->n; i++, e++) {
		const struct index_entry *more = &w->entries[i];

		if (!index_entry_is_sound(more) || more->kind != ENTRY_LINES ||
		    more->last >= q->limit || more->first != e->last + 1 ||
		    more->offset != e->offset + e->length || len + more->length > q->max)
			break;
		len += more->length;
		++*n;
	}
	return (size_t)len;
}

/* How many bytes of what was read are as their entries say.  A first batch that
 * was entered before was checked then. */
static size_t walk_check(const struct index_window *w, uint64_t offset, const char *at, size_t len,
                         size_t n)
{
	size_t good = 0;

	assert(w->at + n <= w->n);
	for (size_t i = 0; i < n; i++) {
		const struct index_entry *e = &w->entries[w->at + i];
		bool entered = offset > e->offset;

		if (!entered && crc32c(0, at + good, e->length) != e->crc)
			return good;
		good = (size_t)(e->offset + e->length - offset);
	}
	return n ? good : len;
}

/* The lines before seq are skipped; false when they are not there. */
bool walk_skip_lines(struct text *lines, uint64_t count)
{
	for (; count > 0; count--) {
		struct text rest;

		text_cut(*lines, '\n', &rest);
		if (rest.len == 0)
			return false;
		*lines = rest;
	}
	return true;
}

/* At most max bytes of it, whole lines, at least one. */
bool walk_cut_to(struct text *lines, size_t max)
{
	const char *end;

	if (lines->len > max) {
		end = memrchr(lines->at, '\n', max);
		if (!end)
			end = memchr(lines->at + max, '\n', lines->len - max);
	} else {
		end = memrchr(lines->at, '\n', lines->len);
	}
	if (!end)
		return false;
	lines->len = (size_t)(end - lines->at) + 1;
	assert(lines->len > 0);
	return true;
}

static enum walk_news damaged(struct walk *s, const struct index_entry *e, uint64_t *to)
{
	quarantine_copy(s->journal->dir, s->file->fds[SEGMENT_LINES], e->first, e->offset,
	                e->length);
	*to = e->last;
	return WALK_DAMAGED;
}

static enum cold_answer walk_fetch(struct walk *s, uint64_t offset, size_t len, char **at)
{
	struct buf *scratch = walk_scratch(s);

	if (offset + len > walk_size_of(s->file->fds[SEGMENT_LINES]))
		return COLD_FAILED;
	buf_clear(scratch);
	*at = buf_reserve(scratch, len);
	return *at ? walk_read_exactly(s, SEGMENT_LINES, offset, len, *at) : COLD_FAILED;
}

/* Fetches what may be given from offset on and checks it: as much as max allows.
 * Where that cannot be read, or has no whole line, it is the rest of one batch.
 * One range is wanted at a time, so that the warmer's answer fits the question
 * when the reader comes again: hence the memory of being careful. */
static enum cold_answer fetch_batches(struct walk *s, const struct walk_question *q,
                                      const struct index_window *w, uint64_t offset,
                                      struct text *lines)
{
	const struct index_entry *e = &w->entries[w->at];
	size_t n = 1, len = (size_t)(e->offset + e->length - offset);
	enum cold_answer answer;
	char *at = NULL;

	if (!s->is_careful)
		len = plan(w, q, offset, &n);
	answer = walk_fetch(s, offset, len, &at);
	if (answer == COLD_WAIT)
		return answer;
	if (!s->is_careful && (answer == COLD_FAILED || (n == 0 && !memchr(at, '\n', len)))) {
		s->is_careful = true;
		return fetch_batches(s, q, w, offset, lines);
	}
	if (answer == COLD_FAILED)
		return answer;
	*lines = (struct text){at, walk_check(w, offset, at, len, n)};
	return lines->len ? COLD_READY : COLD_FAILED;
}

static enum walk_news read_batches(struct walk *s, const struct walk_question *q,
                                   const struct index_window *w, struct text *lines, uint64_t *to)
{
	const struct index_entry *e = &w->entries[w->at];
	uint64_t offset = s->is_placed ? s->offset : e->offset;
	const char *start;

	switch (fetch_batches(s, q, w, offset, lines)) {
	case COLD_WAIT:
		return WALK_COLD;
	case COLD_FAILED:
		return damaged(s, e, to);
	case COLD_READY:
		break;
	}
	start = lines->at;
	if ((!s->is_placed && !walk_skip_lines(lines, q->next - e->first)) ||
	    !walk_cut_to(lines, q->max))
		return damaged(s, e, to);
	s->offset = offset + (uint64_t)(lines->at - start);
	s->is_placed = true;
	return WALK_LINES;
}

static enum walk_news read_segment(struct walk *s, const struct walk_question *q,
                                   struct text *lines, uint64_t *to)
{
	struct index_window w;
	const struct index_entry *e;

	switch (walk_find(s, q, &w, to)) {
	case COLD_WAIT:
		return WALK_COLD;
	case COLD_FAILED:
		return WALK_DAMAGED;
	case COLD_READY:
		break;
	}
	e = &w.entries[w.at];
	s->entry = w.start + w.at;
	if (e->kind != ENTRY_LINES) {
		*to = e->last;
		return e->kind == ENTRY_FORGOTTEN ? WALK_FORGOTTEN : WALK_LOST;
	}
	if (s->is_placed && (s->offset < e->offset || s->offset >= e->offset + e->length))
		s->is_placed = false;
	return read_batches(s, q, &w, lines, to);
}

/* Which segment, and up to which seq it is to be believed. */
static uint64_t walk_look_up(struct walk *s, struct walk_question *q)
{
	struct journal *j = s->journal;
	uint64_t first, until;

	pthread_mutex_lock(&j->mutex);
	first = shelf_find(&j->shelf, q->next, &until);
	pthread_mutex_unlock(&j->mutex);
	q->until = until;
	q->limit = walk_memory(s);
	if (until && until < q->limit)
		q->limit = until;
	return first;
}

/* The open one serves as long as it can, even if it is on no shelf any more. */
static bool is_in_open_file(const struct walk *s, struct walk_question *q)
{
	uint64_t memory = walk_memory(s);

	if (!s->file || q->next < s->file->first || q->next >= s->file->until)
		return false;
	q->limit = s->file->until < memory ? s->file->until : memory;
	return true;
}

static enum cold_answer go_to_file(struct walk *s, struct walk_question *q, uint64_t first)
{
	enum cold_answer answer = COLD_READY;

	if (s->file && s->file->first != first)
		walk_leave_file(s);
	if (!s->file && s->is_patient)
		answer = cold_open_patiently(s->journal, first, &s->file);
	else if (!s->file)
		answer = cold_open(s->journal, first, &s->warm, &s->file);
	if (answer == COLD_READY)
		s->file->until = q->until;
	return answer;
}

enum walk_news walk_read(struct walk *s, uint64_t next, size_t max, struct text *lines,
                         uint64_t *to)
{
	struct walk_question q = {.next = next, .max = max};

	if (cold_is_waiting(s->journal, s->warm))
		return WALK_COLD;
	if (!is_in_open_file(s, &q)) {
		uint64_t first = walk_look_up(s, &q);

		*to = q.limit - 1;
		if (first == 0)
			return WALK_EXPIRED;
		switch (go_to_file(s, &q, first)) {
		case COLD_WAIT:
			return WALK_COLD;
		case COLD_FAILED:
			return walk_look_up(s, &q) == first ? WALK_DAMAGED : WALK_EXPIRED;
		case COLD_READY:
			break;
		}
	}
	return s->file->fds[SEGMENT_INDEX] >= 0 ? read_segment(s, &q, lines, to)
	                                        : heads_read(s, &q, lines, to);
}

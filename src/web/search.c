/* search.c - the walk. */
#include "web/search.h"

#include <assert.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "signal/origin.h"

#define READ_MAX (64 * KIB)
#define FOUND_MAX (4096 * MIB) /* bytes_max and one line, which has its own ceiling */

void search_init(struct search *search, struct journal *journal, const struct query *query)
{
	*search = (struct search){
		.reader = journal_reader_resume(journal, &query->after),
		.until = UINT64_MAX,
		.bytes_max = SIZE_MAX,
		.hits_max = SIZE_MAX,
	};
	buf_init(&search->found, FOUND_MAX);
	journal_reader_sift(search->reader, query_sieve(query));
}

void search_finish(struct search *search)
{
	journal_reader_destroy(search->reader);
	buf_finish(&search->found);
	free(search->hits);
}

uint64_t search_at(const struct search *search)
{
	return journal_reader_next(search->reader);
}

static bool has_enough(const struct search *search)
{
	return search->hit_count >= search->hits_max || search->found.len >= search->bytes_max;
}

static void keep_line(struct search *search, struct text line, uint64_t seq)
{
	struct search_hit hit = {.seq = seq, .at = search->found.len};
	struct text head, tail;

	origin_cut(line, &head, &tail);
	hit.len = head.len + tail.len;
	if (!search->only_seqs && !buf_reserve(&search->found, line.len + 1))
		return;
	if (search->hit_count == search->hit_room) {
		search->hit_room = search->hit_room ? 2 * search->hit_room : 64;
		search->hits = must_grow(search->hits, search->hit_room * sizeof(hit));
	}
	assert(search->hit_count < search->hit_room);
	search->hits[search->hit_count++] = hit;
	if (search->only_seqs)
		return;
	buf_add(&search->found, head);
	buf_add(&search->found, tail);
	buf_add_char(&search->found, '\n');
}

/* All of them are meant.  How many bytes were looked at. */
static size_t look_at(struct search *search, struct text lines)
{
	uint64_t next = search_at(search);
	size_t used = 0;

	while (used < lines.len && !has_enough(search)) {
		struct text rest = {lines.at + used, lines.len - used};
		struct text line = text_cut(rest, '\n', &rest);
		uint64_t seq = signal_seq_of(line);

		search->ended = seq >= search->until;
		if (search->ended)
			break;
		keep_line(search, line, seq);
		used += line.len + 1;
		next = seq + 1;
	}
	if (used)
		journal_reader_take(search->reader, used, next);
	return used;
}

void search_add_gap(struct buf *out, const char *op, const struct gap *gap)
{
	put_object(out, NULL);
	if (op)
		put_word(out, "op", op);
	put_u64(out, "from", gap->from);
	put_u64(out, "to", gap->to);
	put_word(out, "why", gap->why);
	put_end(out);
}

static void keep_gap(struct search *search, const struct gap *gap)
{
	if (search->gaps_as_lines) {
		search_add_gap(&search->found, "gap", gap);
		buf_add_char(&search->found, '\n');
	} else if (search->gap_count < SEARCH_GAPS) {
		search->gaps[search->gap_count++] = *gap;
	}
	assert(search->gap_count <= SEARCH_GAPS);
}

enum search_answer search_run(struct search *search, size_t *budget)
{
	for (;;) {
		struct text lines;
		struct gap gap;
		size_t used;

		if (has_enough(search))
			return SEARCH_ENOUGH;
		if (search->ended || (search->begun && search_at(search) >= search->until))
			return SEARCH_DONE;
		if (*budget == 0)
			return SEARCH_MORE;
		search->begun = true;
		journal_reader_end_at(search->reader, search->until);
		switch (journal_read(search->reader, READ_MAX, &lines, &gap)) {
		case JOURNAL_LINES:
			used = look_at(search, lines);
			if (used < journal_reader_looked(search->reader))
				used = journal_reader_looked(search->reader);
			*budget -= used < *budget ? used : *budget;
			break;
		case JOURNAL_GAP:
			keep_gap(search, &gap);
			break;
		case JOURNAL_COLD:
			return SEARCH_COLD;
		case JOURNAL_END:
			return SEARCH_DONE;
		}
	}
}

void search_rewind(struct search *search, size_t hits, size_t gaps, uint64_t seq)
{
	if (hits < search->hit_count)
		search->found.len = search->hits[hits].at;
	search->hit_count = hits;
	search->gap_count = gaps;
	search->ended = false;
	journal_reader_seek(search->reader, seq);
}

/* spending_save.c - all sums as bytes, in pieces.
 *
 * A mark, then numbers of eight bytes, little end first, and texts with their length before
 * them; a checksum at the end.  Not JSON: a year of sums is read at every start.
 *
 * The pieces are of one moment, whatever is counted meanwhile: rows and responses in blocks, and
 * each session, are written before they change (bus/saving.h).  Names only become more.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/crc32c.h"
#include "base/must.h"
#include "bus/saving.h"
#include "crew/spending_inside.h"

#define ROWS_TOGETHER 64
#define IDS_TOGETHER 128

static_assert(SPENT_CALLS % 2 == 0, "it is the lower half of a number");

/* Things that are saved together: rows, or responses, from one number to another. */
struct spent_block {
	const struct spending *spending;
	uint64_t from, to;
	size_t saved_as;
};

enum saved_part { SAVED_NAMES, SAVED_ROWS, SAVED_IDS, SAVED_SESSIONS, SAVED_SEEN, SAVED_ALL };

struct spending_saving {
	struct spending *spending;
	unsigned number; /* among those that are under way */
	enum saved_part part;
	struct saving rows, ids, sessions;
	struct spent_block *row_blocks, *id_blocks;
	size_t row_block_count;
	uint64_t id_from, id_to;           /* those that are known */
	uint32_t name_at, name_to;         /* the next, and the end */
	uint32_t seen_at, seen_to;         /* likewise */
	uint64_t seq, session_count, seed; /* as they were */
	uint32_t row_count;
	uint32_t crc;
};

static void add_number(struct buf *out, uint64_t n)
{
	char bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (char)(n >> (8 * i));
	buf_add(out, (struct text){bytes, sizeof(bytes)});
}

static void add_real(struct buf *out, double d)
{
	uint64_t n;

	memcpy(&n, &d, sizeof(n));
	add_number(out, n);
}

static void save_name(struct buf *out, const char *name)
{
	add_number(out, strlen(name));
	buf_add(out, text_of(name));
}

static void add_spent(struct buf *out, const struct spent_counts *counts)
{
	for (int i = 0; i < SPENT_COUNTS; i++)
		add_number(out, counts->n[i]);
}

static void save_rows(const void *thing, struct buf *out)
{
	const struct spent_block *b = thing;

	for (uint64_t i = b->from; i < b->to; i++) {
		const struct spent_row *r = &b->spending->rows[i];

		add_number(out, r->hour | (uint64_t)r->project << 32);
		add_number(out, r->harness | (uint64_t)r->model << 32);
		add_number(out, r->size | (uint64_t)r->fast << 8 | (uint64_t)r->at_least << 16);
		add_number(out, (uint64_t)r->own);
		add_spent(out, &r->counts);
	}
}

static void save_ids(const void *thing, struct buf *out)
{
	const struct spent_block *b = thing;

	for (uint64_t i = b->from; i < b->to; i++) {
		const struct spent_id *id = &b->spending->ids[i % SPENDING_IDS];

		add_number(out, id->hash);
		for (int k = 0; k < SPENT_COUNTS; k += 2) {
			/* It is one call: the other bits are its owner's. */
			uint32_t low =
				k == SPENT_CALLS ? (id->n[k] & 1) | id->owner << 1 : id->n[k];

			add_number(out, low | (uint64_t)id->n[k + 1] << 32);
		}
	}
}

static void save_session(const void *thing, struct buf *out)
{
	const struct usage *u = thing;

	save_name(out, u->id);
	add_number(out, u->project | (uint64_t)u->harness << 32);
	add_spent(out, &u->keyed);
	add_spent(out, &u->loose);
	add_number(out, u->context_used);
	add_number(out, u->context_window);
	add_real(out, u->own_cost);
	add_real(out, u->last_ms);
	add_number(out, u->row | (uint64_t)u->own_row << 32);
	add_number(out, (uint64_t)u->own_more);
	add_number(out, (uint64_t)u->own_there);
	add_number(out, u->at_least | (uint64_t)u->is_vouched << 1 | (uint64_t)u->is_copy << 2 |
	                        (uint64_t)u->is_own_old << 3 | (uint64_t)u->part_count << 8);
	for (unsigned i = 0; i < u->part_count; i++) {
		const struct usage_part *p = &u->parts[i];

		add_number(out, p->size | (uint64_t)p->fast << 8 | (uint64_t)p->model << 32);
		add_number(out, p->from | (uint64_t)p->to << 32);
		add_spent(out, &p->counts);
	}
}

/* ---- before a change ---- */

void spending_touch_row(struct spending *s, const struct spent_row *row)
{
	size_t block = (size_t)(row - s->rows) / ROWS_TOGETHER;

	for (unsigned i = 0; i < USAGE_SAVINGS; i++) {
		struct spending_saving *saving = s->savings[i];

		if (saving && block < saving->row_block_count)
			saving_change(&saving->rows, &saving->row_blocks[block].saved_as);
	}
}

void spending_touch_id(struct spending *s, uint32_t slot)
{
	for (unsigned i = 0; i < USAGE_SAVINGS; i++) {
		struct spending_saving *saving = s->savings[i];
		uint64_t nth;

		if (!saving)
			continue;
		nth = (slot + SPENDING_IDS - saving->id_from % SPENDING_IDS) % SPENDING_IDS;
		if (nth < saving->id_to - saving->id_from)
			saving_change(&saving->ids,
			              &saving->id_blocks[nth / IDS_TOGETHER].saved_as);
	}
}

void spending_touch_session(struct spending *s, struct usage *u)
{
	for (unsigned i = 0; i < USAGE_SAVINGS; i++)
		if (s->savings[i])
			saving_change(&s->savings[i]->sessions, &u->saved_as[i]);
}

/* ---- pieces ---- */

static struct spent_block *begin_blocks(struct spending_saving *saving, struct saving *of,
                                        uint64_t from, uint64_t to, unsigned together)
{
	size_t count = (size_t)((to - from + together - 1) / together);
	struct spent_block *blocks = must_alloc((count + 1) * sizeof(*blocks));

	for (size_t i = 0; i < count; i++) {
		uint64_t begins = from + i * together, ends = begins + together;

		blocks[i] =
			(struct spent_block){saving->spending, begins, ends < to ? ends : to, 0};
		saving_add(of, &blocks[i], &blocks[i].saved_as);
	}
	of->between = '\0';
	return blocks;
}

static void begin_sessions(struct spending_saving *saving)
{
	struct spending *s = saving->spending;

	saving_begin(&saving->sessions, s->sessions.count, save_session);
	saving->sessions.between = '\0';
	list_each(&s->all, l) {
		struct usage *u = list_of(l, struct usage, in_all);

		saving_add(&saving->sessions, u, &u->saved_as[saving->number]);
	}
}

struct spending_saving *spending_saving_begin(struct spending *s)
{
	struct spending_saving *saving = must_zero(1, sizeof(*saving));

	saving->spending = s;
	while (s->savings[saving->number])
		saving->number++;
	assert(saving->number < USAGE_SAVINGS);
	s->savings[saving->number] = saving;
	saving->seq = s->seq;
	saving->seed = s->seed;
	saving->name_to = s->name_count;
	saving->row_count = s->row_count;
	saving->id_to = s->id_count;
	saving->id_from = s->id_count > SPENDING_IDS ? s->id_count - SPENDING_IDS : 0;
	saving->session_count = s->sessions.count;
	saving->seen_at = s->seen.kept;
	saving->seen_to = s->seen.count;
	saving->row_block_count = (s->row_count + ROWS_TOGETHER - 1) / ROWS_TOGETHER;
	saving_begin(&saving->rows, saving->row_block_count, save_rows);
	saving->row_blocks = begin_blocks(saving, &saving->rows, 0, s->row_count, ROWS_TOGETHER);
	saving_begin(&saving->ids, SPENDING_IDS / IDS_TOGETHER, save_ids);
	saving->id_blocks =
		begin_blocks(saving, &saving->ids, saving->id_from, saving->id_to, IDS_TOGETHER);
	begin_sessions(saving);
	return saving;
}

static bool save_names(struct spending_saving *saving, struct buf *out)
{
	size_t enough = out->len + SAVING_PIECE;

	if (saving->name_at == 0) {
		buf_add(out, SPENDING_MARK);
		add_number(out, saving->seq);
		add_number(out, saving->name_to);
	}
	while (saving->name_at < saving->name_to && out->len < enough)
		save_name(out, saving->spending->names[saving->name_at++]);
	if (saving->name_at < saving->name_to)
		return true;
	add_number(out, saving->row_count);
	return false;
}

static bool save_seen(struct spending_saving *saving, struct buf *out)
{
	size_t enough = out->len + SAVING_PIECE;

	while (saving->seen_at < saving->seen_to && out->len < enough)
		add_number(out, saving->spending->seen.list[saving->seen_at++]);
	return saving->seen_at < saving->seen_to;
}

/* One part after the other; each ends with what the next begins with. */
static bool save_part(struct spending_saving *saving, struct buf *out)
{
	switch (saving->part) {
	case SAVED_NAMES:
		return save_names(saving, out);
	case SAVED_ROWS:
		if (saving_more(&saving->rows, out))
			return true;
		add_number(out, saving->seed);
		add_number(out, saving->id_to - saving->id_from);
		return false;
	case SAVED_IDS:
		if (saving_more(&saving->ids, out))
			return true;
		add_number(out, saving->session_count);
		return false;
	case SAVED_SESSIONS:
		if (saving_more(&saving->sessions, out))
			return true;
		add_number(out, saving->seen_to - saving->seen_at);
		return false;
	default:
		return save_seen(saving, out);
	}
}

bool spending_saving_more(struct spending_saving *saving, struct buf *out)
{
	size_t begun = out->len;

	if (!save_part(saving, out))
		saving->part++;
	saving->crc = crc32c(saving->crc, out->at + begun, out->len - begun);
	if (saving->part < SAVED_ALL)
		return true;
	add_number(out, saving->crc);
	return false;
}

void spending_saving_end(struct spending_saving *saving)
{
	if (!saving)
		return;
	saving_finish(&saving->rows);
	saving_finish(&saving->ids);
	saving_finish(&saving->sessions);
	free(saving->row_blocks);
	free(saving->id_blocks);
	saving->spending->savings[saving->number] = NULL;
	free(saving);
}

void spending_save(struct spending *s, struct buf *out)
{
	struct spending_saving *saving = spending_saving_begin(s);

	while (spending_saving_more(saving, out))
		;
	spending_saving_end(saving);
}

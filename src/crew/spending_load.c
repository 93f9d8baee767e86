/* spending_load.c - all sums from the bytes that spending_save.c makes of them. */
#include <stdlib.h>

#include "base/crc32c.h"
#include "base/must.h"
#include "crew/spending_inside.h"

#define CHECK_BYTES 8
#define ROW_BYTES_MIN 80

/* The first has no end: what is not kept elsewhere.  Rows of the second have nothing of agents' own
 * figures, and sessions of the third no hours. */
#define VERSIONS 4
static const struct text marks[VERSIONS] = {
	{"spending 1\n", 11},
	{"spending 2\n", 11},
	{"spending 3\n", 11},
	{"spending 4\n", 11},
};

/* What is left; is_bad: less than was said. */
struct saved_bytes {
	struct text left;
	bool is_bad;
	int version;
};

static uint64_t take_number(struct saved_bytes *from)
{
	uint64_t n = 0;

	if (from->left.len < 8) {
		from->is_bad = true;
		return 0;
	}
	for (int i = 0; i < 8; i++)
		n |= (uint64_t)(unsigned char)from->left.at[i] << (8 * i);
	from->left = (struct text){from->left.at + 8, from->left.len - 8};
	return n;
}

static double take_real(struct saved_bytes *from)
{
	uint64_t n = take_number(from);
	double d;

	memcpy(&d, &n, sizeof(d));
	return d;
}

static struct text take_name(struct saved_bytes *from)
{
	uint64_t len = take_number(from);
	struct text name = {from->left.at, (size_t)len};

	if (len > from->left.len || memchr(name.at, '\0', name.len)) {
		from->is_bad = true;
		return TEXT("");
	}
	from->left = (struct text){name.at + name.len, from->left.len - name.len};
	return name;
}

static void take_spent(struct saved_bytes *from, struct spent_counts *counts)
{
	for (int i = 0; i < SPENT_COUNTS; i++)
		counts->n[i] = take_number(from);
}

/* Millionths that may be added up without an overflow. */
static int64_t take_own(struct saved_bytes *from)
{
	int64_t n = (int64_t)take_number(from);

	if (n > SPENDING_OWN_MAX || n < -SPENDING_OWN_MAX)
		return 0;
	return n;
}

/* A name that is not there is none. */
static uint32_t known_name(const struct spending *s, uint64_t number)
{
	return number < s->name_count ? (uint32_t)number : 0;
}

static void load_names(struct spending *s, struct saved_bytes *from)
{
	uint64_t count = take_number(from);

	for (uint64_t i = 0; i < count && !from->is_bad; i++) {
		struct text name = take_name(from);

		if (i > 0 && spending_name(s, name) != i)
			from->is_bad = true;
	}
}

static void load_rows(struct spending *s, struct saved_bytes *from)
{
	uint64_t count = take_number(from);

	if (count > from->left.len / ROW_BYTES_MIN || count > SPENDING_ROWS_MAX) {
		from->is_bad = true;
		return;
	}
	spending_make_rows(s, (uint32_t)count);
	for (uint64_t i = 0; i < count && !from->is_bad; i++) {
		uint64_t a = take_number(from), b = take_number(from), c = take_number(from);
		struct spent_row like = {
			.hour = (uint32_t)a,
			.project = known_name(s, a >> 32),
			.harness = known_name(s, b & UINT32_MAX),
			.model = known_name(s, b >> 32),
			.size = (uint8_t)((c & 0xff) % PRICES_SIZES),
			.fast = c >> 8 & 1,
		};
		struct spent_row *row = spending_row(s, &like);

		row->at_least = from->version >= 3 && (c >> 16 & 1);
		row->own = from->version >= 3 ? take_own(from) : 0;
		take_spent(from, &row->counts);
	}
}

static void load_ids(struct spending *s, struct saved_bytes *from)
{
	uint64_t count;

	s->seed = take_number(from);
	count = take_number(from);
	for (uint64_t i = 0; i < count && !from->is_bad; i++) {
		struct spent_id *id = spending_add_id(s, take_number(from));

		for (int k = 0; k < SPENT_COUNTS; k += 2) {
			uint64_t two = take_number(from);

			id->n[k] = (uint32_t)two;
			id->n[k + 1] = (uint32_t)(two >> 32);
		}
		id->owner = id->n[SPENT_CALLS] >> 1;
		id->n[SPENT_CALLS] &= 1;
	}
}

/* Before the fourth version nobody knew in which hours it was. */
static void load_parts(struct spending *s, struct usage *u, struct saved_bytes *from,
                       uint64_t count)
{
	if (count > USAGE_PARTS_MAX || count > from->left.len / 8) {
		from->is_bad = true;
		return;
	}
	free(u->parts);
	u->parts = must_zero(count ? count : 1, sizeof(*u->parts));
	u->part_count = (unsigned)count;
	for (uint64_t i = 0; i < count; i++) {
		struct usage_part *p = &u->parts[i];
		uint64_t what = take_number(from), hours;

		p->size = (uint8_t)((what & 0xff) % PRICES_SIZES);
		p->fast = what >> 8 & 1;
		p->model = known_name(s, what >> 32);
		hours = from->version >= 4 ? take_number(from)
		                           : (uint64_t)usage_hour(u->last_ms) << 32;
		p->from = (uint32_t)hours;
		p->to = (uint32_t)(hours >> 32);
		take_spent(from, &p->counts);
	}
}

/* A row that is not there is none. */
static void load_own(const struct spending *s, struct usage *u, struct saved_bytes *from)
{
	uint64_t rows = take_number(from);

	u->row = (uint32_t)rows <= s->row_count ? (uint32_t)rows : 0;
	u->own_row = rows >> 32 <= s->row_count ? (uint32_t)(rows >> 32) : 0;
	u->own_more = take_own(from);
	u->own_there = take_own(from);
	if (!u->own_row)
		u->own_there = 0;
}

static void load_session(struct spending *s, struct saved_bytes *from)
{
	struct text id = take_name(from);
	struct usage *u;
	uint64_t who, more;

	if (id.len == 0) {
		from->is_bad = true;
		return;
	}
	u = spending_session(s, id);
	who = take_number(from);
	u->project = known_name(s, who & UINT32_MAX);
	u->harness = known_name(s, who >> 32);
	take_spent(from, &u->keyed);
	take_spent(from, &u->loose);
	u->context_used = take_number(from);
	u->context_window = take_number(from);
	u->own_cost = take_real(from);
	u->last_ms = take_real(from);
	if (from->version >= 3)
		load_own(s, u, from);
	more = take_number(from);
	u->at_least = more & 1;
	u->is_vouched = more >> 1 & 1;
	u->is_copy = more >> 2 & 1;
	u->is_own_old = more >> 3 & 1;
	load_parts(s, u, from, more >> 8);
}

static void load_seen(struct spending *s, struct saved_bytes *from)
{
	uint64_t count = take_number(from);

	for (uint64_t i = 0; i < count && !from->is_bad; i++)
		seen_add(&s->seen, take_number(from));
}

/* 0: it is none. */
static int version_of(struct text saved)
{
	for (int i = 0; i < VERSIONS; i++)
		if (text_starts(saved, marks[i]))
			return i + 1;
	return 0;
}

static bool load_all(struct spending *s, struct text saved)
{
	struct saved_bytes from = {
		{saved.at + SPENDING_MARK.len, saved.len - SPENDING_MARK.len}, false, 4};
	uint64_t count;

	from.version = version_of(saved);
	s->seq = take_number(&from);
	load_names(s, &from);
	load_rows(s, &from);
	load_ids(s, &from);
	count = take_number(&from);
	for (uint64_t i = 0; i < count && !from.is_bad; i++)
		load_session(s, &from);
	if (from.version >= 2)
		load_seen(s, &from);
	return !from.is_bad && from.left.len == 0;
}

static bool is_whole(struct text saved, struct text *without)
{
	struct saved_bytes end;

	if (saved.len < SPENDING_MARK.len + CHECK_BYTES || !version_of(saved))
		return false;
	*without = (struct text){saved.at, saved.len - CHECK_BYTES};
	end = (struct saved_bytes){{saved.at + without->len, CHECK_BYTES}, false, 4};
	return take_number(&end) == crc32c(0, without->at, without->len);
}

/* Those of one that is copied hang on the head of the other. */
static void adopt_sessions(struct spending *copy, struct spending *from)
{
	bool is_empty = list_is_empty(&from->all);

	*copy = *from;
	list_init(&from->all);
	if (is_empty) {
		list_init(&copy->all);
		return;
	}
	copy->all.next->prev = &copy->all;
	copy->all.prev->next = &copy->all;
}

/* What is in the file of old responses stays known. */
static void keep_seen(struct seen_ids *fresh, const struct seen_ids *before)
{
	seen_keep(fresh, before->list, before->kept);
}

bool spending_load(struct spending *s, struct text saved)
{
	struct spending *fresh = spending_create(), old;
	bool good = is_whole(saved, &saved) && load_all(fresh, saved);

	if (good) {
		if (fresh->seed == s->seed)
			keep_seen(&fresh->seen, &s->seen);
		adopt_sessions(&old, s);
		adopt_sessions(s, fresh);
		adopt_sessions(fresh, &old);
		s->changes = fresh->changes;
		s->prices = fresh->prices;
		spent_rates_forget(s->rates);
		spending_weigh_all(s);
	}
	spending_destroy(fresh);
	return good;
}

struct seen_ids *spending_seen(struct spending *s)
{
	return &s->seen;
}

uint64_t spending_seed(const struct spending *s)
{
	return s->seed;
}

void spending_fit(struct spending *s, uint64_t last_seq)
{
	if (s->seq > last_seq)
		s->seq = last_seq;
}

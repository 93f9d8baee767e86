/* spending_save.c - all sums as bytes, and back.
 *
 * A mark, then numbers of eight bytes, little end first, and texts with their length before
 * them; a checksum at the end.  Not JSON: a year of sums is read at every start.
 */
#include <stdlib.h>

#include "base/crc32c.h"
#include "base/must.h"
#include "crew/spending_inside.h"

#define MARK TEXT("spending 3\n")
#define MARK_2 TEXT("spending 2\n") /* rows have nothing of agents' own figures */
#define MARK_1 TEXT("spending 1\n") /* nor has it the end: what is not kept elsewhere */
#define CHECK_BYTES 8

/* ---- written ---- */

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

static void save_rows(const struct spending *s, struct buf *out)
{
	add_number(out, s->row_count);
	for (uint32_t i = 0; i < s->row_count; i++) {
		const struct spent_row *r = &s->rows[i];

		add_number(out, r->hour | (uint64_t)r->project << 32);
		add_number(out, r->harness | (uint64_t)r->model << 32);
		add_number(out, r->size | (uint64_t)r->fast << 8 | (uint64_t)r->at_least << 16);
		add_number(out, (uint64_t)r->own);
		add_spent(out, &r->counts);
	}
}

/* The oldest first. */
static void save_ids(const struct spending *s, struct buf *out)
{
	uint64_t kept = s->id_count < SPENDING_IDS ? s->id_count : SPENDING_IDS;

	add_number(out, s->seed);
	add_number(out, kept);
	for (uint64_t i = s->id_count - kept; i < s->id_count; i++) {
		const struct spent_id *id = &s->ids[i % SPENDING_IDS];

		add_number(out, id->hash);
		for (int k = 0; k < SPENT_COUNTS; k += 2)
			add_number(out, id->n[k] | (uint64_t)id->n[k + 1] << 32);
	}
}

static void save_session(const struct usage *u, struct buf *out)
{
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
	add_number(out, u->at_least | (uint64_t)u->model_count << 8);
	for (unsigned i = 0; i < u->model_count; i++) {
		const struct usage_model *m = &u->models[i];

		add_number(out, m->size | (uint64_t)m->fast << 8 | (uint64_t)m->model << 32);
		add_spent(out, &m->counts);
	}
}

static void save_seen(const struct seen_ids *seen, struct buf *out)
{
	add_number(out, seen->count - seen->kept);
	for (uint32_t i = seen->kept; i < seen->count; i++)
		add_number(out, seen->list[i]);
}

void spending_save(const struct spending *s, struct buf *out)
{
	size_t begun = out->len;

	buf_add(out, MARK);
	add_number(out, s->seq);
	add_number(out, s->name_count);
	for (uint32_t i = 0; i < s->name_count; i++)
		save_name(out, s->names[i]);
	save_rows(s, out);
	save_ids(s, out);
	add_number(out, s->sessions.count);
	list_each(&s->all, l)
		save_session(list_of(l, struct usage, in_all), out);
	save_seen(&s->seen, out);
	add_number(out, crc32c(0, out->at + begun, out->len - begun));
}

/* ---- read back ---- */

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
		struct spent_id *id = spending_id(s, take_number(from));

		for (int k = 0; k < SPENT_COUNTS; k += 2) {
			uint64_t two = take_number(from);

			id->n[k] = (uint32_t)two;
			id->n[k + 1] = (uint32_t)(two >> 32);
		}
	}
}

static void load_models(struct spending *s, struct usage *u, struct saved_bytes *from,
                        uint64_t count)
{
	if (count > USAGE_MODELS_MAX || count > from->left.len / 8) {
		from->is_bad = true;
		return;
	}
	free(u->models);
	u->models = must_zero(count ? count : 1, sizeof(*u->models));
	u->model_count = (unsigned)count;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t what = take_number(from);

		u->models[i].size = (uint8_t)((what & 0xff) % PRICES_SIZES);
		u->models[i].fast = what >> 8 & 1;
		u->models[i].model = known_name(s, what >> 32);
		take_spent(from, &u->models[i].counts);
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
	load_models(s, u, from, more >> 8);
}

static void load_seen(struct spending *s, struct saved_bytes *from)
{
	uint64_t count = take_number(from);

	for (uint64_t i = 0; i < count && !from->is_bad; i++)
		seen_add(&s->seen, take_number(from));
}

static bool load_all(struct spending *s, struct text saved)
{
	struct saved_bytes from = {{saved.at + MARK.len, saved.len - MARK.len}, false, 3};
	uint64_t count;

	if (!text_starts(saved, MARK))
		from.version = text_starts(saved, MARK_2) ? 2 : 1;
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

	if (saved.len < MARK.len + CHECK_BYTES ||
	    (!text_starts(saved, MARK) && !text_starts(saved, MARK_2) &&
	     !text_starts(saved, MARK_1)))
		return false;
	*without = (struct text){saved.at, saved.len - CHECK_BYTES};
	end = (struct saved_bytes){{saved.at + without->len, CHECK_BYTES}, false, 3};
	return take_number(&end) == crc32c(0, without->at, without->len);
}

/* Those of one that is copied hang on the head of the other. */
static void adopt_sessions(struct spending *copy, struct spending *from)
{
	struct link gone;

	list_init(&gone);
	while (!list_is_empty(&from->all)) {
		struct link *l = from->all.next;

		list_remove(l);
		list_add(&gone, l);
	}
	*copy = *from;
	list_init(&copy->all);
	while (!list_is_empty(&gone)) {
		struct link *l = gone.next;

		list_remove(l);
		list_add(&copy->all, l);
	}
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

/* spending.c - signals are counted: rows by hour, sessions, and the responses that were. */
#include "crew/spending.h"

#include <stdlib.h>

#include "base/must.h"
#include "base/random.h"
#include "base/utf8.h"
#include "bus/admit.h"
#include "bus/folds.h"
#include "crew/spending_inside.h"
#include "run/hear.h"
#include "signal/json.h"

#define ROWS_FIRST 256
#define COST_MAX 1e9

/* ---- names ---- */

uint32_t spending_name(struct spending *s, struct text name)
{
	uintptr_t number;

	if (name.len > SPENDING_NAME_MAX)
		name = utf8_cut(name, SPENDING_NAME_MAX);
	if (name.len == 0 || memchr(name.at, '\0', name.len))
		return 0;
	number = (uintptr_t)map_get(&s->by_name, name);
	if (number)
		return (uint32_t)(number - 1);
	if (s->name_count == SPENDING_NAMES_MAX)
		return 0;
	s->names = must_grow(s->names, (s->name_count + 1) * sizeof(*s->names));
	s->names[s->name_count] = text_dup(name);
	map_set(&s->by_name, name, (void *)(uintptr_t)(s->name_count + 1));
	return s->name_count++;
}

/* ---- rows ---- */

static uint32_t row_hash(const struct spent_row *row)
{
	uint64_t h = row->hour;

	h = h * 0x9e3779b97f4a7c15u + row->project;
	h = h * 0x9e3779b97f4a7c15u + row->harness;
	h = h * 0x9e3779b97f4a7c15u + row->model;
	h = h * 0x9e3779b97f4a7c15u + row->size * 2u + row->fast;
	h *= 0x9e3779b97f4a7c15u;
	return (uint32_t)(h >> 32);
}

static bool is_row(const struct spent_row *a, const struct spent_row *b)
{
	return a->hour == b->hour && a->project == b->project && a->harness == b->harness &&
	       a->model == b->model && a->size == b->size && a->fast == b->fast;
}

/* The slot of the row, or the free one where it would stand. */
static uint32_t *row_slot(const struct spending *s, const struct spent_row *like)
{
	uint32_t at = row_hash(like) & (s->slot_count - 1);

	while (s->slots[at] && !is_row(&s->rows[s->slots[at] - 1], like))
		at = (at + 1) & (s->slot_count - 1);
	return &s->slots[at];
}

void spending_make_rows(struct spending *s, uint32_t room)
{
	if (room <= s->row_room)
		return;
	while (s->row_room < room)
		s->row_room = s->row_room ? 2 * s->row_room : ROWS_FIRST;
	s->rows = must_grow(s->rows, s->row_room * sizeof(*s->rows));
	free(s->slots);
	s->slot_count = 2 * s->row_room;
	s->slots = must_zero(s->slot_count, sizeof(*s->slots));
	for (uint32_t i = 0; i < s->row_count; i++)
		*row_slot(s, &s->rows[i]) = i + 1;
}

struct spent_row *spending_row(struct spending *s, const struct spent_row *like)
{
	uint32_t *slot;

	spending_make_rows(s, s->row_count + 1);
	slot = row_slot(s, like);
	if (*slot)
		return &s->rows[*slot - 1];
	if (s->row_count == SPENDING_ROWS_MAX)
		return &s->rows[s->row_count - 1];
	s->rows[s->row_count] = *like;
	s->rows[s->row_count].counts = (struct spent_counts){0};
	*slot = ++s->row_count;
	return &s->rows[*slot - 1];
}

/* ---- responses ---- */

static void forget_id(struct spending *s, uint32_t number)
{
	uint32_t *at = &s->chains[s->ids[number].hash % SPENDING_IDS];

	while (*at != number)
		at = &s->ids[*at].next;
	*at = s->ids[number].next;
	seen_add(&s->seen, s->ids[number].hash);
}

struct spent_id *spending_find_id(const struct spending *s, uint64_t hash)
{
	for (uint32_t i = s->chains[hash % SPENDING_IDS]; i != SPENDING_IDS; i = s->ids[i].next)
		if (s->ids[i].hash == hash)
			return &s->ids[i];
	return NULL;
}

struct spent_id *spending_add_id(struct spending *s, uint64_t hash)
{
	uint32_t *chain = &s->chains[hash % SPENDING_IDS];
	uint32_t number = (uint32_t)(s->id_count % SPENDING_IDS);

	spending_touch_id(s, number);
	if (s->id_count >= SPENDING_IDS)
		forget_id(s, number);
	s->ids[number] = (struct spent_id){.hash = hash, .next = *chain};
	*chain = number;
	s->id_count++;
	return &s->ids[number];
}

bool spending_take_news(struct spending *s, struct usage_facts *facts, struct usage *of)
{
	uint64_t hash = map_hash(s->seed, facts->response);
	struct spent_id *id, *known;
	bool any = false;

	if (seen_has(&s->seen, hash))
		return false;
	known = spending_find_id(s, hash);
	id = known ? known : spending_add_id(s, hash);
	spending_own_id(s, id, !known, of);
	spending_touch_id(s, (uint32_t)(id - s->ids));
	for (int i = 0; i < SPENT_COUNTS; i++) {
		uint64_t told = facts->counts.n[i];
		uint32_t now = told < UINT32_MAX ? (uint32_t)told : UINT32_MAX;

		facts->counts.n[i] = now > id->n[i] ? now - id->n[i] : 0;
		if (now > id->n[i])
			id->n[i] = now;
		any |= facts->counts.n[i] > 0;
	}
	return any;
}

bool spending_knows(const struct spending *s, struct text response)
{
	uint64_t hash = map_hash(s->seed, response);

	return spending_find_id(s, hash) || seen_has(&s->seen, hash);
}

bool spending_may_grow(const struct spending *s, struct text response)
{
	return spending_find_id(s, map_hash(s->seed, response));
}

/* ---- sessions ---- */

static void forget_session(struct spending *s, struct usage *u)
{
	spending_touch_session(s, u);
	map_remove(&s->sessions, text_of(u->id));
	list_remove(&u->in_all);
	usage_destroy(u);
}

struct usage *spending_session(struct spending *s, struct text id)
{
	struct usage *u = map_get(&s->sessions, id);

	if (u) {
		spending_touch_session(s, u);
		list_remove(&u->in_all);
		list_add(&s->all, &u->in_all);
		return u;
	}
	if (s->sessions.count >= SPENDING_SESSIONS)
		forget_session(s, list_of(s->all.next, struct usage, in_all));
	u = must_zero(1, sizeof(*u));
	u->id = text_dup(id);
	map_set(&s->sessions, id, u);
	list_add(&s->all, &u->in_all);
	return u;
}

const struct usage *spending_of(const struct spending *s, struct text id)
{
	return map_get(&s->sessions, id);
}

uint32_t spending_project(struct spending *s, struct text cwd)
{
	while (cwd.len > 1 && cwd.at[cwd.len - 1] == '/')
		cwd.len--;
	for (size_t i = cwd.len; i > 0; i--)
		if (cwd.at[i - 1] == '/' && i < cwd.len) {
			cwd = (struct text){cwd.at + i, cwd.len - i};
			break;
		}
	return cwd.len ? spending_name(s, cwd) : 0;
}

/* Of the first that is told. */
static void take_place(struct spending *s, struct usage *u, struct text cwd)
{
	if (u->project)
		return;
	u->project = spending_project(s, cwd);
	s->changes += u->project != 0;
}

/* Who it is where nobody says so: hooks are Claude Code's. */
static void take_program(struct spending *s, struct usage *u, const struct signal *signal,
                         struct text harness)
{
	uint32_t before = u->harness;

	if (harness.len)
		u->harness = spending_name(s, harness);
	else if (!u->harness && text_is(signal->source, "adapter:tap"))
		u->harness = spending_name(s, TEXT("claude-code"));
	else if (!u->harness && text_starts(signal->source, TEXT("local:")))
		u->harness = spending_name(
			s, (struct text){signal->source.at + 6, signal->source.len - 6});
	s->changes += u->harness != before;
}

static void take_facts(struct spending *s, struct usage *u, yyjson_val *payload)
{
	uint64_t used = yyjson_get_uint(yyjson_obj_get(payload, "contextUsed"));
	uint64_t window = yyjson_get_uint(yyjson_obj_get(payload, "contextWindow"));
	double cost;

	if (used && used < USAGE_COUNT_MAX)
		u->context_used = used;
	if (window && window < USAGE_COUNT_MAX)
		u->context_window = window;
	if (!json_number(yyjson_obj_get(payload, "cost"), &cost) || !(cost > 0 && cost < COST_MAX))
		return;
	u->is_own_old = false;
	/* After a crash an agent may have forgotten some of it. */
	if (cost > u->own_cost)
		u->own_cost = cost;
	s->changes++;
}

/* Calls of which nobody tells: a compaction's, and the last of one that was killed.  Who was left
 * for another session ended in peace. */
static bool hides_calls(const struct signal *signal, yyjson_val *payload, yyjson_val *metadata)
{
	if (text_is(signal->type, "session.facts"))
		return yyjson_is_true(yyjson_obj_get(payload, "compacted"));
	if (text_is(signal->type, "session.gone"))
		return text_equal(signal->source, SOURCE_OF_BOX) &&
		       !yyjson_is_true(yyjson_obj_get(payload, "left"));
	return text_is(json_text_at(metadata, "hook"), "PreCompact") ||
	       text_is(json_text_at(payload, "hook_event_name"), "PreCompact");
}

/* ---- signals ---- */

void spending_count(struct spending *s, const struct usage_facts *facts, struct usage *of,
                    const struct spent_counts *added)
{
	struct spent_row like = {
		.hour = usage_hour(facts->at_ms),
		.project = of->project,
		.harness = of->harness,
		.model = spending_name(s, facts->call.model),
		.size = (uint8_t)facts->call.size,
		.fast = facts->call.fast,
	};
	struct spent_row *row = spending_row(s, &like);

	spending_touch_row(s, row);
	for (int i = 0; i < SPENT_COUNTS; i++)
		row->counts.n[i] += added->n[i];
	if (!of->row || s->rows[of->row - 1].hour <= row->hour)
		of->row = (uint32_t)(row - s->rows) + 1;
	s->changes++;
}

static void count(struct spending *s, struct usage *u, struct usage_facts *facts, bool is_session)
{
	struct spent_counts added = facts->counts;

	if (facts->response.len && !spending_take_news(s, facts, u))
		return;
	u->is_own_old = true;
	usage_add(u, facts, spending_name(s, facts->call.model), &added);
	if (!is_session) /* unrelated calls of one source: each counts */
		added = facts->counts;
	spending_count(s, facts, u, &added);
}

static bool can_be_id(struct text id)
{
	return id.len > 0 && id.len <= TRANSLATE_RUN_MAX && !memchr(id.at, '\0', id.len);
}

/* Only they say where they work without being asked. */
static bool is_of_hooks(const struct signal *signal)
{
	return text_starts(signal->source, TEXT("adapter:"));
}

static bool is_about_sessions(const struct signal *signal, yyjson_val *metadata)
{
	return signal->kind == KIND_TOKEN_USAGE || text_starts(signal->type, TEXT("session.")) ||
	       (is_of_hooks(signal) && json_text_at(metadata, "cwd").len > 0);
}

static void hear_session(struct spending *s, const struct signal *signal)
{
	yyjson_val *payload = yyjson_obj_get(signal->envelope, "payload");
	yyjson_val *metadata = yyjson_obj_get(signal->envelope, "metadata");
	bool has_facts = text_is(signal->type, "session.facts");
	struct text id = run_of_signal(signal);
	bool hides = hides_calls(signal, payload, metadata), is_first;
	struct usage_facts facts;
	struct usage *u;

	if (!can_be_id(id) || !is_about_sessions(signal, metadata) ||
	    spending_is_strange(s, signal, id))
		return;
	u = spending_session(s, id);
	spending_vouch(u, signal);
	take_place(s, u, json_text_at(has_facts ? payload : metadata, "cwd"));
	take_program(s, u, signal, json_text_at(has_facts ? payload : NULL, "harness"));
	if (has_facts)
		take_facts(s, u, payload);
	s->changes += hides && !u->at_least;
	u->at_least |= hides;
	is_first = !u->row;
	if (signal->at_ms > u->last_ms)
		u->last_ms = signal->at_ms;
	if (usage_read(signal, &facts))
		count(s, u, &facts, signal->correlation.len > 0);
	if (u->row && (hides || (is_first && u->at_least))) {
		spending_touch_row(s, &s->rows[u->row - 1]);
		s->rows[u->row - 1].at_least = true;
		s->changes++;
	}
	spending_weigh(s, u);
}

void spending_hear(struct spending *s, const struct signal *signal)
{
	struct signal read;

	if (signal->seq <= s->seq) /* it is in what was loaded */
		return;
	s->seq = signal->seq;
	if (!signal->envelope) {
		if (!signal_read(s->reader, signal->line, &read, NULL))
			return;
		signal = &read;
	}
	if (text_is(signal->type, SPENDING_PAST))
		spending_hear_past(s, signal);
	else
		hear_session(s, signal);
}

/* ---- the fold ---- */

static bool may_want(struct text line)
{
	return memmem(line.at, line.len, "token_usage", 11) ||
	       memmem(line.at, line.len, "\"session.", 9) ||
	       memmem(line.at, line.len, "\"" SPENDING_PAST "\"", sizeof(SPENDING_PAST) + 1) ||
	       memmem(line.at, line.len, "\"cwd\"", 5);
}

static bool wants(const struct signal *signal)
{
	return signal->kind == KIND_TOKEN_USAGE || text_starts(signal->type, TEXT("session.")) ||
	       text_is(signal->type, SPENDING_PAST) || is_of_hooks(signal);
}

static void fold_hear(void *self, const struct signal *signal)
{
	spending_hear(self, signal);
}

static void fold_save_begin(void *self)
{
	struct spending *s = self;

	spending_saving_end(s->fold_saving);
	s->fold_saving = spending_saving_begin(s);
}

static bool fold_save_more(void *self, struct buf *out)
{
	struct spending *s = self;

	if (spending_saving_more(s->fold_saving, out))
		return true;
	spending_saving_end(s->fold_saving);
	s->fold_saving = NULL;
	return false;
}

/* What DATA/usage has may be newer. */
static bool fold_load(void *self, struct text saved, uint64_t *seq)
{
	struct spending *s = self;
	uint64_t before = s->seq;

	if (*seq <= before)
		return true;
	if (!spending_load(s, saved))
		return false;
	s->changes += s->seq != before; /* the file has less */
	return true;
}

static const struct fold_kind spending_fold = {
	.name = "spending",
	.pace = FOLD_AT_ONCE,
	.newest_alone = true,
	.saved_max = SPENDING_SAVED_MAX,
	.may_want = may_want,
	.wants = wants,
	.hear = fold_hear,
	.save_begin = fold_save_begin,
	.save_more = fold_save_more,
	.load = fold_load,
};

void spending_join(struct spending *s, struct folds *folds)
{
	folds_add(folds, &spending_fold, s);
}

uint64_t spending_changes(const struct spending *s)
{
	return s->changes;
}

/* ---- life ---- */

struct spending *spending_create(void)
{
	struct spending *s = must_zero(1, sizeof(*s));

	map_init(&s->by_name);
	map_init(&s->sessions);
	list_init(&s->all);
	seen_init(&s->seen);
	s->names = must_zero(1, sizeof(*s->names));
	s->names[s->name_count++] = must_dup("");
	s->ids = must_alloc(SPENDING_IDS * sizeof(*s->ids));
	s->chains = must_alloc(SPENDING_IDS * sizeof(*s->chains));
	for (uint32_t i = 0; i < SPENDING_IDS; i++)
		s->chains[i] = SPENDING_IDS;
	random_bytes(&s->seed, sizeof(s->seed));
	s->reader = signal_reader_create();
	s->rates = spent_rates_create();
	return s;
}

void spending_destroy(struct spending *s)
{
	if (!s)
		return;
	spending_saving_end(s->fold_saving);
	while (!list_is_empty(&s->all))
		forget_session(s, list_of(s->all.next, struct usage, in_all));
	for (uint32_t i = 0; i < s->name_count; i++)
		free(s->names[i]);
	map_finish(&s->by_name);
	map_finish(&s->sessions);
	seen_finish(&s->seen);
	spent_rates_destroy(s->rates);
	signal_reader_destroy(s->reader);
	free(s->names);
	free(s->rows);
	free(s->slots);
	free(s->ids);
	free(s->chains);
	free(s);
}

/* members.c - the sessions of a box, for verbs. */
#include "cli/members.h"

#include "cli/table.h"
#include "crew/words.h"
#include "signal/json.h"

#define ANSWER_MS 30000
#define CELL_BYTES (64 * KIB)
#define JSON_MAX (64 * MIB)
#define COLUMNS 9

bool members_fetch(struct remote *remote, struct roll *roll, struct error *why)
{
	const struct remote_request request = {
		.method = "GET", .path = ROLL_PATH, .timeout_ms = ANSWER_MS};
	struct buf body;
	bool good;

	if (!remote_ask(remote, &request, &body, why))
		return false;
	good = roll_read(roll, buf_text(&body)) ||
	       error_set(why, "the box gave an answer that has no sessions");
	buf_finish(&body);
	return good;
}

struct text members_handle(const struct roll *roll, struct text name)
{
	struct text handle = json_text_at(roll_find(roll, name), "handle");

	return handle.len ? handle : name;
}

/* A member of the session's own, which the caller frees. */
static char *find_word(struct remote *remote, const char *name, const char *key, struct error *why)
{
	struct roll roll;
	struct text word;
	char *dup = NULL;

	if (!members_fetch(remote, &roll, why))
		return NULL;
	word = json_text_at(roll_find(&roll, text_of(name)), key);
	if (word.len)
		dup = text_dup(word);
	else
		error_set(why, "no session is called '%.80s': `signalbox run list --all`", name);
	roll_finish(&roll);
	return dup;
}

char *members_find(struct remote *remote, const char *name, struct error *why)
{
	return find_word(remote, name, "handle", why);
}

char *members_run(struct remote *remote, const char *name, struct error *why)
{
	return find_word(remote, name, "run", why);
}

/* ---- a row ---- */

/* What words.h says of it. */
static void add_figure(struct table *table, void (*say)(struct buf *out, yyjson_val *member),
                       yyjson_val *member)
{
	struct buf cell;

	buf_init(&cell, CELL_BYTES);
	say(&cell, member);
	table_add(table, buf_text(&cell), 20);
	buf_finish(&cell);
}

/* Its clock stays however long a target is. */
static void add_state(struct table *table, yyjson_val *state, double now_ms)
{
	struct buf cell, clock;

	buf_init(&cell, CELL_BYTES);
	buf_init(&clock, CELL_BYTES);
	words_state(&cell, state);
	words_clock(&clock, state, now_ms);
	table_add_ended(table, buf_text(&cell), buf_text(&clock), 44);
	buf_finish(&clock);
	buf_finish(&cell);
}

static void add_last(struct table *table, yyjson_val *member, double now_ms)
{
	struct buf cell;
	double last = 0;

	buf_init(&cell, CELL_BYTES);
	if (json_number(yyjson_obj_get(member, "last"), &last) && last > 0) {
		words_age(&cell, now_ms - last);
		buf_add(&cell, TEXT(" ago"));
	}
	table_add(table, buf_text(&cell), 20);
	buf_finish(&cell);
}

/* One that another session began stands below it. */
static void add_handle(struct table *table, yyjson_val *member, unsigned depth)
{
	struct buf cell;

	buf_init(&cell, CELL_BYTES);
	while (depth-- > 0)
		buf_add(&cell, TEXT("  "));
	buf_add(&cell, json_text_at(member, "handle"));
	table_add(table, buf_text(&cell), 48);
	buf_finish(&cell);
}

static void add_row(struct table *table, yyjson_val *member, double now_ms)
{
	table_add(table, json_text_at(member, "project"), 24);
	table_add(table, json_text_at(member, "agent"), 24);
	add_state(table, yyjson_obj_get(member, "state"), now_ms);
	add_figure(table, words_plan, member);
	add_figure(table, words_tokens, member);
	add_figure(table, words_cost, member);
	table_add(table, json_text_at(member, "title"), 40);
	add_last(table, member, now_ms);
}

/* ---- all of them ---- */

static void add_heading(struct table *table)
{
	static const char *const heading[COLUMNS] = {"HANDLE", "PROJECT", "AGENT", "STATE", "PLAN",
	                                             "TOKENS", "COST",    "TITLE", "LAST"};

	for (unsigned i = 0; i < COLUMNS; i++)
		table_add(table, text_of(heading[i]), 20);
}

void members_show(struct out *out, const struct roll *roll, bool all)
{
	size_t over = all ? 0 : roll_count(roll, GROUP_OVER);
	struct table table;

	if (roll->count == 0)
		out_print(out, "no sessions yet\n");
	if (roll->count > over) {
		table_init(&table, COLUMNS);
		add_heading(&table);
		for (size_t i = 0; i < roll->count; i++)
			if (all || roll_group(roll->members[i]) != GROUP_OVER) {
				add_handle(&table, roll->members[i], roll->depths[i]);
				add_row(&table, roll->members[i], roll->at_ms);
			}
		table_show(&table, out);
		table_finish(&table);
	}
	if (over > 0)
		out_print(out, "%zu finished %s hidden: --all shows %s\n", over,
		          over == 1 ? "session is" : "sessions are", over == 1 ? "it" : "them");
}

void members_show_handles(struct out *out, const struct roll *roll)
{
	for (size_t i = 0; i < roll->count; i++) {
		out_add_shown(out, json_text_at(roll->members[i], "handle"));
		out_print(out, "\n");
	}
}

void members_show_json(struct out *out, const struct roll *roll)
{
	struct buf json;

	buf_init(&json, JSON_MAX);
	buf_add_char(&json, '[');
	for (size_t i = 0; i < roll->count; i++) {
		if (i > 0)
			buf_add_char(&json, ',');
		json_add(&json, roll->members[i]);
	}
	buf_add(&json, TEXT("]\n"));
	out_add(out, buf_text(&json));
	buf_finish(&json);
}

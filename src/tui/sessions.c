/* sessions.c - the sessions of a box, kept as they came and read in their order. */
#include "tui/sessions.h"

#include <stdlib.h>

#include "base/put.h"
#include "signal/json.h"

#define MEMBER_MAX (1 * MIB)
#define ROLL_MAX (64 * MIB)

void sessions_init(struct sessions *s)
{
	*s = (struct sessions){0};
	map_init(&s->raws);
	map_init(&s->runs);
}

static void forget_members(struct sessions *s)
{
	struct text id;
	size_t at = 0;
	void *raw;

	while (map_next(&s->raws, &at, &id, &raw))
		free(raw);
	map_finish(&s->raws);
	map_init(&s->raws);
}

void sessions_finish(struct sessions *s)
{
	forget_members(s);
	map_finish(&s->raws);
	map_finish(&s->runs);
	roll_finish(&s->roll);
}

static void set_member(struct sessions *s, yyjson_val *member)
{
	struct text id = json_text_at(member, "id");
	struct buf raw;

	if (!id.len || (s->raws.count >= SESSIONS_MAX && !map_get(&s->raws, id)))
		return;
	buf_init(&raw, MEMBER_MAX);
	if (json_add(&raw, member)) {
		free(map_remove(&s->raws, id));
		map_set(&s->raws, id, text_dup(buf_text(&raw)));
	}
	buf_finish(&raw);
}

static void set_members(struct sessions *s, yyjson_val *members)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(members);
	yyjson_val *member;

	while ((member = yyjson_arr_iter_next(&it)))
		set_member(s, member);
}

static void drop_members(struct sessions *s, yyjson_val *ids)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(ids);
	yyjson_val *id;

	while ((id = yyjson_arr_iter_next(&it)))
		free(map_remove(&s->raws, json_text(id)));
}

/* The newest of one that has several comes last. */
static void know_runs(struct sessions *s, yyjson_val *member)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(yyjson_obj_get(member, "runs"));
	yyjson_val *run;

	map_set(&s->runs, json_text_at(member, "id"), member);
	while ((run = yyjson_arr_iter_next(&it)))
		map_set(&s->runs, json_text(run), member);
	map_set(&s->runs, json_text_at(member, "run"), member);
}

static void take_roll(struct sessions *s, const struct roll *now)
{
	roll_finish(&s->roll);
	s->roll = *now;
	map_finish(&s->runs);
	map_init(&s->runs);
	for (size_t i = 0; i < now->count; i++)
		know_runs(s, now->members[i]);
}

yyjson_val *sessions_find(const struct sessions *s, struct text run)
{
	return run.len ? map_get(&s->runs, run) : NULL;
}

static void read_members(struct sessions *s)
{
	struct roll now;
	struct text id;
	struct buf json;
	size_t at = 0;
	void *raw;

	buf_init(&json, ROLL_MAX);
	put_object(&json, NULL);
	put_list(&json, "members");
	while (map_next(&s->raws, &at, &id, &raw))
		put_json(&json, NULL, text_of(raw));
	put_list_end(&json);
	put_end(&json);
	if (!json.full && roll_read(&now, buf_text(&json)))
		take_roll(s, &now);
	buf_finish(&json);
}

void sessions_hear(struct sessions *s, yyjson_val *op)
{
	yyjson_val *all = yyjson_obj_get(op, "all");

	if (all)
		forget_members(s);
	set_members(s, all);
	set_members(s, yyjson_obj_get(op, "changed"));
	drop_members(s, yyjson_obj_get(op, "removed"));
	read_members(s);
}

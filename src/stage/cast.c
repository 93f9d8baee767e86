/* cast.c - parts are given to stand-ins. */
#include "stage/cast.h"

#include <stdlib.h>

#include "base/put.h"
#include "base/utf8.h"
#include "signal/json.h"
#include "stage/stage.h"

#define MORE "\xe2\x80\xa6" /* an ellipsis */

bool cast_is_name(struct text part)
{
	for (size_t i = 0; i < part.len; i++)
		if ((unsigned char)part.at[i] < ' ' || part.at[i] == 0x7f)
			return false;
	return part.len > 0 && part.len <= CAST_PART_MAX;
}

void cast_add_label(struct buf *out, struct text part)
{
	char label[CAST_LABEL_MAX];
	struct text shown = utf8_cut(part, CAST_LABEL_MAX - strlen(MORE));

	if (part.len <= CAST_LABEL_MAX) {
		buf_add_json(out, part);
		return;
	}
	memcpy(label, shown.at, shown.len);
	memcpy(label + shown.len, MORE, strlen(MORE));
	buf_add_json(out, (struct text){label, shown.len + strlen(MORE)});
}

static bool stands_in(const struct actor *actor)
{
	return show_flag(actor->placed, "standIn", false);
}

struct actor *cast_find(struct actor *actors, size_t count, struct text part)
{
	for (size_t i = 0; i < count; i++)
		if (actors[i].part && text_equal(actors[i].semantic, part))
			return &actors[i];
	return NULL;
}

bool stage_rests(struct text state)
{
	return text_is(state, "idle") || text_is(state, "done") || text_is(state, "error");
}

/* Is it in the state that it began with, or in one in which nothing is left to do? */
static bool is_at_rest(const struct actor *actor)
{
	struct text state = text_of(actor->animation);

	return stage_rests(state) || text_equal(state, json_text_at(actor->placed, "activeState"));
}

static bool cast_is_free(const struct actor *actor, double now_ms)
{
	if (actor->tween_count || speech_phase(&actor->speech, now_ms) != SPEECH_SILENT)
		return false;
	return !actor->base.visible || is_at_rest(actor) ||
	       now_ms >= actor->heard_ms + STAGE_AWAY_MS;
}

/* Who is out of sight comes before who is not, and then who had nothing to do for longer. */
static bool is_freer(const struct actor *a, const struct actor *b)
{
	if (a->base.visible != b->base.visible)
		return b->base.visible;
	return a->used < b->used;
}

struct actor *cast_choose(struct actor *actors, size_t count, double now_ms)
{
	struct actor *best = NULL;

	for (size_t i = 0; i < count; i++) {
		struct actor *actor = &actors[i];

		if (!stands_in(actor))
			continue;
		if (!actor->part)
			return actor;
		if (cast_is_free(actor, now_ms) && (!best || is_freer(actor, best)))
			best = actor;
	}
	return best;
}

struct actor *cast_by_id(struct actor *actors, size_t count, struct text id)
{
	for (size_t i = 0; i < count; i++)
		if (stands_in(&actors[i]) && text_equal(actors[i].id, id))
			return &actors[i];
	return NULL;
}

void cast_tell(const struct actor *actor, const struct stage_command *command, struct text state,
               struct buf *params, struct stage_command *cast)
{
	buf_clear(params);
	put_object(params, NULL);
	put_text(params, "id", actor->id);
	put_key(params, "label");
	cast_add_label(params, command->entity);
	if (state.len) {
		put_text(params, "state", state);
	}
	buf_add_char(params, '}');
	*cast = (struct stage_command){
		.kind = COMMAND_EXECUTE,
		.at_ms = command->at_ms,
		.performance = command->performance,
		.action = TEXT("cast"),
		.entity = command->entity,
		.params = buf_text(params),
	};
}

void cast_give(struct actor *actor, struct text part, struct text state)
{
	struct text first;
	char *name;

	if (!actor)
		return;
	first = json_text_at(actor->placed, "activeState");
	name = text_dup(part); /* which may be the one that goes */
	free(actor->part);
	actor->part = name;
	actor->semantic = text_of(name);
	actor->base = actor->original;
	actor_animate(actor, first.len ? first : TEXT("idle"));
	actor_animate(actor, state);
	if (state.len)
		actor->base.visible = true;
	speech_say(&actor->speech, TEXT(""), 0, 0);
}

void cast_save(const struct actor *actor, struct buf *out)
{
	if (!actor->part)
		return;
	put_text(out, "part", actor->semantic);
	put_u64(out, "used", actor->used);
	put_key(out, "heard");
	json_add_number(out, actor->heard_ms);
	buf_add_char(out, ',');
}

void cast_load(struct actor *actor, const struct show *show, yyjson_val *saved)
{
	struct text part = json_text_at(saved, "part");

	if (!stands_in(actor) || !cast_is_name(part) || map_get(&show->actors, part))
		return;
	cast_give(actor, part, TEXT(""));
	actor->used = yyjson_get_uint(yyjson_obj_get(saved, "used"));
	json_number(yyjson_obj_get(saved, "heard"), &actor->heard_ms);
}

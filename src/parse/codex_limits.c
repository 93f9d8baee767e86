/* codex_limits.c - the windows of Codex's limits, by their kind. */
#include "parse/codex_limits.h"

#include <stdlib.h>

#include "base/put.h"
#include "base/utf8.h"
#include "parse/speak.h"
#include "signal/json.h"

#define LIMIT_NAME_MAX 64
#define LIMITS_AGAIN_MS (5 * 60e3) /* then they are told again, though they are the same */

/* An account has limits of its own for some models: those are named. */
static struct text name_of_limit(yyjson_val *limits)
{
	struct text id = json_text_at(limits, "limit_id"),
		    name = json_text_at(limits, "limit_name");

	if (!id.len || text_is(id, "codex"))
		return TEXT("");
	return utf8_cut(name.len ? name : id, LIMIT_NAME_MAX);
}

static void put_window(struct buf *out, yyjson_val *window, struct text name)
{
	double used, resets;

	if (!json_number(yyjson_obj_get(window, "used_percent"), &used) || !(used >= 0) ||
	    used > 1e6)
		return;
	put_object(out, NULL);
	if (name.len)
		put_text(out, "name", name);
	put_u64(out, "minutes", speak_count(window, "window_minutes"));
	put_key(out, "used");
	json_add_number(out, used);
	if (json_number(yyjson_obj_get(window, "resets_at"), &resets) && resets > 0 && resets < 4e9)
		put_u64(out, "resetsAt", (uint64_t)resets * 1000);
	put_end(out);
}

/* Where those of this kind are remembered, or will be: in the place of the oldest. */
static struct codex_limit *place_of_limits(struct codex_limits *all, struct text id)
{
	struct codex_limit *oldest = &all->known[0];

	for (size_t i = 0; i < CODEX_LIMITS; i++) {
		struct codex_limit *known = &all->known[i];

		if (!known->id || text_is(id, known->id))
			return known;
		if (known->at_ms < oldest->at_ms)
			oldest = known;
	}
	return oldest;
}

static void forget_limits(struct codex_limit *known)
{
	free(known->id);
	free(known->windows);
	*known = (struct codex_limit){0};
}

/* Remembers them, if they are. */
static bool are_news(struct codex_limits *all, struct text id, struct text windows, double at_ms)
{
	struct codex_limit *known = place_of_limits(all, id);

	if (known->id && text_is(id, known->id) && text_is(windows, known->windows) &&
	    at_ms - known->at_ms < LIMITS_AGAIN_MS)
		return false;
	forget_limits(known);
	*known = (struct codex_limit){text_dup(id), text_dup(windows), at_ms};
	return true;
}

bool codex_limits_take(struct codex_limits *all, yyjson_val *limits, double at_ms, struct buf *out)
{
	struct text id = utf8_cut(json_text_at(limits, "limit_id"), LIMIT_NAME_MAX);
	struct text name = name_of_limit(limits);

	put_list(out, NULL);
	put_window(out, yyjson_obj_get(limits, "primary"), name);
	put_window(out, yyjson_obj_get(limits, "secondary"), name);
	put_list_end(out);
	return out->len > 2 && !out->full && are_news(all, id, buf_text(out), at_ms);
}

void codex_limits_finish(struct codex_limits *all)
{
	for (size_t i = 0; i < CODEX_LIMITS; i++)
		forget_limits(&all->known[i]);
}

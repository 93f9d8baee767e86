/* wishes.c - by the key of the session. */
#include "gateway/wishes.h"

#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "gateway/inside.h"
#include "gateway/keys.h"

#define WISHES_MAX 1024

struct gateway_wishes {
	char *model, *verbose; /* or NULL */
};

void gateway_wishes_finish(struct map *wishes)
{
	struct text key;
	size_t at = 0;
	void *one;

	while (map_next(wishes, &at, &key, &one)) {
		struct gateway_wishes *w = one;

		free(w->model);
		free(w->verbose);
		free(w);
	}
	map_finish(wishes);
}

static bool set_wish(struct gateway *g, struct text key, bool is_model, struct text value,
                     struct error *why)
{
	struct gateway_wishes *w = map_get(&g->desk.wishes, key);
	char **at;

	if (!w && g->desk.wishes.count >= WISHES_MAX)
		return error_set(why, "too many sessions were changed already");
	if (!w) {
		w = must_zero(1, sizeof(*w));
		map_set(&g->desk.wishes, key, w);
	}
	at = is_model ? &w->model : &w->verbose;
	free(*at);
	*at = value.len ? text_dup(value) : NULL;
	if (!w->model && !w->verbose) {
		map_remove(&g->desk.wishes, key);
		free(w);
	}
	return true;
}

/* ---- models ---- */

struct wanted_model {
	struct text name; /* with its agent before it, or without */
	struct text agent, source;
	char *found;
	size_t count;
};

static void look_at_model(void *of, struct text source, struct text model)
{
	struct wanted_model *w = of;
	struct text rest, first = text_cut(w->name, '/', &rest);
	bool is_it = text_equal(w->name, model) ||
	             (rest.len && text_equal(first, w->agent) && text_equal(rest, model));

	if (!text_equal(source, w->source) || !model.len)
		return;
	w->count++;
	if (is_it && !w->found)
		w->found = text_dup(model);
}

bool gateway_wish_model(const struct gateway_call *call, const struct gateway_place *place,
                        yyjson_val *value, struct error *why)
{
	const struct gateway_options *o = &call->gateway->options;
	struct wanted_model w = {json_text(value), gateway_key_agent(buf_text(&place->key)),
	                         buf_text(&place->source)};
	bool is_good = true;

	if (!value)
		return true;
	if (yyjson_is_str(value)) {
		o->models(o->self, look_at_model, &w);
		if (!w.count)
			is_good = error_set(why, "the agent chooses its model itself");
		else if (!w.found)
			is_good = error_set(why, "the agent has no model '%.*s'", TEXT_ARG(w.name));
	}
	is_good = is_good &&
	          set_wish(call->gateway, buf_text(&place->key), true, text_of(w.found), why);
	free(w.found);
	return is_good;
}

struct text gateway_wished_model(const struct gateway *g, struct text key)
{
	const struct gateway_wishes *w = map_get(&g->desk.wishes, key);

	return text_of(w ? w->model : NULL);
}

bool gateway_wish_verbose(const struct gateway_call *call, const struct gateway_place *place,
                          yyjson_val *value, struct error *why)
{
	return !value ||
	       set_wish(call->gateway, buf_text(&place->key), false, json_text(value), why);
}

void gateway_put_wishes(const struct gateway *g, struct text key, struct buf *out)
{
	const struct gateway_wishes *w = map_get(&g->desk.wishes, key);

	if (w && w->model)
		put_word(out, "model", w->model);
	if (w && w->verbose)
		put_word(out, "verboseLevel", w->verbose);
}

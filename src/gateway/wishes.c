/* wishes.c - by the key of the session. */
#include "gateway/wishes.h"

#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "gateway/inside.h"
#include "gateway/keys.h"
#include "gateway/memo.h"

#define WISHES_MAX 1024 /* then the oldest are forgotten */

struct gateway_wishes {
	char *model, *verbose; /* or NULL */
	struct link in_order;  /* gateway_desk.wish_order */
	char key[];
};

static void forget_wishes(struct gateway *g, struct gateway_wishes *w)
{
	map_remove(&g->desk.wishes, text_of(w->key));
	list_remove(&w->in_order);
	free(w->model);
	free(w->verbose);
	free(w);
}

void gateway_wishes_finish(struct gateway *g)
{
	list_each(&g->desk.wish_order, l)
		forget_wishes(g, list_of(l, struct gateway_wishes, in_order));
	map_finish(&g->desk.wishes);
}

static struct gateway_wishes *find_or_add(struct gateway *g, struct text key)
{
	struct gateway_wishes *w = map_get(&g->desk.wishes, key);

	if (w) {
		list_remove(&w->in_order);
	} else {
		if (g->desk.wishes.count >= WISHES_MAX)
			forget_wishes(g, list_of(g->desk.wish_order.next, struct gateway_wishes,
			                         in_order));
		w = must_zero(1, sizeof(*w) + key.len + 1);
		memcpy(w->key, key.at, key.len);
		map_set(&g->desk.wishes, key, w);
	}
	list_add(&g->desk.wish_order, &w->in_order);
	return w;
}

static void set_wish(struct gateway *g, struct text key, bool is_model, struct text value)
{
	struct gateway_wishes *w = find_or_add(g, key);
	char **at = is_model ? &w->model : &w->verbose;

	free(*at);
	*at = value.len ? text_dup(value) : NULL;
	if (!w->model && !w->verbose)
		forget_wishes(g, w);
	gateway_memo_changed(g);
}

/* ---- on the disk ---- */

void gateway_wishes_save(const struct gateway *g, struct buf *out)
{
	list_each(&g->desk.wish_order, l) {
		const struct gateway_wishes *w = list_of(l, struct gateway_wishes, in_order);

		memo_put_wish(out, &(struct memo_wish){text_of(w->key), text_of(w->model),
		                                       text_of(w->verbose)});
	}
}

void gateway_wishes_load(void *of, const struct memo_wish *w)
{
	if (w->model.len)
		set_wish(of, w->key, true, w->model);
	if (w->verbose.len)
		set_wish(of, w->key, false, w->verbose);
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

/* found: the model's own name, or NULL. */
static bool check_model(const struct gateway_call *call, const struct gateway_place *place,
                        yyjson_val *value, char **found, struct error *why)
{
	const struct gateway_options *o = &call->gateway->options;
	struct wanted_model w = {json_text(value), gateway_key_agent(buf_text(&place->key)),
	                         buf_text(&place->source)};

	*found = NULL;
	if (!yyjson_is_str(value))
		return true;
	o->models(o->self, look_at_model, &w);
	*found = w.found;
	if (!w.count)
		return error_set(why, "the agent chooses its model itself");
	return w.found || error_set(why, "the agent has no model '%.*s'", TEXT_ARG(w.name));
}

bool gateway_can_wish_model(const struct gateway_call *call, const struct gateway_place *place,
                            yyjson_val *value, struct error *why)
{
	char *found;
	bool can = check_model(call, place, value, &found, why);

	free(found);
	return can;
}

void gateway_wish_model(const struct gateway_call *call, const struct gateway_place *place,
                        yyjson_val *value)
{
	struct error why;
	char *found;

	if (!value)
		return;
	if (check_model(call, place, value, &found, &why))
		set_wish(call->gateway, buf_text(&place->key), true, text_of(found));
	free(found);
}

struct text gateway_wished_model(const struct gateway *g, struct text key)
{
	const struct gateway_wishes *w = map_get(&g->desk.wishes, key);

	return text_of(w ? w->model : NULL);
}

void gateway_wish_verbose(const struct gateway_call *call, const struct gateway_place *place,
                          yyjson_val *value)
{
	if (value)
		set_wish(call->gateway, buf_text(&place->key), false, json_text(value));
}

void gateway_put_wishes(const struct gateway *g, struct text key, struct buf *out)
{
	const struct gateway_wishes *w = map_get(&g->desk.wishes, key);

	if (w && w->model)
		put_word(out, "model", w->model);
	if (w && w->verbose)
		put_word(out, "verboseLevel", w->verbose);
}

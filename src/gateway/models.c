/* models.c - the models that can be asked, and those that sessions were seen with. */
#include "base/put.h"
#include "crew/crew.h"
#include "gateway/inside.h"
#include "gateway/keys.h"
#include "gateway/methods.h"

#define LIST_MAX (1 * MIB)
#define MODELS_MAX 1000
#define KEY_MAX (4 * KIB)

struct models_list {
	const struct gateway_call *call;
	struct map seen; /* provider NUL model */
	struct buf out;
	struct text provider; /* the only one that is wanted; empty: all */
	struct text source;   /* likewise */
	bool is_askable;      /* those that are added now */
};

/* The provider is where it is asked. */
static void add_model(void *of, struct text source, struct text model)
{
	struct models_list *list = of;
	struct buf key;

	if (!model.len || !source.len || list->seen.count >= MODELS_MAX ||
	    (list->provider.len && !text_equal(list->provider, source)) ||
	    (list->source.len && !text_equal(list->source, source)))
		return;
	buf_init(&key, KEY_MAX);
	buf_add(&key, source);
	buf_add_char(&key, '\0');
	buf_add(&key, model);
	if (!key.full && !map_get(&list->seen, buf_text(&key))) {
		map_set(&list->seen, buf_text(&key), list);
		put_object(&list->out, NULL);
		put_text(&list->out, "id", model);
		put_text(&list->out, "name", model);
		put_text(&list->out, "provider", source);
		put_bool(&list->out, "available", list->is_askable);
		put_end(&list->out);
	}
	buf_finish(&key);
}

static void add_seen(struct models_list *list)
{
	struct crew *crew = list->call->gateway->options.crew;

	list_each(crew_all(crew), l) {
		const struct crew_member *m = list_of(l, struct crew_member, in_all);

		if (m->words[WORD_MODEL])
			add_model(list, text_of(m->source), text_of(m->words[WORD_MODEL]));
	}
}

static bool wants_seen(const struct gateway_call *call)
{
	struct text view = json_text_at(call->params, "view");

	return !text_is(view, "configured") && !text_is(view, "provider-config");
}

void gateway_models_list(const struct gateway_call *call)
{
	const struct gateway *g = call->gateway;
	struct text agent = json_text_at(call->params, "agentId");
	struct text key = json_text_at(call->params, "sessionKey");
	struct models_list list = {call, .provider = json_text_at(call->params, "provider"),
	                           .is_askable = true};
	struct gateway_place place;

	gateway_find_place(g, key, agent, &place);
	if (agent.len || key.len)
		list.source = place.source.len ? buf_text(&place.source) : agent;
	map_init(&list.seen);
	buf_init(&list.out, LIST_MAX);
	put_object(&list.out, NULL);
	put_list(&list.out, "models");
	g->options.models(g->options.self, add_model, &list);
	list.is_askable = false;
	if (wants_seen(call))
		add_seen(&list);
	put_list_end(&list.out);
	put_end(&list.out);
	gateway_answer_buf(call, &list.out);
	buf_finish(&list.out);
	map_finish(&list.seen);
	gateway_place_finish(&place);
}

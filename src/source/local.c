/* local.c - one look at the machine, folded into the list of sources. */
#include "source/local.h"

#include "base/log.h"
#include "base/put.h"
#include "source/source.h"

static const struct local_service *find_service(const struct local_look *look, struct text id)
{
	for (size_t i = 0; i < look->count; i++)
		if (text_equal(look->services[i].id, id))
			return &look->services[i];
	return NULL;
}

static bool is_active(const struct source *s)
{
	return source_state(s) == SOURCE_CONNECTED || source_state(s) == SOURCE_CONNECTING;
}

/* One that nobody found yet has nothing to be remembered for. */
static void local_add(struct sources *sources, const struct local_service *service)
{
	struct source_wish wish = {
		.id = service->id,
		.name = service->label,
		.url = service->url,
		.protocol = service->protocol,
		.is_local = true,
	};
	struct error why;
	enum back_answer answer = sources_add(sources, &wish, &why);

	if (answer != BACK_DONE && answer != BACK_UNSAVED)
		log_warn("source", "%.*s: %s", TEXT_ARG(service->id), why.words);
	else if (service->model_count)
		source_set_models(sources_find(sources, service->id), service->models,
		                  service->model_count);
}

/* A service may have moved to another port. */
static void local_move(struct sources *sources, struct source *s,
                       const struct local_service *service)
{
	struct source_wish wish = {.url = service->url, .is_local = true};
	struct error why;

	if (!text_is(service->url, source_url(s)) &&
	    sources_change(sources, service->id, &wish, &why) != BACK_DONE)
		log_warn("source", "%.*s: %s", TEXT_ARG(service->id), why.words);
}

static void update(struct sources *sources, struct source *s, const struct local_service *service,
                   bool keeps_errors)
{
	if (service->is_hook) {
		source_set_coming(s, service->comes, service->is_there);
		return;
	}
	if (is_active(s))
		return;
	if (!service->is_there) {
		source_set_available(s, false);
		return;
	}
	local_move(sources, s, service);
	source_set_models(s, service->models, service->model_count);
	if (!keeps_errors || source_state(s) != SOURCE_ERROR)
		source_set_available(s, true);
}

void local_reconcile(struct sources *sources, const struct local_look *look)
{
	for (struct source *s = sources_next(sources, NULL); s; s = sources_next(sources, s)) {
		const struct local_service *service = find_service(look, source_id(s));

		if (!source_is_local(s))
			continue;
		if (service)
			update(sources, s, service, look->keeps_errors);
		else if (look->prefix.len && text_starts(source_id(s), look->prefix))
			source_set_available(s, false);
	}
	for (size_t i = 0; i < look->count; i++) {
		const struct local_service *service = &look->services[i];

		if (!service->is_there || sources_find(sources, service->id))
			continue;
		local_add(sources, service);
		if (service->is_hook && sources_find(sources, service->id))
			update(sources, sources_find(sources, service->id), service, false);
	}
}

/* ---- as in the documents ---- */

void local_add_json(struct buf *out, const struct local_service *s)
{
	put_object(out, NULL);
	put_text(out, "id", s->id);
	put_text(out, "label", s->label);
	put_text(out, "protocol", s->spoken.len ? s->spoken : s->protocol);
	put_text(out, "url", s->url);
	put_bool(out, "available", s->is_there);
	if (s->needs_key)
		put_bool(out, "needsApiKey", true);
	put_list(out, "models");
	for (size_t i = 0; i < s->model_count; i++)
		put_text(out, NULL, s->models[i]);
	put_list_end(out);
	put_end(out);
}

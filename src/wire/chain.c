/* chain.c - the filters of a wire, read from the document and asked in turn. */
#include <assert.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/near.h"
#include "signal/json.h"
#include "signal/pointer.h"
#include "wire/filter.h"

struct chain_link {
	const struct filter_kind *kind;
	void *self;
};

struct chain {
	size_t count;
	struct chain_link links[];
};

/* --- reading -------------------------------------------------------------- */

bool filter_number(yyjson_val *spec, const char *name, double least, double *out, struct error *why)
{
	if (json_number(yyjson_obj_get(spec, name), out) && *out >= least)
		return true;
	pointer_fault(why, "a number is wanted, %g or more", least);
	return pointer_member(why, text_of(name));
}

bool filter_text(yyjson_val *spec, const char *name, struct text *out, struct error *why)
{
	*out = json_text_at(spec, name);
	if (out->len)
		return true;
	pointer_fault(why, "a string is wanted");
	return pointer_member(why, text_of(name));
}

static const struct filter_kind *find_kind(struct text name, struct error *why)
{
	struct near near;

	near_init(&near, name);
	for (const struct filter_kind *const *kind = filter_kinds; *kind; kind++) {
		if (text_is(name, (*kind)->name))
			return *kind;
		near_offer(&near, (*kind)->name);
	}
	if (near_best(&near))
		pointer_fault(why, "there is no such filter; %s?", near_best(&near));
	else
		pointer_fault(why, "throttle, sample, delta, when or map is wanted");
	pointer_member(why, TEXT("type"));
	return NULL;
}

static bool has_param(const struct filter_kind *kind, struct text name)
{
	const char *const *param = kind->params;

	while (*param && !text_is(name, *param))
		param++;
	return *param || text_is(name, "type");
}

static bool chain_check_params(const struct filter_kind *kind, yyjson_val *spec, struct error *why)
{
	yyjson_obj_iter iter = yyjson_obj_iter_with(spec);
	yyjson_val *name;

	while ((name = yyjson_obj_iter_next(&iter))) {
		if (has_param(kind, json_text(name)))
			continue;
		pointer_fault(why, "%s has no such parameter", kind->name);
		return pointer_member(why, json_text(name));
	}
	return true;
}

static bool read_link(struct chain_link *link, yyjson_val *spec, struct error *why)
{
	if (!yyjson_is_obj(spec))
		return pointer_fault(why,
		                     "a filter is wanted, as {\"type\":\"sample\",\"every\":2}");
	link->kind = find_kind(json_text_at(spec, "type"), why);
	if (!link->kind)
		return false;
	link->self = must_zero(1, link->kind->size);
	return chain_check_params(link->kind, spec, why) && link->kind->init(link->self, spec, why);
}

static bool read_links(struct chain *chain, yyjson_val *filters, struct error *why)
{
	yyjson_arr_iter iter = yyjson_arr_iter_with(filters);
	yyjson_val *spec;

	while ((spec = yyjson_arr_iter_next(&iter)))
		if (!read_link(&chain->links[chain->count++], spec, why))
			return pointer_item(why, chain->count - 1);
	assert(chain->count == yyjson_arr_size(filters));
	return true;
}

struct chain *chain_create(yyjson_val *filters, bool *good, struct error *why)
{
	struct chain *chain;

	*good = !filters || yyjson_is_null(filters) || yyjson_is_arr(filters);
	if (!*good)
		pointer_fault(why, "a list of filters is wanted");
	if (yyjson_arr_size(filters) > FILTER_CHAIN_MAX)
		*good = pointer_fault(why, "more than %d filters", FILTER_CHAIN_MAX);
	if (!*good || yyjson_arr_size(filters) == 0)
		return NULL;
	chain = must_zero(1, sizeof(*chain) + yyjson_arr_size(filters) * sizeof(struct chain_link));
	*good = read_links(chain, filters, why);
	if (*good)
		return chain;
	chain_destroy(chain);
	return NULL;
}

void chain_destroy(struct chain *chain)
{
	if (!chain)
		return;
	for (size_t i = 0; i < chain->count; i++) {
		struct chain_link *link = &chain->links[i];

		if (link->self && link->kind->finish)
			link->kind->finish(link->self);
		free(link->self);
	}
	free(chain);
}

/* --- passing -------------------------------------------------------------- */

bool chain_passes(struct chain *chain, struct cue *cue, double now_ms)
{
	for (size_t i = 0; chain && i < chain->count; i++) {
		struct chain_link *link = &chain->links[i];

		if (!link->kind->passes(link->self, cue, now_ms))
			return false;
	}
	return true;
}

/* --- remembering ---------------------------------------------------------- */

void chain_save(const struct chain *chain, struct buf *out)
{
	buf_add_char(out, '[');
	for (size_t i = 0; chain && i < chain->count; i++) {
		const struct chain_link *link = &chain->links[i];

		if (i)
			buf_add_char(out, ',');
		if (link->kind->save)
			link->kind->save(link->self, out);
		else
			buf_add(out, TEXT("null"));
	}
	buf_add_char(out, ']');
}

void chain_load(struct chain *chain, yyjson_val *saved)
{
	for (size_t i = 0; chain && i < chain->count; i++) {
		struct chain_link *link = &chain->links[i];

		if (link->kind->load)
			link->kind->load(link->self, yyjson_arr_get(saved, i));
	}
}

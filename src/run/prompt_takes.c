/* prompt_takes.c - which values answer a question, and who may give them. */
#include <stdlib.h>

#include "base/must.h"
#include "run/inside.h"

/* A need that is not known is nobody's to meet; so it is the greatest that there is. */
bool prompt_option_needs(yyjson_val *option)
{
	return yyjson_obj_get(option, "needs") != NULL;
}

static bool is_edited(yyjson_val *value)
{
	return yyjson_obj_get(value, "edit") != NULL;
}

/* Which option this value chooses, from one; 0: none. */
static size_t find_option(yyjson_val *options, yyjson_val *value)
{
	yyjson_val *chosen = is_edited(value) ? yyjson_obj_get(value, "value") : NULL;
	yyjson_arr_iter it = yyjson_arr_iter_with(options);
	yyjson_val *option;
	size_t place = 0;

	while ((option = yyjson_arr_iter_next(&it))) {
		yyjson_val *its = yyjson_obj_get(option, "value");

		place++;
		if (yyjson_equals(its, value) ||
		    (chosen && yyjson_obj_get(option, "edit") && yyjson_equals(its, chosen)))
			return place;
	}
	return 0;
}

static bool takes_each(yyjson_val *options, yyjson_val *values, bool *seen, struct error *why)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(values);
	yyjson_val *value;

	while ((value = yyjson_arr_iter_next(&it))) {
		size_t place = find_option(options, value);

		if (!place)
			return error_set(why, "number %zu of it is none of the options", it.idx);
		if (seen[place - 1])
			return error_set(why, "number %zu of it is there twice", it.idx);
		seen[place - 1] = true;
	}
	return true;
}

static bool takes_some(yyjson_val *options, yyjson_val *values, struct error *why)
{
	size_t count = yyjson_arr_size(options);
	bool *seen, good;

	if (!yyjson_is_arr(values))
		return error_set(why, "an array of values of the options is needed");
	if (yyjson_arr_size(values) > count)
		return error_set(why, "there are only %zu options", count);
	seen = must_zero(count + 1, sizeof(*seen));
	good = takes_each(options, values, seen, why);
	free(seen);
	return good;
}

static yyjson_doc *read_back(const char *json)
{
	return yyjson_read(json ? json : "", json ? strlen(json) : 0, YYJSON_READ_BIGNUM_AS_RAW);
}

bool prompt_takes(const struct prompt *p, yyjson_val *value, struct error *why)
{
	yyjson_doc *doc;
	yyjson_val *options;
	bool good;

	if (p->type == PROMPT_TEXT)
		return yyjson_is_str(value) || error_set(why, "a string is needed");
	if (p->type == PROMPT_CONFIRM)
		return yyjson_is_bool(value) || error_set(why, "true or false is needed");
	doc = read_back(p->options);
	options = yyjson_doc_get_root(doc);
	if (p->type == PROMPT_MULTI)
		good = takes_some(options, value, why);
	else
		good = find_option(options, value) || error_set(why, "it is none of the options");
	yyjson_doc_free(doc);
	return good;
}

static bool chooses_control(yyjson_val *options, yyjson_val *value)
{
	size_t place = find_option(options, value);

	return place &&
	       (is_edited(value) || prompt_option_needs(yyjson_arr_get(options, place - 1)));
}

bool prompt_needs_control(const struct prompt *p, yyjson_val *value)
{
	yyjson_doc *doc = read_back(p->options);
	yyjson_val *options = yyjson_doc_get_root(doc), *one;
	yyjson_arr_iter it = yyjson_arr_iter_with(value);
	bool needs = chooses_control(options, value);

	while (!needs && (one = yyjson_arr_iter_next(&it)))
		needs = chooses_control(options, one);
	yyjson_doc_free(doc);
	return needs;
}

/* ---- what is offered ---- */

/* All of it but what may be changed: to change it needs control. */
static void add_plain_option(struct buf *out, yyjson_val *option)
{
	static const char *const without[] = {"edit", NULL};

	json_add_members(out, option, without, '{');
	buf_add_char(out, '}');
}

/* Those that need nothing more; NULL: there is none. */
static char *plain_options(const struct prompt *p)
{
	yyjson_doc *doc = read_back(p->options);
	yyjson_arr_iter it = yyjson_arr_iter_with(yyjson_doc_get_root(doc));
	const char *between = "[";
	char *made = NULL;
	yyjson_val *option;
	struct buf out;

	buf_init(&out, 2 * PROMPT_OPTIONS_MAX);
	while ((option = yyjson_arr_iter_next(&it))) {
		if (prompt_option_needs(option))
			continue;
		buf_add(&out, text_of(between));
		add_plain_option(&out, option);
		between = ",";
	}
	buf_add_char(&out, ']');
	if (*between == ',' && !out.full)
		made = text_dup(buf_text(&out));
	buf_finish(&out);
	yyjson_doc_free(doc);
	return made;
}

static bool is_plain(const struct prompt *p, const char *value)
{
	yyjson_doc *doc = read_back(value);
	bool needs = doc && prompt_needs_control(p, yyjson_doc_get_root(doc));

	yyjson_doc_free(doc);
	return !needs;
}

void offered_options_init(struct offered_options *offer, const struct prompt *p, enum answers may)
{
	*offer = (struct offered_options){.options = p->options, .other = p->other};
	if (may == ANSWERS_ALL || !p->options)
		return;
	offer->options = offer->made = plain_options(p);
	if (!is_plain(p, p->other))
		offer->other = NULL;
}

void offered_options_finish(struct offered_options *offer)
{
	free(offer->made);
}

bool prompt_is_answerable(const struct prompt *p, enum answers may)
{
	struct offered_options offer;
	bool is_offered;

	if (may != ANSWERS_PLAIN || !p->options)
		return may != ANSWERS_NOTHING;
	offered_options_init(&offer, p, may);
	is_offered = offer.options != NULL;
	offered_options_finish(&offer);
	return is_offered;
}

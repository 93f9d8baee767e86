/* subscribe.c - what a client of our own dialect wants to hear: signals, and more than those. */
#include <yyjson.h>

#include "native/inside.h"
#include "net/account.h"

typedef bool add_word_fn(struct filter *filter, struct text word, struct error *why);

static bool read_words(yyjson_val *list, const char *name, struct filter *filter, add_word_fn *add,
                       struct error *why)
{
	yyjson_val *word;
	yyjson_arr_iter it;

	if (!list)
		return true;
	if (!yyjson_is_arr(list))
		return error_set(why, "%s must be a list of strings", name);
	yyjson_arr_iter_init(list, &it);
	while ((word = yyjson_arr_iter_next(&it))) {
		struct text t = {yyjson_get_str(word), yyjson_get_len(word)};

		if (!yyjson_is_str(word))
			return error_set(why, "%s must be a list of strings", name);
		if (!add(filter, t, why))
			return false;
	}
	return true;
}

static bool read_after(yyjson_val *after, struct subscription *wish, struct error *why)
{
	struct text words = {yyjson_get_str(after), yyjson_get_len(after)};

	if (!after)
		return true;
	wish->has_after = true;
	if (yyjson_is_uint(after)) {
		wish->after.all[0].seq = yyjson_get_uint(after);
		wish->after.count = 1;
		return true;
	}
	return (yyjson_is_str(after) && positions_parse(words, &wish->after)) ||
	       error_set(why, "after: " POSITIONS_WORDS);
}

/* true: from now on; a number: from the version that was seen. */
static bool read_stage(yyjson_val *stage, struct native_wish *wish, struct error *why)
{
	wish->version = yyjson_get_uint(stage);
	wish->stage = yyjson_is_uint(stage) || yyjson_get_bool(stage);
	return !stage || yyjson_is_uint(stage) || yyjson_is_bool(stage) ||
	       error_set(why, "stage must be true, false or a version");
}

static bool read_switch(yyjson_val *op, const char *name, bool *out, struct error *why)
{
	yyjson_val *given = yyjson_obj_get(op, name);

	*out = yyjson_get_bool(given);
	return !given || yyjson_is_bool(given) || error_set(why, "%s must be true or false", name);
}

static bool read_wish(yyjson_val *op, struct native_wish *wish, struct error *why)
{
	struct filter *filter = &wish->on.filter;
	yyjson_val *correlation = yyjson_obj_get(op, "correlationId");
	yyjson_val *slow = yyjson_obj_get(op, "slow");
	struct text id = {yyjson_get_str(correlation), yyjson_get_len(correlation)};
	struct text policy = {yyjson_get_str(slow), yyjson_get_len(slow)};

	if (!read_words(yyjson_obj_get(op, "types"), "types", filter, filter_add_type, why) ||
	    !read_words(yyjson_obj_get(op, "sources"), "sources", filter, filter_add_source, why) ||
	    !read_after(yyjson_obj_get(op, "after"), &wish->on, why) ||
	    !read_stage(yyjson_obj_get(op, "stage"), wish, why))
		return false;
	if (correlation && !yyjson_is_str(correlation))
		return error_set(why, "correlationId must be a string");
	if (correlation && !filter_set_correlation(filter, id, why))
		return false;
	if (slow && !yyjson_is_str(slow))
		return error_set(why, "slow must be a string");
	if (!read_switch(op, "sourceState", &wish->sources, why) ||
	    !read_switch(op, "prompts", &wish->prompts, why) ||
	    !read_switch(op, "crew", &wish->crew, why) ||
	    !read_switch(op, "matters", &wish->matters, why))
		return false;
	return !slow || slow_policy_parse(policy, &wish->on.policy, why);
}

/* A slip of the pen must not become a subscription to everything. */
static const char *unknown_member(yyjson_val *op)
{
	static const char *const known[] = {"op",      "ref",           "after", "types",
	                                    "sources", "correlationId", "slow",  "sourceState",
	                                    "stage",   "prompts",       "crew",  "matters",
	                                    NULL};
	yyjson_obj_iter it = yyjson_obj_iter_with(op);
	yyjson_val *key;

	while ((key = yyjson_obj_iter_next(&it))) {
		unsigned i = 0;

		while (known[i] && strcmp(known[i], yyjson_get_str(key)) != 0)
			i++;
		if (!known[i])
			return yyjson_get_str(key);
	}
	return NULL;
}

static struct native_view *view_of(struct client *c)
{
	struct native *native = client_of_dialect(c);
	struct native_view *view = client_view(c);

	if (view->client)
		return view;
	view->client = c;
	list_init(&view->in_followers);
	list_add(&native->views, &view->in_all);
	return view;
}

/* What is said may be too much for a client that does not read: then it is gone, and its view
 * with it. */
static void follow(struct client *c, const struct native_wish *wish)
{
	struct native_view *view = view_of(c);

	view->hears_sources = wish->sources;
	view->hears_prompts = view->owed_prompts = false;
	if (wish->sources)
		native_say_sources(view);
	if (wish->prompts && c->state != CLIENT_CLOSING)
		native_follow_prompts(view);
	if (wish->crew && c->state != CLIENT_CLOSING)
		native_follow_crew(view);
	else
		native_leave_crew(view);
	view->hears_matters = view->owed_matters = false;
	if (wish->matters && c->state != CLIENT_CLOSING)
		native_follow_matters(view);
	if (c->state == CLIENT_CLOSING)
		return;
	if (wish->stage)
		native_follow_stage(view, wish->version);
	else
		native_leave_stage(view);
}

/* Whatever signal comes after the acknowledgement is of this subscription. */
static void begin_subscription(struct client *c, struct native_wish *wish, struct text ref)
{
	if (ref.len)
		native_acknowledge(c, ref);
	if (c->state == CLIENT_CLOSING)
		return;
	client_subscribe(c, &wish->on);
	if (wish->sources || wish->prompts || wish->stage || wish->crew || wish->matters ||
	    client_has_view(c))
		follow(c, wish);
}

void native_subscribe(struct client *c, yyjson_val *op, struct text ref)
{
	const char *unknown = unknown_member(op);
	struct native_wish wish = {.on.policy = SLOW_RESUME};
	struct error why;

	if (!(c->scopes & SCOPE_OBSERVE)) {
		native_say_error(c, "forbidden", "subscribe needs the scope observe", ref);
		return;
	}
	if (!c->tape && !account_may_subscribe(c->account)) {
		native_say_error(c, "too_many",
		                 "this credential has as many subscriptions as it may have", ref);
		return;
	}
	filter_init(&wish.on.filter);
	if ((!unknown || error_set(&why, "subscribe knows no %.80s", unknown)) &&
	    read_wish(op, &wish, &why))
		begin_subscription(c, &wish, ref);
	else
		native_say_error(c, "invalid", why.words, ref);
	filter_finish(&wish.on.filter);
}

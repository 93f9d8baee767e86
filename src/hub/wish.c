/* wish.c - reading a subscription from a query and a header. */
#include "hub/wish.h"

#include "net/http.h"

#define WISH_VALUE_MAX (8 * KIB)

typedef bool add_word_fn(struct filter *filter, struct text word, struct error *why);

static bool add_words(struct filter *filter, struct text list, add_word_fn *add, struct error *why)
{
	do {
		if (!add(filter, text_cut(list, ',', &list), why))
			return false;
	} while (list.at);
	return true;
}

static bool read_position(struct subscription *wish, struct text value, struct error *why)
{
	wish->has_after = true;
	if (position_parse(value, &wish->after))
		return true;
	return error_set(why, "a position is SEQ or EPOCH-SEQ, not %.*s", TEXT_ARG(value));
}

static bool read_param(struct subscription *wish, struct text name, struct text value,
                       struct error *why)
{
	if (text_is(name, "after"))
		return read_position(wish, value, why);
	if (text_is(name, "type"))
		return add_words(&wish->filter, value, filter_add_type, why);
	if (text_is(name, "source"))
		return add_words(&wish->filter, value, filter_add_source, why);
	if (text_is(name, "correlationId"))
		return filter_set_correlation(&wish->filter, value, why);
	if (text_is(name, "slow"))
		return slow_policy_parse(value, &wish->policy, why);
	/* Others are somebody else's: mode, ticket, token. */
	return true;
}

/* Each name=value of the query on its own, so that a repeated one adds up. */
static bool read_params(struct subscription *wish, struct text query, struct error *why)
{
	struct buf value;
	bool ok = true;

	buf_init(&value, WISH_VALUE_MAX);
	while (ok && query.len) {
		struct text one = text_cut(query, '&', &query), rest;
		struct text name = text_cut(one, '=', &rest);
		char plain[32];

		if (name.len >= sizeof(plain))
			continue;
		memcpy(plain, name.at, name.len);
		plain[name.len] = '\0';
		buf_clear(&value);
		if (!rest.at)
			continue;
		ok = http_query(one, plain, &value)
		             ? read_param(wish, name, buf_text(&value), why)
		             : error_set(why, "the value of %s is badly encoded", plain);
	}
	buf_finish(&value);
	return ok;
}

bool wish_read(struct subscription *wish, const struct http *http, struct error *why)
{
	struct text last = http_field(http, "Last-Event-ID");

	*wish = (struct subscription){.policy = SLOW_RESUME};
	filter_init(&wish->filter);
	if (!read_params(wish, http_request(http)->query, why))
		return false;
	return last.len == 0 || read_position(wish, last, why);
}

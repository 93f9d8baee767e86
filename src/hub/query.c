/* query.c - reading a subscription from a query and a header. */
#include "hub/query.h"

#include "net/http.h"

static bool read_position(struct subscription *wish, struct text value, struct error *why)
{
	wish->has_after = true;
	return positions_parse(value, &wish->after) || error_set(why, POSITIONS_WORDS);
}

/* What whoever looked at the credential has read. */
static bool is_credential(struct text name)
{
	return text_is(name, "ticket") || text_is(name, "token");
}

static bool read_mode(struct subscription *wish, struct text value, struct error *why)
{
	wish->sends_only = text_is(value, "send");
	return wish->sends_only || error_set(why, "a mode other than both ways is send");
}

static bool read_param(void *self, struct text name, struct text value, struct error *why)
{
	struct subscription *wish = self;

	if (text_is(name, "after"))
		return read_position(wish, value, why);
	if (text_is(name, "type"))
		return filter_add_types(&wish->filter, value, why);
	if (text_is(name, "source"))
		return filter_add_sources(&wish->filter, value, why);
	if (text_is(name, "correlationId"))
		return filter_set_correlation(&wish->filter, value, why);
	if (text_is(name, "slow"))
		return slow_policy_parse(value, &wish->policy, why);
	if (text_is(name, "mode"))
		return read_mode(wish, value, why);
	return is_credential(name) || error_set(why, "there is no such parameter");
}

bool hub_query_read(struct subscription *wish, const struct http *http, struct error *why)
{
	struct text last = http_field(http, "Last-Event-ID");

	*wish = (struct subscription){.policy = SLOW_RESUME};
	filter_init(&wish->filter);
	if (!http_query_each(http_request(http)->query, read_param, wish, why))
		return false;
	return last.len == 0 || read_position(wish, last, why);
}

bool hub_query_check(const struct http *http, struct error *why)
{
	struct subscription wish;
	bool ok = hub_query_read(&wish, http, why);

	filter_finish(&wish.filter);
	return ok;
}

static bool read_credential(void *self, struct text name, struct text value, struct error *why)
{
	return is_credential(name) || error_set(why, "there is no such parameter");
}

bool hub_query_check_none(const struct http *http, struct error *why)
{
	return http_query_each(http_request(http)->query, read_credential, NULL, why);
}

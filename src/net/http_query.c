/* http_query.c - the name=value pairs behind the question mark. */
#include "net/http_query.h"

#include "base/hex.h"

#define VALUE_MAX (8 * KIB)
#define NAME_SHOWN 40

/* A NUL that somebody took the trouble to encode is never meant well. */
bool http_decode(struct text t, struct buf *out)
{
	for (size_t i = 0; i < t.len; i++) {
		int c = (unsigned char)t.at[i];

		if (c == '%') {
			if (t.len - i < 3 || hex_digit(t.at[i + 1]) < 0 ||
			    hex_digit(t.at[i + 2]) < 0)
				return false;
			c = hex_digit(t.at[i + 1]) << 4 | hex_digit(t.at[i + 2]);
			i += 2;
		}
		if (c == 0 || !buf_add_char(out, (char)c))
			return false;
	}
	return true;
}

/* The same with '+' for a space, as forms write it. */
static bool decode(struct text t, struct buf *out)
{
	struct text rest = t;

	while (rest.at) {
		if (!http_decode(text_cut(rest, '+', &rest), out) ||
		    (rest.at && !buf_add_char(out, ' ')))
			return false;
	}
	return true;
}

static bool http_query_find(struct text query, const char *name, struct text *value)
{
	while (query.len) {
		struct text pair = text_cut(query, '&', &query);

		if (text_is(text_cut(pair, '=', value), name))
			return true;
	}
	return false;
}

bool http_query_has(struct text query, const char *name)
{
	struct text value;

	return http_query_find(query, name, &value);
}

bool http_query(struct text query, const char *name, struct buf *out)
{
	struct text value;

	buf_clear(out);
	return http_query_find(query, name, &value) && decode(value, out);
}

static bool take_pair(struct text pair, http_parameter_fn *take, void *self, struct error *why)
{
	struct text value, name = text_cut(pair, '=', &value);
	struct buf decoded;
	bool ok;

	buf_init(&decoded, VALUE_MAX);
	if (decode(value, &decoded))
		ok = take(self, name, buf_text(&decoded), why);
	else
		ok = error_set(why, "too long or badly encoded");
	buf_finish(&decoded);
	if (name.len > NAME_SHOWN)
		name.len = NAME_SHOWN;
	return ok || error_within(why, "%.*s", TEXT_ARG(name));
}

bool http_query_each(struct text query, http_parameter_fn *take, void *self, struct error *why)
{
	while (query.len) {
		struct text pair = text_cut(query, '&', &query);

		if (pair.len && !take_pair(pair, take, self, why))
			return false;
	}
	return true;
}

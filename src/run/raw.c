/* raw.c - finding the bytes of a value in a text that is known to be JSON. */
#include "run/raw.h"

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Behind the quote that ends the string whose first character is at `at`. */
static size_t string_end(struct text raw, size_t at)
{
	while (raw.at[at] != '"')
		at += raw.at[at] == '\\' ? 2 : 1;
	return at + 1;
}

static size_t container_end(struct text raw, size_t at)
{
	unsigned depth = 0;

	for (;;) {
		char c = raw.at[at++];

		if (c == '"')
			at = string_end(raw, at);
		else if (c == '{' || c == '[')
			depth++;
		else if ((c == '}' || c == ']') && --depth == 0)
			return at;
	}
}

static size_t value_end(struct text raw, size_t at)
{
	if (raw.at[at] == '"')
		return string_end(raw, at + 1);
	if (raw.at[at] == '{' || raw.at[at] == '[')
		return container_end(raw, at);
	while (at < raw.len && !is_space(raw.at[at]) && !strchr(",}]", raw.at[at]))
		at++;
	return at;
}

struct text raw_value(const struct json_reader *reader, struct text raw, yyjson_val *key)
{
	size_t at = string_end(raw, (size_t)(yyjson_get_str(key) - reader->copy.at));

	while (is_space(raw.at[at]) || raw.at[at] == ':')
		at++;
	return (struct text){raw.at + at, value_end(raw, at) - at};
}

yyjson_val *raw_key(yyjson_val *object, const char *name)
{
	yyjson_obj_iter it = yyjson_obj_iter_with(object);
	yyjson_val *key;

	while ((key = yyjson_obj_iter_next(&it)))
		if (yyjson_equals_str(key, name))
			return key;
	return NULL;
}

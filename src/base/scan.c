/* scan.c - stepping over JSON values without reading them. */
#include "base/scan.h"

#include <assert.h>

static void skip_space(struct scan *s)
{
	while (s->at < s->end &&
	       (*s->at == ' ' || *s->at == '\t' || *s->at == '\n' || *s->at == '\r'))
		s->at++;
}

static bool eat(struct scan *s, char c)
{
	skip_space(s);
	if (s->at == s->end || *s->at != c)
		return false;
	s->at++;
	return true;
}

static bool scan_fail(struct scan *s)
{
	s->bad = true;
	return false;
}

/* From behind the opening quote to behind the closing one.  What a backslash stands
 * before is stepped over; so is a control character, which is not ours to refuse. */
static bool scan_skip_string(struct scan *s)
{
	assert(s->at <= s->end);
	for (;;) {
		s->at = scan_stop(s->at, s->end);
		if (s->at == s->end)
			return scan_fail(s);
		if (*s->at == '"') {
			s->at++;
			return true;
		}
		s->at += *s->at == '\\' && s->end - s->at > 1 ? 2 : 1;
	}
}

static bool scan_skip_container(struct scan *s)
{
	unsigned depth = 0;

	assert(s->at < s->end && (*s->at == '{' || *s->at == '['));
	while (s->at < s->end) {
		char c = *s->at++;

		if (c == '"') {
			if (!scan_skip_string(s))
				return false;
		} else if (c == '{' || c == '[') {
			depth++;
		} else if ((c == '}' || c == ']') && --depth == 0) {
			return true;
		}
	}
	return scan_fail(s);
}

static bool skip_value(struct scan *s)
{
	assert(s->at <= s->end);
	if (s->at == s->end)
		return scan_fail(s);
	if (*s->at == '{' || *s->at == '[')
		return scan_skip_container(s);
	if (*s->at == '"') {
		s->at++;
		return scan_skip_string(s);
	}
	/* A byte beyond ASCII belongs to it, whether the machine's char has a sign or not. */
	while (s->at < s->end && (uint8_t)*s->at > ' ' && *s->at != ',' && *s->at != '}' &&
	       *s->at != ']')
		s->at++;
	return true;
}

/* The empty text may have no place at all, from which none can be counted. */
static struct scan scan_of(struct text t)
{
	const char *at = t.at ? t.at : "";

	return (struct scan){at, at + t.len, .first = true};
}

void scan_object(struct scan *scan, struct text object)
{
	*scan = scan_of(object);
	if (!eat(scan, '{'))
		scan->bad = true;
}

void scan_array(struct scan *scan, struct text array)
{
	*scan = scan_of(array);
	if (!eat(scan, '['))
		scan->bad = true;
}

bool scan_key(struct scan *scan, struct text *key)
{
	if (scan->bad || eat(scan, '}'))
		return false;
	if (!scan->first && !eat(scan, ','))
		return scan_fail(scan);
	scan->first = false;
	if (!eat(scan, '"'))
		return scan_fail(scan);
	key->at = scan->at;
	if (!scan_skip_string(scan))
		return false;
	key->len = (size_t)(scan->at - 1 - key->at);
	if (!eat(scan, ':'))
		return scan_fail(scan);
	skip_space(scan);
	return true;
}

bool scan_value(struct scan *scan, struct text *value)
{
	value->at = scan->at;
	if (!skip_value(scan))
		return false;
	value->len = (size_t)(scan->at - value->at);
	return true;
}

bool scan_member(struct scan *scan, struct text *key, struct text *value)
{
	return scan_key(scan, key) && scan_value(scan, value);
}

bool scan_item(struct scan *scan, struct text *value)
{
	if (scan->bad || eat(scan, ']'))
		return false;
	if (!scan->first && !eat(scan, ','))
		return scan_fail(scan);
	scan->first = false;
	skip_space(scan);
	return scan_value(scan, value);
}

struct text scan_rest(const struct scan *scan)
{
	struct text rest = text_trim((struct text){scan->at, (size_t)(scan->end - scan->at)});

	assert(scan->at <= scan->end);
	if (rest.len == 0 || rest.at[rest.len - 1] != '}')
		return (struct text){NULL, 0};
	return text_trim((struct text){rest.at, rest.len - 1});
}

bool scan_is_over(struct scan *scan)
{
	skip_space(scan);
	return !scan->bad && scan->at == scan->end;
}

static bool is_before_value(char c)
{
	return c == ',' || c == ':' || c == '[';
}

/* Those in strings count, too: sixteen bytes at a time, and never too few. */
static size_t most_values(struct text json)
{
	typedef uint8_t bytes __attribute__((vector_size(16)));
	size_t count = 1, at = 0;

	while (json.len - at >= 16) {
		bytes sums = {0};

		for (int i = 0; i < UINT8_MAX && json.len - at >= 16; i++, at += 16) {
			bytes b;

			memcpy(&b, json.at + at, 16);
			sums -= (bytes)((b == ',') | (b == ':') | (b == '['));
		}
		for (int i = 0; i < 16; i++)
			count += sums[i];
	}
	for (; at < json.len; at++)
		count += is_before_value(json.at[at]);
	return count;
}

bool scan_has_more(struct text json, size_t values)
{
	struct scan s = scan_of(json);
	size_t count = 1;

	if (most_values(json) <= values)
		return false;
	while (s.at < s.end && count <= values) {
		char c = *s.at++;

		if (c != '"')
			count += is_before_value(c);
		else if (!scan_skip_string(&s))
			break;
	}
	return count > values;
}

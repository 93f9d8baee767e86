/* scan.c - stepping over JSON values without reading them. */
#include "base/scan.h"

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

static bool fail(struct scan *s)
{
	s->bad = true;
	return false;
}

/* From behind the opening quote to behind the closing one: a quote closes when
 * an even number of backslashes stands before it. */
static bool skip_string(struct scan *s)
{
	const char *start = s->at;

	for (;;) {
		const char *quote =
			s->at < s->end ? memchr(s->at, '"', (size_t)(s->end - s->at)) : NULL;
		const char *back = quote;

		if (!quote)
			return fail(s);
		while (back > start && back[-1] == '\\')
			back--;
		s->at = quote + 1;
		if ((quote - back) % 2 == 0)
			return true;
	}
}

static bool skip_container(struct scan *s)
{
	unsigned depth = 0;

	while (s->at < s->end) {
		char c = *s->at++;

		if (c == '"') {
			if (!skip_string(s))
				return false;
		} else if (c == '{' || c == '[') {
			depth++;
		} else if ((c == '}' || c == ']') && --depth == 0) {
			return true;
		}
	}
	return fail(s);
}

static bool skip_value(struct scan *s)
{
	if (s->at == s->end)
		return fail(s);
	if (*s->at == '{' || *s->at == '[')
		return skip_container(s);
	if (*s->at == '"') {
		s->at++;
		return skip_string(s);
	}
	while (s->at < s->end && !strchr(",}] \t\r\n", *s->at))
		s->at++;
	return true;
}

void scan_object(struct scan *scan, struct text object)
{
	*scan = (struct scan){object.at, object.at + object.len, .first = true};
	if (!eat(scan, '{'))
		scan->bad = true;
}

bool scan_member(struct scan *scan, struct text *key, struct text *value)
{
	if (scan->bad || eat(scan, '}'))
		return false;
	if (!scan->first && !eat(scan, ','))
		return fail(scan);
	scan->first = false;
	if (!eat(scan, '"'))
		return fail(scan);
	key->at = scan->at;
	if (!skip_string(scan))
		return false;
	key->len = (size_t)(scan->at - 1 - key->at);
	if (!eat(scan, ':'))
		return fail(scan);
	skip_space(scan);
	value->at = scan->at;
	if (!skip_value(scan))
		return false;
	value->len = (size_t)(scan->at - value->at);
	return true;
}

bool scan_is_over(struct scan *scan)
{
	skip_space(scan);
	return !scan->bad && scan->at == scan->end;
}

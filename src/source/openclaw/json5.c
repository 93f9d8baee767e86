/* json5.c - quotes are the whole difference that yyjson does not read by itself:
 * they are put where JSON wants them, and it reads the rest. */
#include "source/openclaw/json5.h"

#include <stdlib.h>

#define NAME_MAX_LEN 128

/* Where we are in the text. */
struct json5_pen {
	struct text in;
	size_t at;
	struct buf *out;
};

static char peek(const struct json5_pen *p, size_t ahead)
{
	return p->at + ahead < p->in.len ? p->in.at[p->at + ahead] : '\0';
}

static void json5_copy(struct json5_pen *p, size_t n)
{
	if (n > p->in.len - p->at)
		n = p->in.len - p->at;
	buf_add(p->out, (struct text){p->in.at + p->at, n});
	p->at += n;
}

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* A comment means nothing, and may hold what looks like quotes. */
static void skip_comment(struct json5_pen *p)
{
	bool is_line = peek(p, 1) == '/';

	for (p->at += 2; p->at < p->in.len; p->at++) {
		if (is_line && peek(p, 0) == '\n')
			return;
		if (!is_line && peek(p, 0) == '*' && peek(p, 1) == '/') {
			p->at += 2;
			return;
		}
	}
}

static bool is_comment(const struct json5_pen *p)
{
	return peek(p, 0) == '/' && (peek(p, 1) == '/' || peek(p, 1) == '*');
}

/* Is the next thing a colon, once white space and comments are over? */
static bool colon_follows(struct json5_pen *p)
{
	size_t here = p->at;
	bool found;

	while (p->at < p->in.len) {
		char c = peek(p, 0);

		if (is_comment(p))
			skip_comment(p);
		else if (c == ' ' || c == '\t' || c == '\r' || c == '\n')
			p->at++;
		else
			break;
	}
	found = peek(p, 0) == ':';
	p->at = here;
	return found;
}

/* A name is a key if a colon follows, else true, false, null or a fault. */
static void copy_name(struct json5_pen *p)
{
	size_t n = 0;
	struct text name;

	while (is_name_char(peek(p, n)))
		n++;
	name = (struct text){p->in.at + p->at, n};
	p->at += n;
	if (colon_follows(p))
		buf_add_json(p->out, name);
	else
		buf_add(p->out, name);
}

/* An escape that JSON does not have, as one that it has. */
static void copy_escape(struct json5_pen *p)
{
	char c = peek(p, 1);

	if (c == '\r' && peek(p, 2) == '\n') {
		p->at += 3;
	} else if (c == '\n' || c == '\r') {
		p->at += 2;
	} else if (c == 'x') {
		buf_add(p->out, TEXT("\\u00"));
		p->at += 2;
		json5_copy(p, 2);
	} else if (c == 'v' || c == '0') {
		buf_add(p->out, c == 'v' ? TEXT("\\u000b") : TEXT("\\u0000"));
		p->at += 2;
	} else if (c && strchr("\"\\/bfnrtu", c)) {
		json5_copy(p, 2);
	} else { /* any other character stands for itself */
		p->at += 1;
		json5_copy(p, 1);
	}
}

static void copy_string(struct json5_pen *p)
{
	char quote = peek(p, 0);

	p->at++;
	buf_add_char(p->out, '"');
	while (p->at < p->in.len && peek(p, 0) != quote) {
		if (peek(p, 0) == '\\') {
			copy_escape(p);
		} else if (peek(p, 0) == '"') {
			buf_add(p->out, TEXT("\\\""));
			p->at++;
		} else {
			json5_copy(p, 1);
		}
	}
	if (p->at < p->in.len) {
		buf_add_char(p->out, '"');
		p->at++;
	}
}

/* Whole, so that its letters are not taken for a name. */
static void copy_number(struct json5_pen *p)
{
	char c;

	do {
		json5_copy(p, 1);
		c = peek(p, 0);
	} while (is_name_char(c) || c == '+' || c == '-' || c == '.');
}

static void copy_next(struct json5_pen *p)
{
	char c = peek(p, 0);

	if (c == '"' || c == '\'')
		copy_string(p);
	else if (is_comment(p))
		skip_comment(p);
	else if (is_name_char(c) && !(c >= '0' && c <= '9'))
		copy_name(p);
	else if (c >= '0' && c <= '9')
		copy_number(p);
	else
		json5_copy(p, 1);
}

yyjson_doc *json5_read(struct text raw, struct error *why)
{
	struct buf out;
	struct json5_pen pen = {.in = raw, .out = &out};
	yyjson_read_err fault = {0};
	yyjson_doc *doc;

	if (text_starts(raw, TEXT("\xef\xbb\xbf")))
		pen.at = 3;
	buf_init(&out, 8 * raw.len + 16);
	while (pen.at < raw.len)
		copy_next(&pen);
	doc = yyjson_read_opts(out.at, out.len, YYJSON_READ_ALLOW_TRAILING_COMMAS, NULL, &fault);
	if (!doc)
		error_set(why, "it is not JSON5: %s", fault.msg);
	buf_finish(&out);
	return doc;
}

/* ---- ${NAME} ---- */

static bool is_env_char(char c, bool first)
{
	return (c >= 'A' && c <= 'Z') || c == '_' || (!first && c >= '0' && c <= '9');
}

/* The NAME of a ${NAME} that t begins with; empty when it does not. */
static struct text env_name(struct text t)
{
	size_t n = 2;

	if (!text_starts(t, TEXT("${")))
		return (struct text){0};
	while (n < t.len && is_env_char(t.at[n], n == 2))
		n++;
	if (n == 2 || n == t.len || t.at[n] != '}' || n - 2 >= NAME_MAX_LEN)
		return (struct text){0};
	return (struct text){t.at + 2, n - 2};
}

static bool expand_one(struct text name, const char *(*env)(const char *), struct buf *out)
{
	char words[NAME_MAX_LEN];
	const char *value;

	memcpy(words, name.at, name.len);
	words[name.len] = '\0';
	value = env(words);
	return value && *value && buf_add(out, text_of(value));
}

bool json5_expand(struct text value, const char *(*env)(const char *name), struct buf *out)
{
	struct text rest = value;
	bool fits = true;

	while (fits && rest.len) {
		bool escaped = text_starts(rest, TEXT("$${"));
		struct text name = env_name((struct text){rest.at + escaped, rest.len - escaped});
		size_t taken;

		escaped = escaped && name.len;
		taken = name.len ? escaped + name.len + 3 : 1;
		if (name.len && !escaped)
			fits = expand_one(name, env, out);
		else
			fits = buf_add(out, (struct text){rest.at + escaped, taken - escaped});
		rest = (struct text){rest.at + taken, rest.len - taken};
	}
	return fits;
}

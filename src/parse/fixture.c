/* fixture.c - streams for tests. */
#include "parse/fixture.h"

#include <stdio.h>

#include "signal/json.h"
#include "signal/schema.h"

#define TAKEN_MAX (16 * MIB)

static int64_t always_one(void)
{
	return 1;
}

/* Every envelope keeps our schema, whatever came in. */
static void check_envelope(struct text envelope)
{
	struct json_reader reader;
	struct error why = {""};
	yyjson_doc *doc;

	json_reader_init(&reader, 2 * MIB);
	doc = json_read(&reader, envelope, &why);
	if (!doc || !schema_check(yyjson_doc_get_root(doc), &why))
		fail_msg("%s: %.*s", why.words, TEXT_ARG(envelope));
	assert_null(memchr(envelope.at, '\n', envelope.len));
	json_reader_finish(&reader);
}

/* Without `"name":value,` of this member, which another follows. */
static struct text skip_member(struct text json, const char *name)
{
	struct text value = json, rest;

	assert_memory_equal(json.at + 1, name, strlen(name));
	text_cut(value, ',', &rest);
	return rest;
}

static void take_signal(void *self, struct text envelope)
{
	struct taken *t = self;
	struct text rest, type, time;

	check_envelope(envelope);
	rest = skip_member((struct text){envelope.at + 1, envelope.len - 1}, "id");
	type = text_cut(rest, ',', &time);
	rest = skip_member(time, "timestamp");
	buf_add_char(&t->lines, '{');
	buf_add(&t->lines, type);
	buf_add_char(&t->lines, ',');
	buf_add(&t->lines, rest);
	buf_add_char(&t->lines, '\n');
	t->signals++;
	t->ends += text_is(type, "\"type\":\"completion\"") || text_is(type, "\"type\":\"error\"");
}

static void take_bad(void *self, const char *why)
{
	struct taken *t = self;

	t->bads++;
	error_set(&t->last_bad, "%s", why);
}

static void take_meta(void *self, struct text frame)
{
	struct taken *t = self;

	buf_add(&t->metas, frame);
	buf_add_char(&t->metas, '\n');
}

void taken_init(struct taken *t, const struct parse_kind *kind)
{
	const struct parse_options options = {
		.source = TEXT("src"),
		.correlation = TEXT("run"),
		.agent = TEXT("model"),
		.now_ms = always_one,
		.self = t,
		.signal = take_signal,
		.bad = take_bad,
		.meta = take_meta,
	};

	*t = (struct taken){0};
	buf_init(&t->lines, TAKEN_MAX);
	buf_init(&t->metas, TAKEN_MAX);
	t->parse = parse_create(kind, &options);
}

void taken_finish(struct taken *t)
{
	parse_destroy(t->parse);
	buf_finish(&t->lines);
	buf_finish(&t->metas);
}

void taken_read(struct taken *t, struct text bytes)
{
	parse_feed(t->parse, bytes);
	parse_end(t->parse, NULL);
}

static void check_same(const struct taken *t, const struct taken *whole, size_t cut)
{
	if (!text_equal(buf_text(&t->lines), buf_text(&whole->lines)))
		fail_msg("cut at %zu:\n%.*s\ninstead of\n%.*s", cut, TEXT_ARG(buf_text(&t->lines)),
		         TEXT_ARG(buf_text(&whole->lines)));
	assert_int_equal(t->bads, whole->bads);
}

static void read_in_two(const struct taken *whole, const struct parse_kind *kind, struct text bytes,
                        size_t cut)
{
	struct taken t;

	taken_init(&t, kind);
	parse_feed(t.parse, (struct text){bytes.at, cut});
	taken_read(&t, (struct text){bytes.at + cut, bytes.len - cut});
	check_same(&t, whole, cut);
	taken_finish(&t);
}

void taken_read_cut(struct taken *t, const struct parse_kind *kind, struct text bytes)
{
	struct taken single;

	taken_init(t, kind);
	taken_read(t, bytes);
	if (kind->is_answer)
		assert_int_equal(t->ends, 1);
	taken_init(&single, kind);
	for (size_t i = 0; i < bytes.len; i++)
		parse_feed(single.parse, (struct text){bytes.at + i, 1});
	parse_end(single.parse, NULL);
	check_same(&single, t, 1);
	taken_finish(&single);
	for (size_t cut = 0; cut <= bytes.len; cut++)
		read_in_two(t, kind, bytes, cut);
}

static void break_off(const struct parse_kind *kind, struct text bytes, int how)
{
	struct taken t;

	taken_init(&t, kind);
	parse_feed(t.parse, bytes);
	if (how == 0)
		parse_end(t.parse, NULL);
	else if (how == 1)
		parse_end(t.parse, "the line is dead");
	else
		parse_cancel(t.parse);
	if (t.ends != 1)
		fail_msg("%u ends after %zu bytes, way %d", t.ends, bytes.len, how);
	taken_finish(&t);
}

void taken_break_off(const struct parse_kind *kind, struct text bytes)
{
	for (size_t len = 0; len <= bytes.len; len++)
		for (int how = 0; how < 3; how++)
			break_off(kind, (struct text){bytes.at, len}, how);
}

struct text taken_line(const struct taken *t, unsigned n)
{
	struct text rest = buf_text(&t->lines), line = {NULL, 0};

	for (unsigned i = 0; i <= n; i++)
		line = text_cut(rest, '\n', &rest);
	return line;
}

unsigned taken_count(const struct taken *t, const char *type)
{
	char head[80];
	unsigned count = 0;

	snprintf(head, sizeof(head), "{\"type\":\"%s\",", type);
	for (unsigned i = 0; i < t->signals; i++)
		count += text_starts(taken_line(t, i), text_of(head));
	return count;
}

void assert_line(const struct taken *t, unsigned n, const char *json)
{
	struct text line = taken_line(t, n);

	if (!text_is(line, json))
		fail_msg("line %u is\n%.*s\ninstead of\n%s", n, TEXT_ARG(line), json);
}

bool taken_has(const struct taken *t, const char *part)
{
	return memmem(t->lines.at, t->lines.len, part, strlen(part)) != NULL;
}

void load_fixture(struct buf *out, const char *name)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "tests/fixtures/%s", name);
	file = fopen(path, "r");
	if (!file)
		fail_msg("%s: not there", path);
	buf_init(out, TAKEN_MAX);
	for (int c; (c = getc(file)) != EOF;)
		buf_add_char(out, (char)c);
	fclose(file);
}

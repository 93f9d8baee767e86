/* lines.c - a program of which nothing is known: a line that is a JSON object is
 * read as one, any other as words for people.
 *
 * What agents print is known by its shape, whatever the program is called: from the
 * first line that has one on, JSON lines are read as that protocol.
 */
#include "parse/inside.h"
#include "parse/kinds.h"
#include "parse/raw.h"

/* raw stands first: parse_raw reads the state of a stream as its own. */
struct lines_parse {
	struct raw raw;
	struct parse *inner; /* of the protocol that was known; NULL: none yet */
};

/* --- shapes ---------------------------------------------------------------------- */

static bool lines_has_text(yyjson_val *line, const char *key)
{
	return yyjson_is_str(yyjson_obj_get(line, key));
}

static bool lines_is_type(yyjson_val *line, const char *type)
{
	return yyjson_equals_str(yyjson_obj_get(line, "type"), type);
}

static bool is_claude(yyjson_val *line)
{
	if (!lines_has_text(line, "session_id"))
		return false;
	if (lines_is_type(line, "system") || lines_is_type(line, "result"))
		return lines_has_text(line, "subtype");
	return (lines_is_type(line, "assistant") || lines_is_type(line, "user")) &&
	       yyjson_is_obj(yyjson_obj_get(line, "message"));
}

static bool is_gemini(yyjson_val *line)
{
	return lines_is_type(line, "init") && lines_has_text(line, "session_id") &&
	       lines_has_text(line, "model");
}

static bool is_codex(yyjson_val *line)
{
	return lines_is_type(line, "thread.started") && lines_has_text(line, "thread_id");
}

static bool is_opencode(yyjson_val *line)
{
	return lines_has_text(line, "type") && lines_has_text(line, "sessionID") &&
	       (yyjson_is_obj(yyjson_obj_get(line, "part")) ||
	        yyjson_is_obj(yyjson_obj_get(line, "error")));
}

static bool is_pi(yyjson_val *line)
{
	return lines_is_type(line, "session") && lines_has_text(line, "id") &&
	       lines_has_text(line, "cwd") && yyjson_is_num(yyjson_obj_get(line, "version"));
}

static const struct {
	bool (*is)(yyjson_val *line);
	const struct parse_kind *kind;
} shapes[] = {
	{is_claude, &parse_claude_stream}, {is_gemini, &parse_gemini}, {is_codex, &parse_codex},
	{is_opencode, &parse_opencode},    {is_pi, &parse_pi},
};

static const struct parse_kind *shape_of(yyjson_val *line)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (shapes[i].is(line))
			return shapes[i].kind;
	return NULL;
}

/* --- the protocol that was known --------------------------------------------------- */

static void inner_signal(void *self, struct text envelope)
{
	struct parse *p = self;
	struct lines_parse *l = parse_state(p);

	p->is_over = l->inner && l->inner->is_over;
	p->options.signal(p->options.self, envelope);
	p->is_over = false; /* plain lines may follow */
}

static void inner_bad(void *self, const char *why)
{
	parse_bad(self, "%s", why);
}

static void know(struct parse *p, const struct parse_kind *kind)
{
	struct lines_parse *l = parse_state(p);
	struct parse_options options = p->options;

	options.self = p;
	options.signal = inner_signal;
	options.bad = inner_bad;
	l->inner = parse_create(kind, &options);
	if (p->keeps_correlation)
		parse_keep_correlation(l->inner);
}

/* What the lines are of is what the stream is of. */
static void lines_pass_on(struct parse *p, struct text line)
{
	struct lines_parse *l = parse_state(p);

	parse_message(l->inner, line);
}

/* --- lines ------------------------------------------------------------------------- */

static yyjson_val *object_in(struct parse *p, struct text line)
{
	yyjson_val *root;

	line = text_trim(line);
	if (line.len == 0 || line.at[0] != '{')
		return NULL;
	root = yyjson_doc_get_root(json_read(&p->json, line, NULL));
	return yyjson_is_obj(root) ? root : NULL;
}

static void lines_take(struct parse *p, const struct parse_event *event)
{
	struct lines_parse *l = parse_state(p);
	yyjson_val *object = object_in(p, event->data);
	const struct parse_kind *kind = object && !l->inner ? shape_of(object) : NULL;

	if (kind)
		know(p, kind);
	if (!object)
		parse_raw.event(p, event);
	else if (l->inner)
		lines_pass_on(p, event->data);
	else
		parse_jsonl.event(p, event);
}

static void lines_end(struct parse *p)
{
	struct lines_parse *l = parse_state(p);

	if (l->inner)
		parse_end(l->inner, NULL);
}

static void lines_destroy(struct parse *p)
{
	struct lines_parse *l = parse_state(p);

	parse_destroy(l->inner);
	parse_raw.finish(p);
}

struct parse *lines_inner(const struct parse *p)
{
	const struct lines_parse *l = p->state;

	return p->kind == &parse_lines ? l->inner : NULL;
}

const struct parse_kind parse_lines = {
	.name = "lines",
	.summary = "JSON lines, and plain ones between them",
	.framing = FRAMING_LINES,
	.takes_empty = true,
	.size = sizeof(struct lines_parse),
	.event = lines_take,
	.end = lines_end,
	.finish = lines_destroy,
};

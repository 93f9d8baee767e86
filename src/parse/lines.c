/* lines.c - a program of which nothing is known: a line that is a JSON object is
 * read as one, any other as words for people. */
#include "parse/inside.h"
#include "parse/kinds.h"

static bool is_object(struct parse *p, struct text line)
{
	line = text_trim(line);
	return line.len && line.at[0] == '{' && json_read(&p->json, line, NULL);
}

static void take(struct parse *p, const struct parse_event *event)
{
	if (is_object(p, event->data))
		parse_jsonl.event(p, event);
	else
		parse_raw.event(p, event);
}

static void destroy(struct parse *p)
{
	parse_raw.finish(p);
}

/* The state is that of `raw`; `jsonl` has none. */
const struct parse_kind parse_lines = {
	.name = "lines",
	.summary = "JSON lines, and plain ones between them",
	.framing = FRAMING_LINES,
	.size = sizeof(struct buf),
	.event = take,
	.finish = destroy,
};

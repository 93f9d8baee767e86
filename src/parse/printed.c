/* printed.c - from a line to whoever takes its type. */
#include "parse/printed.h"

#include <stdlib.h>

#include "parse/speak.h"

void printed_set(char **word, struct text value)
{
	free(*word);
	*word = text_dup(value);
}

yyjson_val *printed_read(struct parse *p, const struct parse_event *event, const char *agent)
{
	yyjson_val *line = parse_json(p, event->data);

	if (line && !yyjson_is_obj(line))
		parse_bad(p, "a line that is not an object");
	if (!yyjson_is_obj(line))
		return NULL;
	if (parse_options(p)->agent.len == 0)
		parse_set_agent(p, text_of(agent));
	return line;
}

void printed_give(struct parse *p, const struct printed_kind *kinds, yyjson_val *line)
{
	struct text type = json_text_at(line, "type");

	while (kinds->name && !text_is(type, kinds->name))
		kinds++;
	if (kinds->name)
		kinds->take(p, line);
	else
		speak_other(p, NULL, line);
}

/* printed.h - agents that print an object a line, and say in its `type` what it is. */
#ifndef PARSE_PRINTED_H
#define PARSE_PRINTED_H

#include "parse/inside.h"
#include "signal/json.h"

/* In a table that ends with one without a name. */
struct printed_kind {
	const char *name;
	void (*take)(struct parse *p, yyjson_val *line);
};

void printed_set(char **word, struct text value); /* instead of what it was */

/* The object of a line of the agent; NULL: it is none, which is said. */
yyjson_val *printed_read(struct parse *p, const struct parse_event *event, const char *agent);

/* To whoever takes its type; what nobody takes is an `event`. */
void printed_give(struct parse *p, const struct printed_kind *kinds, yyjson_val *line);

#endif

/* shape.h - what a value must look like: a row for each schema within a JSON Schema.
 *
 * The rows are made from schema/signal.schema.json and schema/show.schema.json by
 * tools/schema-tables, so that the documents that others read and the code that checks
 * are one thing.
 */
#ifndef SIGNAL_SHAPE_H
#define SIGNAL_SHAPE_H

#include <yyjson.h>

#include "base/error.h"
#include "base/text.h"

enum shape_type {
	SHAPE_ANY,
	SHAPE_NULL,
	SHAPE_BOOLEAN,
	SHAPE_NUMBER,
	SHAPE_INTEGER,
	SHAPE_STRING,
	SHAPE_ARRAY,
	SHAPE_OBJECT,
};

struct shape;

struct shape_member {
	struct text name;
	const struct shape *shape;
};

struct shape {
	enum shape_type types;
	bool has_minimum, has_maximum;
	double minimum, maximum;
	size_t least, most; /* characters or items; most 0: no limit */
	bool is_color;
	const struct text *words; /* it is one of these */
	size_t word_count;
	const struct shape *items;
	const struct shape_member *members;
	size_t member_count;
	uint32_t required;                /* a bit for each member */
	bool is_closed;                   /* no others */
	const struct shape *others;       /* what others look like; NULL: as they like */
	const struct shape *const *forms; /* it has one of these, and nothing above counts */
	size_t form_count;
};

/* `why` begins with the JSON pointer of the first fault. */
bool shape_check(const struct shape *shape, yyjson_val *value, struct error *why);

/* The same of what a program wrote and sends by the thousand: a member may come twice, and
 * nobody wonders what was meant. */
bool shape_check_quickly(const struct shape *shape, yyjson_val *value, struct error *why);

/* Only that: is it a string, an integer? */
bool shape_has_type(enum shape_type type, yyjson_val *value);

#endif

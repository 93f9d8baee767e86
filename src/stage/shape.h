/* shape.h - what a value of a show must look like: a row for each schema.
 *
 * The rows are made from schema/show.schema.json by tools/show-tables, so that the
 * document that others read and the code that checks are one thing.
 */
#ifndef STAGE_SHAPE_H
#define STAGE_SHAPE_H

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

extern const struct shape *const shape_show;

/* `why` begins with the JSON pointer of the first fault. */
bool shape_check(const struct shape *shape, yyjson_val *value, struct error *why);

#endif

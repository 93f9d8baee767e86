/* value.h - what a binding takes from a payload; inside this room. */
#ifndef CHOREO_VALUE_H
#define CHOREO_VALUE_H

#include <yyjson.h>

#include "base/text.h"

/* The field, a member named like the end of the property, `value`, or the first
 * number there is; false: there is none. */
bool value_number(yyjson_val *payload, struct text field, struct text property, double *out);

/* The field, `content`, `text`, `message`, or the first string that is not empty. */
struct text value_text(yyjson_val *payload, struct text field);

/* The field or `color`, if it is "#RGB" or "#RRGGBB". */
struct text value_color(yyjson_val *payload, struct text field);

/* The field, `position`, or the payload itself, if it has numbers x and y. */
bool value_point(yyjson_val *payload, struct text field, double *x, double *y);

/* mapping: as in the document, or NULL. */
double value_mapped(yyjson_val *mapping, double raw);

#endif

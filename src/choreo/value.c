/* value.c - finds values in payloads and maps them. */
#include "choreo/value.h"

#include "signal/json.h"

static yyjson_val *value_member(yyjson_val *payload, struct text name)
{
	return name.len ? yyjson_obj_getn(payload, name.at, name.len) : NULL;
}

/* "scale.x" -> "x" */
static struct text last_part(struct text property)
{
	for (size_t i = property.len; i > 0; i--)
		if (property.at[i - 1] == '.')
			return (struct text){property.at + i, property.len - i};
	return property;
}

bool value_number(yyjson_val *payload, struct text field, struct text property, double *out)
{
	yyjson_val *key, *value;
	size_t i, max;

	if (json_number(value_member(payload, field), out) ||
	    json_number(value_member(payload, last_part(property)), out) ||
	    json_number(value_member(payload, TEXT("value")), out))
		return true;
	yyjson_obj_foreach(payload, i, max, key, value)
	{
		if (json_number(value, out))
			return true;
	}
	return false;
}

struct text value_text(yyjson_val *payload, struct text field)
{
	const struct text names[] = {field, TEXT("content"), TEXT("text"), TEXT("message")};
	yyjson_val *key, *value;
	size_t i, max;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		value = value_member(payload, names[i]);
		if (yyjson_is_str(value))
			return json_text(value);
	}
	yyjson_obj_foreach(payload, i, max, key, value)
	{
		if (json_text(value).len)
			return json_text(value);
	}
	return (struct text){NULL, 0};
}

static bool value_is_color(struct text t)
{
	if ((t.len != 4 && t.len != 7) || t.at[0] != '#')
		return false;
	for (size_t i = 1; i < t.len; i++)
		if (t.at[i] == '\0' || !strchr("0123456789abcdefABCDEF", t.at[i]))
			return false;
	return true;
}

struct text value_color(yyjson_val *payload, struct text field)
{
	struct text color = json_text(value_member(payload, field));

	if (!value_is_color(color))
		color = json_text(value_member(payload, TEXT("color")));
	return value_is_color(color) ? color : (struct text){NULL, 0};
}

static bool read_point(yyjson_val *value, double *x, double *y)
{
	return json_number(yyjson_obj_get(value, "x"), x) &&
	       json_number(yyjson_obj_get(value, "y"), y);
}

bool value_point(yyjson_val *payload, struct text field, double *x, double *y)
{
	return read_point(value_member(payload, field), x, y) ||
	       read_point(value_member(payload, TEXT("position")), x, y) ||
	       read_point(payload, x, y);
}

static double value_end_of(yyjson_val *mapping, const char *range, size_t i)
{
	double number = 0;

	json_number(yyjson_arr_get(yyjson_obj_get(mapping, range), i), &number);
	return number;
}

static double value_limited(double value, double low, double high)
{
	return value < low ? low : value > high ? high : value;
}

double value_mapped(yyjson_val *mapping, double raw)
{
	double in_min = value_end_of(mapping, "inputRange", 0),
	       in_max = value_end_of(mapping, "inputRange", 1);
	double low = value_end_of(mapping, "outputRange", 0),
	       high = value_end_of(mapping, "outputRange", 1);
	struct text fn = json_text_at(mapping, "fn");
	double t;

	if (!mapping)
		return raw;
	if (in_max - in_min == 0)
		return low;
	t = value_limited((raw - in_min) / (in_max - in_min), 0, 1);
	if (text_is(fn, "clamp"))
		return value_limited(raw, low, high);
	if (text_is(fn, "step"))
		return t >= 0.5 ? high : low;
	if (text_is(fn, "smoothstep"))
		t = t * t * (3 - 2 * t);
	return low + t * (high - low);
}

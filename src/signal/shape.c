/* shape.c - holds a value against the rows.
 *
 * Of several forms the one is meant that has the value's JSON type and does not
 * contradict its words, such as the "type" of a filter: what is wrong with that
 * one is told.  No form overlaps another, so that is the same as trying all.
 */
#include "signal/shape.h"

#include "base/near.h"
#include "signal/json.h"
#include "signal/pointer.h"

/* A show has no use for more, and the walk goes down by calling itself. */
#define DEPTH_MAX 64

/* How it goes on the way down. */
struct shape_walk {
	unsigned depth;
	bool is_quick;
};

static bool check(const struct shape *shape, yyjson_val *value, struct shape_walk walk,
                  struct error *why);

static bool shape_is_whole(yyjson_val *value)
{
	const double whole_from = 9007199254740992.0; /* from here every double is */
	double n;

	return json_number(value, &n) &&
	       (n >= whole_from || n <= -whole_from || (double)(int64_t)n == n);
}

bool shape_has_type(enum shape_type type, yyjson_val *value)
{
	double number;

	switch (type) {
	case SHAPE_ANY:
		return true;
	case SHAPE_NULL:
		return yyjson_is_null(value);
	case SHAPE_BOOLEAN:
		return yyjson_is_bool(value);
	case SHAPE_NUMBER:
		return json_number(value, &number);
	case SHAPE_INTEGER:
		return shape_is_whole(value);
	case SHAPE_STRING:
		return yyjson_is_str(value);
	case SHAPE_ARRAY:
		return yyjson_is_arr(value);
	case SHAPE_OBJECT:
		return yyjson_is_obj(value);
	}
	return false;
}

static bool wrong_type(enum shape_type type, struct error *why)
{
	static const char *const names[] = {
		[SHAPE_ANY] = "anything",          [SHAPE_NULL] = "null",
		[SHAPE_BOOLEAN] = "true or false", [SHAPE_NUMBER] = "a number",
		[SHAPE_INTEGER] = "an integer",    [SHAPE_STRING] = "a string",
		[SHAPE_ARRAY] = "an array",        [SHAPE_OBJECT] = "an object",
	};

	return pointer_fault(why, "%s is needed", names[type]);
}

static bool shape_has_word(const struct shape *shape, yyjson_val *value)
{
	for (size_t i = 0; i < shape->word_count; i++)
		if (text_equal(shape->words[i], json_text(value)))
			return true;
	return false;
}

static bool is_color(struct text t)
{
	if ((t.len != 4 && t.len != 7) || t.at[0] != '#')
		return false;
	for (size_t i = 1; i < t.len; i++) {
		char c = (char)(t.at[i] | 0x20);

		if (!(c >= 'a' && c <= 'f') && !(t.at[i] >= '0' && t.at[i] <= '9'))
			return false;
	}
	return true;
}

static size_t characters(struct text t)
{
	size_t count = 0;

	for (size_t i = 0; i < t.len; i++)
		count += (t.at[i] & 0xC0) != 0x80;
	return count;
}

static bool check_size(const struct shape *shape, size_t size, struct error *why)
{
	if (size < shape->least)
		return pointer_fault(why, "too short, at least %zu", shape->least);
	if (shape->most && size > shape->most)
		return pointer_fault(why, "too long, at most %zu", shape->most);
	return true;
}

/* What is wrong, and what was probably meant. */
static bool fault_near(struct error *why, const char *words, const struct near *near)
{
	if (near_best(near))
		return pointer_fault(why, "%s; %s?", words, near_best(near));
	return pointer_fault(why, "%s", words);
}

static void offer_words(const struct shape *shape, struct near *near)
{
	for (size_t i = 0; i < shape->word_count; i++)
		near_offer(near, shape->words[i].at);
}

static bool wrong_word(const struct shape *shape, struct text word, bool is_quick,
                       struct error *why)
{
	struct near near;

	near_init(&near, word);
	if (!is_quick)
		offer_words(shape, &near);
	return fault_near(why, "not one of the words that are allowed", &near);
}

static bool check_string(const struct shape *shape, yyjson_val *value, struct shape_walk walk,
                         struct error *why)
{
	if (shape->word_count == 1 && !walk.is_quick && !shape_has_word(shape, value))
		return pointer_fault(why, "only \"%.*s\" is possible", TEXT_ARG(shape->words[0]));
	if (shape->word_count && !shape_has_word(shape, value))
		return wrong_word(shape, json_text(value), walk.is_quick, why);
	if (shape->is_color && !is_color(json_text(value)))
		return pointer_fault(why, "a colour like #E8A851 is needed");
	if (!shape->least && !shape->most)
		return true;
	return check_size(shape, characters(json_text(value)), why);
}

static bool check_number(const struct shape *shape, yyjson_val *value, struct error *why)
{
	double number = 0;

	json_number(value, &number);
	if (shape->has_minimum && number < shape->minimum)
		return pointer_fault(why, "at least %.15g is needed", shape->minimum);
	if (shape->has_maximum && number > shape->maximum)
		return pointer_fault(why, "at most %.15g is possible", shape->maximum);
	return true;
}

static bool check_items(const struct shape *shape, yyjson_val *value, struct shape_walk walk,
                        struct error *why)
{
	yyjson_val *item;
	size_t i, max;

	if (!check_size(shape, yyjson_arr_size(value), why))
		return false;
	if (!shape->items)
		return true;
	yyjson_arr_foreach(value, i, max, item)
	{
		if (!check(shape->items, item, walk, why))
			return pointer_item(why, i);
	}
	return true;
}

static const struct shape_member *shape_find_member(const struct shape *shape, struct text name)
{
	for (size_t i = 0; i < shape->member_count; i++)
		if (text_equal(shape->members[i].name, name))
			return &shape->members[i];
	return NULL;
}

static bool no_such_member(const struct shape *shape, struct text name, struct error *why)
{
	struct near near;

	near_init(&near, name);
	for (size_t i = 0; i < shape->member_count; i++)
		near_offer(&near, shape->members[i].name.at);
	return fault_near(why, "no such member", &near);
}

static const struct shape *shape_of_member(const struct shape *shape,
                                           const struct shape_member *member)
{
	static const struct shape any;

	if (member)
		return member->shape;
	if (shape->others)
		return shape->others;
	return shape->is_closed ? NULL : &any;
}

static bool check_required(const struct shape *shape, uint32_t seen, struct error *why)
{
	uint32_t missing = shape->required & ~seen;

	if (!missing)
		return true;
	pointer_fault(why, "required");
	return pointer_member(why, shape->members[__builtin_ctz(missing)].name);
}

static bool check_members(const struct shape *shape, yyjson_val *value, struct shape_walk walk,
                          struct error *why)
{
	yyjson_val *key, *inner;
	uint32_t seen = 0;
	size_t i, max;

	yyjson_obj_foreach(value, i, max, key, inner)
	{
		const struct shape_member *member = shape_find_member(shape, json_text(key));
		const struct shape *wanted = shape_of_member(shape, member);
		uint32_t bit = member ? 1u << (member - shape->members) : 0;

		if (!wanted && walk.is_quick)
			pointer_fault(why, "not allowed");
		else if (!wanted)
			no_such_member(shape, json_text(key), why);
		else if (seen & bit && !walk.is_quick)
			pointer_fault(why, "given twice");
		else if (check(wanted, inner, walk, why)) {
			seen |= bit;
			continue;
		}
		return pointer_member(why, json_text(key));
	}
	return check_required(shape, seen, why);
}

/* Could the value be meant to have this form? */
static bool is_meant(const struct shape *form, yyjson_val *value)
{
	if (!shape_has_type(form->types, value))
		return false;
	if (yyjson_is_str(value) && form->word_count && !shape_has_word(form, value))
		return false;
	for (size_t i = 0; i < form->member_count && yyjson_is_obj(value); i++) {
		const struct shape_member *member = &form->members[i];
		yyjson_val *inner = yyjson_obj_getn(value, member->name.at, member->name.len);

		if (inner && member->shape->word_count == 1 &&
		    !shape_has_word(member->shape, inner))
			return false;
	}
	return true;
}

static bool no_such_type(const struct shape *shape, struct text type, struct error *why)
{
	struct near near;

	near_init(&near, type);
	for (size_t i = 0; i < shape->form_count; i++) {
		const struct shape_member *member =
			shape_find_member(shape->forms[i], TEXT("type"));

		if (member)
			offer_words(member->shape, &near);
	}
	fault_near(why, "there is none of this type", &near);
	return pointer_member(why, TEXT("type"));
}

static bool check_forms(const struct shape *shape, yyjson_val *value, struct shape_walk walk,
                        struct error *why)
{
	for (size_t i = 0; i < shape->form_count; i++)
		if (is_meant(shape->forms[i], value))
			return check(shape->forms[i], value, walk, why);
	if (!yyjson_obj_get(value, "type"))
		return pointer_fault(why, "it has none of the forms that are allowed");
	return no_such_type(shape, json_text_at(value, "type"), why);
}

static bool check(const struct shape *shape, yyjson_val *value, struct shape_walk walk,
                  struct error *why)
{
	if (walk.depth++ > DEPTH_MAX)
		return pointer_fault(why, "too deep");
	if (shape->form_count)
		return check_forms(shape, value, walk, why);
	if (!shape_has_type(shape->types, value))
		return wrong_type(shape->types, why);
	switch (shape->types) {
	case SHAPE_STRING:
		return check_string(shape, value, walk, why);
	case SHAPE_NUMBER:
	case SHAPE_INTEGER:
		return check_number(shape, value, why);
	case SHAPE_ARRAY:
		return check_items(shape, value, walk, why);
	case SHAPE_OBJECT:
		return check_members(shape, value, walk, why);
	default:
		return true;
	}
}

bool shape_check(const struct shape *shape, yyjson_val *value, struct error *why)
{
	return check(shape, value, (struct shape_walk){0}, why);
}

bool shape_check_quickly(const struct shape *shape, yyjson_val *value, struct error *why)
{
	return check(shape, value, (struct shape_walk){.is_quick = true}, why);
}

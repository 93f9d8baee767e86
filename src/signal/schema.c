/* schema.c - holds a value against the tables.
 *
 * One walk over the members of an object: each is looked up in its table, which
 * has a handful of rows, and a bit is set for it; the bits say at the end what is
 * missing.  A member that is given twice is checked twice.
 */
#include "signal/schema.h"

#include "signal/inside.h"
#include "signal/json.h"

/* A name from outside is quoted no longer than this. */
#define NAME_SHOWN 60

static const struct schema_member *find(const struct schema_object *object, struct text name)
{
	for (unsigned i = 0; i < object->count; i++)
		if (text_equal(object->members[i].name, name))
			return &object->members[i];
	return NULL;
}

static bool check_string(const struct schema_member *member, yyjson_val *value, struct error *why)
{
	if (!yyjson_is_str(value))
		return error_set(why, "a string is needed");
	for (unsigned i = 0; i < member->word_count; i++)
		if (text_equal(member->words[i], json_text(value)))
			return true;
	return member->words ? error_set(why, "not one of the words that are allowed") : true;
}

/* From 2^53 on every double is whole. */
static bool is_whole(double number)
{
	const double whole_from = 9007199254740992.0;

	return number >= whole_from || number <= -whole_from || (double)(int64_t)number == number;
}

static bool check_number(const struct schema_member *member, yyjson_val *value, struct error *why)
{
	bool whole = member->type == SCHEMA_INTEGER;
	double number;

	if (!json_number(value, &number) || (whole && !is_whole(number)))
		return error_set(why, whole ? "an integer is needed" : "a number is needed");
	if (member->has_minimum && number < member->minimum)
		return error_set(why, "at least %g is needed", member->minimum);
	return true;
}

static bool check_object(const struct schema_object *object, yyjson_val *value, struct error *why);

static bool check_value(const struct schema_member *member, yyjson_val *value, struct error *why)
{
	switch (member->type) {
	case SCHEMA_STRING:
		return check_string(member, value, why);
	case SCHEMA_NUMBER:
	case SCHEMA_INTEGER:
		return check_number(member, value, why);
	case SCHEMA_BOOLEAN:
		return yyjson_is_bool(value) || error_set(why, "true or false is needed");
	case SCHEMA_OBJECT:
		break;
	}
	if (!yyjson_is_obj(value))
		return error_set(why, "an object is needed");
	return !member->object || check_object(member->object, value, why);
}

/* Words are built from the inside out: what, then each name before it. */
static bool within(struct error *why, struct text name)
{
	struct error inner;
	bool deeper;

	if (!why)
		return false;
	inner = *why;
	deeper = inner.words[0] == '/';
	if (name.len > NAME_SHOWN)
		name.len = NAME_SHOWN;
	return error_set(why, "/%.*s%s%.150s", TEXT_ARG(name), deeper ? "" : ": ", inner.words);
}

static bool check_required(const struct schema_object *object, uint32_t seen, struct error *why)
{
	uint32_t missing = object->required & ~seen;

	if (!missing)
		return true;
	error_set(why, "required");
	return within(why, object->members[__builtin_ctz(missing)].name);
}

static bool check_object(const struct schema_object *object, yyjson_val *value, struct error *why)
{
	yyjson_obj_iter iter = yyjson_obj_iter_with(value);
	uint32_t seen = 0;
	yyjson_val *key;

	while ((key = yyjson_obj_iter_next(&iter))) {
		struct text name = json_text(key);
		const struct schema_member *member = find(object, name);

		if (!member) {
			error_set(why, "not allowed");
			return within(why, name);
		}
		if (!check_value(member, yyjson_obj_iter_get_val(key), why))
			return within(why, name);
		seen |= 1u << (member - object->members);
	}
	return check_required(object, seen, why);
}

bool schema_check_payload(enum signal_kind kind, struct yyjson_val *payload, struct error *why)
{
	static const struct schema_member any = {.type = SCHEMA_OBJECT};
	struct schema_member wanted = any;

	wanted.object = schema_payloads[kind];
	return check_value(&wanted, payload, why) || within(why, TEXT("payload"));
}

bool schema_check(struct yyjson_val *envelope, struct error *why)
{
	enum signal_kind kind;

	if (!yyjson_is_obj(envelope))
		return error_set(why, "an object is needed");
	if (!check_object(schema_envelope, envelope, why))
		return false;
	kind = kind_of(json_text_at(envelope, "type"));
	return schema_check_payload(kind, yyjson_obj_get(envelope, "payload"), why);
}

/* rule.c - holds a value against the rules, and tells the faults as the reference does.
 *
 * The order is the reference's: type, members, items, characters, size, constant, words, what
 * is refused, forms; and so are the words.  Of every object it tells one member that is missing
 * and one that is unknown.
 */
#include "gateway/rule.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"
#include "signal/json.h"

#define FAULTS_MAX 8     /* as many as the reference tells */
#define FAULT_ROOM 512   /* rules are not deep, and names are cut */
#define NAME_SHOWN 64    /* bytes of a member's name */
#define MEMBERS_MAX 1024 /* of an object with known members; each is looked for */

struct rule_faults {
	unsigned count;
	char told[FAULTS_MAX][FAULT_ROOM];
};

/* Where a value is: in which member or item of what. */
struct rule_place {
	const struct rule_place *up;
	struct text name;
};

static bool check_rule(const struct gateway_rule *rule, yyjson_val *value,
                       const struct rule_place *at, struct rule_faults *faults);

/* How much of the room is used. */
static size_t put_place(char *out, size_t room, const struct rule_place *at)
{
	size_t len = at->up ? put_place(out, room, at->up) : 0;
	struct text name = utf8_cut(at->name, NAME_SHOWN);

	if (!at->up || len + 1 + name.len >= room)
		return len;
	return len + (size_t)snprintf(out + len, room - len, "/%.*s", TEXT_ARG(name));
}

/* root: how the whole is called, where it has a name. */
static bool add_fault(struct rule_faults *faults, const struct rule_place *at, const char *root,
                      const char *words)
{
	char place[FAULT_ROOM / 2] = "";

	if (!faults || faults->count == FAULTS_MAX)
		return false;
	put_place(place, sizeof(place), at);
	if (at->up)
		snprintf(faults->told[faults->count++], FAULT_ROOM, "at %s: %s", place, words);
	else
		snprintf(faults->told[faults->count++], FAULT_ROOM, "%s%s", root, words);
	return false;
}

__attribute__((format(printf, 3, 4))) static bool fault(struct rule_faults *faults,
                                                        const struct rule_place *at,
                                                        const char *format, ...)
{
	char words[FAULT_ROOM / 2];
	va_list args;

	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	return add_fault(faults, at, "", words);
}

static void wrong_type(enum shape_type type, const struct rule_place *at,
                       struct rule_faults *faults)
{
	static const char *const names[] = {
		[SHAPE_ANY] = "anything",  [SHAPE_NULL] = "null",       [SHAPE_BOOLEAN] = "boolean",
		[SHAPE_NUMBER] = "number", [SHAPE_INTEGER] = "integer", [SHAPE_STRING] = "string",
		[SHAPE_ARRAY] = "array",   [SHAPE_OBJECT] = "object",
	};

	fault(faults, at, "must be %s", names[type]);
}

static bool check_required(const struct gateway_rule *rule, yyjson_val *value,
                           const struct rule_place *at, struct rule_faults *faults)
{
	for (size_t i = 0; i < rule->required_count; i++) {
		struct text name = rule->required[i];

		if (!yyjson_obj_getn(value, name.at, name.len))
			return fault(faults, at, "must have required property '%.*s'",
			             TEXT_ARG(name));
	}
	return true;
}

static bool is_known(const struct gateway_rule *rule, struct text name)
{
	for (size_t i = 0; i < rule->member_count; i++)
		if (text_equal(rule->members[i].name, name))
			return true;
	return false;
}

static bool check_closed(const struct gateway_rule *rule, yyjson_val *value,
                         const struct rule_place *at, struct rule_faults *faults)
{
	char words[FAULT_ROOM / 2];
	yyjson_val *key, *inner;
	size_t i, max;

	if (!rule->is_closed)
		return true;
	yyjson_obj_foreach(value, i, max, key, inner)
	{
		if (is_known(rule, json_text(key)))
			continue;
		snprintf(words, sizeof(words), "unexpected property '%.*s'",
		         TEXT_ARG(utf8_cut(json_text(key), NAME_SHOWN)));
		return add_fault(faults, at, "at root: ", words);
	}
	return true;
}

static bool check_others(const struct gateway_rule *rule, yyjson_val *value,
                         const struct rule_place *at, struct rule_faults *faults)
{
	yyjson_val *key, *inner;
	bool is_good = true;
	size_t i, max;

	if (!rule->others)
		return true;
	yyjson_obj_foreach(value, i, max, key, inner)
	{
		struct rule_place place = {at, json_text(key)};

		if (!rule->others_match || rule->others_match(place.name))
			is_good &= check_rule(rule->others, inner, &place, faults);
	}
	return is_good;
}

static bool check_members(const struct gateway_rule *rule, yyjson_val *value,
                          const struct rule_place *at, struct rule_faults *faults)
{
	bool is_good = true;

	for (size_t i = 0; i < rule->member_count; i++) {
		struct rule_place place = {at, rule->members[i].name};
		yyjson_val *inner = yyjson_obj_getn(value, place.name.at, place.name.len);

		if (inner)
			is_good &= check_rule(rule->members[i].shape, inner, &place, faults);
	}
	return is_good;
}

static bool check_object(const struct gateway_rule *rule, yyjson_val *value,
                         const struct rule_place *at, struct rule_faults *faults)
{
	size_t size = yyjson_obj_size(value);
	bool is_good = true;

	if (rule->member_count && size > MEMBERS_MAX)
		return fault(faults, at, "must not have more than %d properties", MEMBERS_MAX);
	is_good &= check_required(rule, value, at, faults);
	is_good &= check_closed(rule, value, at, faults);
	is_good &= check_others(rule, value, at, faults);
	is_good &= check_members(rule, value, at, faults);
	if (rule->most && size > rule->most)
		is_good = fault(faults, at, "must not have more than %zu properties", rule->most);
	return is_good;
}

static bool has_duplicates(yyjson_val *array)
{
	yyjson_val *item, *other;
	size_t i, max, j, end;

	yyjson_arr_foreach(array, i, max, item)
	{
		yyjson_arr_foreach(array, j, end, other)
		{
			if (j == i)
				break;
			if (yyjson_equals(item, other))
				return true;
		}
	}
	return false;
}

static bool check_items(const struct gateway_rule *rule, yyjson_val *value,
                        const struct rule_place *at, struct rule_faults *faults)
{
	size_t size = yyjson_arr_size(value);
	char digits[TEXT_U64_MAX];
	bool is_good = true;
	yyjson_val *item;
	size_t i, max;

	yyjson_arr_foreach(value, i, max, item)
	{
		struct rule_place place = {at, text_of_u64(i, digits)};

		is_good &= !rule->items || check_rule(rule->items, item, &place, faults);
	}
	if (rule->most && size > rule->most)
		return fault(faults, at, "must not have more than %zu items", rule->most);
	if (size < rule->least)
		is_good = fault(faults, at, "must not have fewer than %zu items", rule->least);
	if (rule->is_unique && has_duplicates(value))
		is_good = fault(faults, at, "must not have duplicate items");
	return is_good;
}

static bool check_string(const struct gateway_rule *rule, struct text text,
                         const struct rule_place *at, struct rule_faults *faults)
{
	size_t size = rule->least || rule->most ? utf8_count(text) : 0;
	bool is_good = true;

	if (rule->most && size > rule->most)
		is_good = fault(faults, at, "must not have more than %zu characters", rule->most);
	if (size < rule->least)
		is_good = fault(faults, at, "must not have fewer than %zu characters", rule->least);
	if (rule->matches && !rule->matches(text))
		is_good = fault(faults, at, "must match pattern \"%s\"", rule->pattern);
	return is_good;
}

static bool check_number(const struct gateway_rule *rule, double number,
                         const struct rule_place *at, struct rule_faults *faults)
{
	bool is_good = true;

	if (rule->has_maximum && number > rule->maximum)
		is_good = fault(faults, at, "must be <= %.17g", rule->maximum);
	if (rule->has_minimum && number < rule->minimum)
		is_good = fault(faults, at, "must be >= %.17g", rule->minimum);
	return is_good;
}

static bool is_one_of(const struct gateway_rule *rule, yyjson_val *value)
{
	for (size_t i = 0; i < rule->word_count; i++)
		if (yyjson_equals_strn(value, rule->words[i].at, rule->words[i].len))
			return true;
	return false;
}

static bool check_constant(const struct gateway_rule *rule, yyjson_val *value,
                           const struct rule_place *at, struct rule_faults *faults)
{
	double number;
	bool is_good = true;

	if (rule->is_true)
		is_good = yyjson_is_true(value);
	else if (rule->is_constant && rule->word_count)
		is_good = is_one_of(rule, value);
	else if (rule->is_constant)
		is_good = json_number(value, &number) && number == rule->constant;
	else if (rule->word_count && !is_one_of(rule, value))
		return fault(faults, at, "must be equal to one of the allowed values");
	return is_good || fault(faults, at, "must be equal to constant");
}

static bool check_refused(const struct gateway_rule *rule, yyjson_val *value,
                          const struct rule_place *at, struct rule_faults *faults)
{
	bool is_good = true;

	for (size_t i = 0; i < rule->refused_count; i++)
		if (check_rule(rule->refused[i], value, at, NULL))
			is_good = fault(faults, at, "must not be valid");
	return is_good;
}

/* What is wrong with each form counts only when there is none that fits. */
static bool check_forms(const struct gateway_rule *rule, yyjson_val *value,
                        const struct rule_place *at, struct rule_faults *faults)
{
	unsigned before = faults ? faults->count : 0;

	if (!rule->form_count)
		return true;
	for (size_t i = 0; i < rule->form_count; i++) {
		if (!check_rule(rule->forms[i], value, at, faults))
			continue;
		if (faults)
			faults->count = before;
		return true;
	}
	return fault(faults, at, "must match a schema in anyOf");
}

static bool check_rule(const struct gateway_rule *rule, yyjson_val *value,
                       const struct rule_place *at, struct rule_faults *faults)
{
	bool is_good = shape_has_type(rule->types, value);
	double number;

	if (!is_good)
		wrong_type(rule->types, at, faults);
	else if (yyjson_is_obj(value))
		is_good = check_object(rule, value, at, faults);
	else if (yyjson_is_arr(value))
		is_good = check_items(rule, value, at, faults);
	else if (yyjson_is_str(value))
		is_good = check_string(rule, json_text(value), at, faults);
	if (json_number(value, &number))
		is_good &= check_number(rule, number, at, faults);
	is_good &= check_constant(rule, value, at, faults);
	is_good &= check_refused(rule, value, at, faults);
	is_good &= check_forms(rule, value, at, faults);
	return is_good;
}

static bool was_told(const struct rule_faults *faults, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(faults->told[i], faults->told[n]))
			return true;
	return false;
}

static void tell(const struct rule_faults *faults, struct error *why)
{
	char words[FAULTS_MAX * (FAULT_ROOM + 2)] = "";
	size_t len = 0;

	for (unsigned i = 0; i < faults->count; i++)
		if (!was_told(faults, i))
			len += (size_t)snprintf(words + len, sizeof(words) - len, "%s%s",
			                        len ? "; " : "", faults->told[i]);
	error_set(why, "%.*s",
	          TEXT_ARG(utf8_cut((struct text){words, len}, sizeof(why->words) - 1)));
}

bool gateway_rule_check(const struct gateway_rule *rule, yyjson_val *value, struct error *why)
{
	static const struct rule_place root;
	struct rule_faults faults;

	faults.count = 0;
	if (check_rule(rule, value, &root, why ? &faults : NULL))
		return true;
	if (why)
		tell(&faults, why);
	return false;
}

/* when.c - conditions, read once into tables and then only looked up.
 *
 * `not` within `not` is a chain without branches, because nothing beside a `not`
 * counts: so a term is a path, checks, and whether they are turned round.
 */
#include "signal/when.h"

#include <assert.h>
#include <stdlib.h>

#include "base/must.h"
#include "signal/json.h"
#include "signal/pattern.h"
#include "signal/pointer.h"

enum op { OP_EQUALS, OP_CONTAINS, OP_MATCHES, OP_GT, OP_LT, OP_EXISTS, OPS };

static const char *const op_names[OPS] = {
	[OP_EQUALS] = "equals",   [OP_CONTAINS] = "contains",
	[OP_MATCHES] = "matches", [OP_GT] = "gt",
	[OP_LT] = "lt",           [OP_EXISTS] = "exists",
};

struct check {
	enum op op;
	yyjson_val *value;       /* what it is compared with */
	double number;           /* the same, for gt and lt */
	struct pattern *pattern; /* NULL: a bad one */
};

struct when_term {
	struct text path;
	bool leads_nowhere;
	bool negated;
	struct check *checks;
	size_t count;
};

struct cond {
	struct when_term *terms;
	size_t count;
};

struct when {
	struct cond *conds;
	size_t count;
};

/* --- reading -------------------------------------------------------------- */

static enum op find_op(yyjson_val *name)
{
	enum op op = 0;

	while (op < OPS && !text_is(json_text(name), op_names[op]))
		op++;
	return op;
}

static bool read_check(struct check *check, yyjson_val *value, struct error *why)
{
	check->value = value;
	switch (check->op) {
	case OP_CONTAINS:
		return yyjson_is_str(value) || pointer_fault(why, "a string is wanted");
	case OP_MATCHES:
		if (!yyjson_is_str(value))
			return pointer_fault(why, "a regular expression is wanted, in a string");
		check->pattern = pattern_create(json_text(value));
		return true;
	case OP_GT:
	case OP_LT:
		return json_number(value, &check->number) ||
		       pointer_fault(why, "a number is wanted");
	case OP_EXISTS:
		return yyjson_is_bool(value) || pointer_fault(why, "true or false is wanted");
	default:
		return true;
	}
}

static bool read_checks(struct when_term *term, yyjson_val *ops, struct error *why)
{
	yyjson_obj_iter iter = yyjson_obj_iter_with(ops);
	yyjson_val *name;

	term->checks = must_zero(yyjson_obj_size(ops), sizeof(*term->checks));
	while ((name = yyjson_obj_iter_next(&iter))) {
		struct check *check = &term->checks[term->count];

		check->op = find_op(name);
		if (check->op == OPS)
			continue;
		term->count++;
		if (!read_check(check, yyjson_obj_iter_get_val(name), why))
			return pointer_member(why, json_text(name));
	}
	return true;
}

static bool read_term(struct when_term *term, yyjson_val *ops, struct error *why)
{
	yyjson_val *inner;
	size_t depth = 0;
	bool good;

	for (; (inner = yyjson_obj_get(ops, "not")); ops = inner, depth++)
		term->negated = !term->negated;
	good = yyjson_is_obj(ops) ? read_checks(term, ops, why)
	                          : pointer_fault(why, "operators are wanted, as {\"equals\":1}");
	while (!good && depth--)
		pointer_member(why, TEXT("not"));
	return good;
}

static bool read_cond(struct cond *cond, yyjson_val *terms, enum when_prefix prefix,
                      struct error *why)
{
	yyjson_obj_iter iter;
	yyjson_val *path;

	if (!yyjson_is_obj(terms))
		return pointer_fault(why, "a condition is wanted, as {\"signal.x\":{\"gt\":1}}");
	iter = yyjson_obj_iter_with(terms);
	cond->terms = must_zero(yyjson_obj_size(terms), sizeof(*cond->terms));
	while ((path = yyjson_obj_iter_next(&iter))) {
		assert(cond->count < yyjson_obj_size(terms));
		struct when_term *term = &cond->terms[cond->count++];

		term->path = json_text(path);
		if (!cue_path(&term->path) && prefix == WHEN_PREFIX_NEEDED)
			term->leads_nowhere = true;
		if (!read_term(term, yyjson_obj_iter_get_val(path), why))
			return pointer_member(why, json_text(path));
	}
	return true;
}

static bool read_any(struct when *when, yyjson_val *conds, enum when_prefix prefix,
                     struct error *why)
{
	yyjson_arr_iter iter = yyjson_arr_iter_with(conds);
	yyjson_val *cond;

	when->conds = must_zero(yyjson_arr_size(conds), sizeof(*when->conds));
	while ((cond = yyjson_arr_iter_next(&iter)))
		if (!read_cond(&when->conds[when->count++], cond, prefix, why))
			return pointer_item(why, when->count - 1);
	return true;
}

static bool read_clause(struct when *when, yyjson_val *clause, enum when_prefix prefix,
                        struct error *why)
{
	if (!clause || yyjson_is_null(clause))
		return true;
	if (yyjson_is_arr(clause))
		return read_any(when, clause, prefix, why);
	when->conds = must_zero(1, sizeof(*when->conds));
	when->count = 1;
	return read_cond(&when->conds[0], clause, prefix, why);
}

struct when *when_create(yyjson_val *clause, enum when_prefix prefix, struct error *why)
{
	struct when *when = must_zero(1, sizeof(*when));

	if (read_clause(when, clause, prefix, why))
		return when;
	when_destroy(when);
	return NULL;
}

/* --- checking ------------------------------------------------------------- */

static bool check_expression(struct text expression, struct error *why)
{
	struct pattern *pattern = pattern_create(expression);
	bool good = pattern != NULL;

	pattern_destroy(pattern);
	return good || pointer_fault(why, "that is no regular expression");
}

static bool check_op(yyjson_val *name, yyjson_val *value, struct error *why)
{
	enum op op = find_op(name);

	if (op == OPS)
		return pointer_fault(why, "no such operator; there are equals, contains, matches, "
		                          "gt, lt, exists and not");
	return op != OP_MATCHES || check_expression(json_text(value), why);
}

static bool check_each(yyjson_val *ops, struct error *why)
{
	yyjson_obj_iter iter = yyjson_obj_iter_with(ops);
	yyjson_val *name;

	while ((name = yyjson_obj_iter_next(&iter)))
		if (!check_op(name, yyjson_obj_iter_get_val(name), why))
			return pointer_member(why, json_text(name));
	return true;
}

static bool check_ops(yyjson_val *ops, struct error *why)
{
	yyjson_val *inner;
	size_t depth = 0;
	bool good = true;

	for (; good && (inner = yyjson_obj_get(ops, "not")); ops = inner, depth++)
		good = yyjson_obj_size(ops) == 1;
	if (good)
		good = check_each(ops, why);
	else
		depth -= !pointer_fault(why, "beside 'not' no other operator counts");
	while (!good && depth--)
		pointer_member(why, TEXT("not"));
	return good;
}

static bool check_cond(yyjson_val *cond, struct error *why)
{
	yyjson_obj_iter iter = yyjson_obj_iter_with(cond);
	yyjson_val *path;

	while ((path = yyjson_obj_iter_next(&iter)))
		if (!check_ops(yyjson_obj_iter_get_val(path), why))
			return pointer_member(why, json_text(path));
	return true;
}

bool when_check(yyjson_val *clause, struct error *why)
{
	struct when *when = when_create(clause, WHEN_PREFIX_OPTIONAL, why);

	if (!when)
		return false;
	when_destroy(when);
	if (!yyjson_is_arr(clause))
		return check_cond(clause, why);
	for (size_t i = 0; i < yyjson_arr_size(clause); i++)
		if (!check_cond(yyjson_arr_get(clause, i), why))
			return pointer_item(why, i);
	return true;
}

/* --- letting go ----------------------------------------------------------- */

static void free_cond(struct cond *cond)
{
	for (size_t i = 0; i < cond->count; i++) {
		struct when_term *term = &cond->terms[i];

		for (size_t k = 0; k < term->count; k++)
			pattern_destroy(term->checks[k].pattern);
		free(term->checks);
	}
	free(cond->terms);
}

void when_destroy(struct when *when)
{
	if (!when)
		return;
	for (size_t i = 0; i < when->count; i++)
		free_cond(&when->conds[i]);
	free(when->conds);
	free(when);
}

/* --- holding -------------------------------------------------------------- */

/* As `===`: objects and arrays are never the same as others. */
static bool equals(yyjson_val *a, yyjson_val *b)
{
	double x, y;

	if (yyjson_is_str(a) && yyjson_is_str(b))
		return text_equal(json_text(a), json_text(b));
	if (json_number(a, &x) && json_number(b, &y))
		return x == y;
	if (yyjson_is_bool(a) && yyjson_is_bool(b))
		return yyjson_get_bool(a) == yyjson_get_bool(b);
	return yyjson_is_null(a) && yyjson_is_null(b);
}

static bool contains(struct text text, struct text part)
{
	return part.len == 0 || memmem(text.at, text.len, part.at, part.len);
}

/* value NULL: there is none. */
static bool check_holds(const struct check *check, yyjson_val *value)
{
	double n;

	switch (check->op) {
	case OP_EQUALS:
		return equals(value, check->value);
	case OP_CONTAINS:
		return yyjson_is_str(value) && contains(json_text(value), json_text(check->value));
	case OP_MATCHES:
		return yyjson_is_str(value) && check->pattern &&
		       pattern_is_in(check->pattern, json_text(value));
	case OP_GT:
		return json_number(value, &n) && n > check->number;
	case OP_LT:
		return json_number(value, &n) && n < check->number;
	default:
		return (value && !yyjson_is_null(value)) == yyjson_get_bool(check->value);
	}
}

static bool term_holds(const struct when_term *term, const struct cue *cue)
{
	yyjson_val *value = term->leads_nowhere ? NULL : cue_at(cue, term->path);
	size_t i = 0;

	while (i < term->count && check_holds(&term->checks[i], value))
		i++;
	return (i == term->count) != term->negated;
}

static bool cond_holds(const struct cond *cond, const struct cue *cue)
{
	for (size_t i = 0; i < cond->count; i++)
		if (!term_holds(&cond->terms[i], cue))
			return false;
	return true;
}

bool when_holds(const struct when *when, const struct cue *cue)
{
	for (size_t i = 0; i < when->count; i++)
		if (cond_holds(&when->conds[i], cue))
			return true;
	return when->count == 0;
}

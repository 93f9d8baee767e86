/* params.c - finds a method, and holds its parameters against its rules. */
#include "gateway/params.h"

#include <stdlib.h>

#include "gateway/rule.h"

static int compare_names(const void *key, const void *row)
{
	const struct text *name = key;
	const struct gateway_method *method = row;
	size_t shorter = name->len < method->name.len ? name->len : method->name.len;
	int order = shorter ? memcmp(name->at, method->name.at, shorter) : 0;

	if (order)
		return order;
	return (name->len > method->name.len) - (name->len < method->name.len);
}

bool gateway_method_find(struct text method, const struct gateway_method **out)
{
	*out = bsearch(&method, gateway_methods, gateway_method_count, sizeof(*gateway_methods),
	               compare_names);
	return *out;
}

bool gateway_params_check(struct text method, yyjson_val *params, struct error *why)
{
	static const yyjson_val nothing = {.tag = YYJSON_TYPE_OBJ};
	const struct gateway_method *found;

	if (!gateway_method_find(method, &found) || !found->is_ours)
		return error_set(why, "unknown method");
	if ((!params || yyjson_is_null(params)) && !text_is(method, "connect"))
		params = (yyjson_val *)&nothing;
	return gateway_rule_check(found->rules, params, why);
}

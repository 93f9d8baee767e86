/* params.c - finds a method, and holds its parameters against its rules. */
#include "gateway/params.h"

#include <stdlib.h>

#include "gateway/rule.h"
#include "parse/openclaw_names.h"

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

/* The Control UI remarks with what it sends after a reconnect that it does; no schema has that,
 * and gateways take it off first. */
#define REMARK "__controlUiReconnectResume"

static bool check_without_remark(const struct gateway_method *method, yyjson_val *params,
                                 struct error *why)
{
	yyjson_mut_doc *copy = yyjson_mut_doc_new(NULL);
	yyjson_mut_val *root = copy ? yyjson_val_mut_copy(copy, params) : NULL;
	yyjson_doc *cut = NULL;
	bool is_good;

	if (root) {
		yyjson_mut_obj_remove_key(root, REMARK);
		cut = yyjson_mut_val_imut_copy(root, NULL);
	}
	is_good = gateway_rule_check(method->rules, cut ? yyjson_doc_get_root(cut) : params, why);
	yyjson_doc_free(cut);
	yyjson_mut_doc_free(copy);
	return is_good;
}

bool gateway_params_check(struct text method, yyjson_val *params, struct error *why)
{
	static const yyjson_val nothing = {.tag = YYJSON_TYPE_OBJ};
	const struct gateway_method *found;

	if (!gateway_method_find(method, &found) || !found->is_ours)
		return error_set(why, "unknown method");
	if ((!params || yyjson_is_null(params)) && openclaw_method_of(method) != METHOD_CONNECT)
		params = (yyjson_val *)&nothing;
	if (openclaw_method_of(method) == METHOD_CHAT_SEND && yyjson_obj_get(params, REMARK))
		return check_without_remark(found, params, why);
	return gateway_rule_check(found->rules, params, why);
}

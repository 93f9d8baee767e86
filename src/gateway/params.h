/* params.h - the methods of the gateway dialect, what each needs, and its parameters; pure.
 *
 * All that the published schema names is here, so that one who passes requests on knows the
 * scope of a method that it does not have itself.  The rows are made from schema/gateway.json
 * by tools/schema-tables.
 */
#ifndef GATEWAY_PARAMS_H
#define GATEWAY_PARAMS_H

#include <yyjson.h>

#include "base/error.h"
#include "base/text.h"

enum gateway_scope {
	GATEWAY_SCOPE_READ,
	GATEWAY_SCOPE_WRITE,
	GATEWAY_SCOPE_ADMIN,
	GATEWAY_SCOPE_APPROVALS,
	GATEWAY_SCOPE_QUESTIONS,
	GATEWAY_SCOPE_PAIRING,
	GATEWAY_SCOPE_TALK,
	GATEWAY_SCOPE_TALK_SECRETS,
	GATEWAY_SCOPE_NODE,    /* no operator's */
	GATEWAY_SCOPE_DYNAMIC, /* its parameters decide */
};

struct gateway_rule;

struct gateway_method {
	struct text name;
	enum gateway_scope scope;
	bool is_ours;                     /* we answer it */
	const struct gateway_rule *rules; /* of its parameters; NULL when it is not */
};

/* Sorted by name. */
extern const struct gateway_method gateway_methods[];
extern const size_t gateway_method_count;

/* false: no gateway has it. */
bool gateway_method_find(struct text method, const struct gateway_method **out);

/* The parameters of a method of ours.  Those that are missing or null count as {}, but for
 * connect.  `why` has the words of the reference: "at /limit: must be integer", the first few
 * faults with "; " between them.  A method that is not ours takes none. */
bool gateway_params_check(struct text method, yyjson_val *params, struct error *why);

#endif

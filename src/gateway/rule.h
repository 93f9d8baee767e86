/* rule.h - what a parameter must be, in the words of the published schema.
 *
 * signal/shape.h is for schemas of ours: it stops at the first fault and helps with what was
 * meant.  Clients of other gateways know other words, for several faults, and expect them here:
 * so these rules keep each word of JSON Schema apart.  They are made from schema/gateway.json
 * by tools/schema-tables.
 */
#ifndef GATEWAY_RULE_H
#define GATEWAY_RULE_H

#include <yyjson.h>

#include "base/error.h"
#include "base/text.h"
#include "signal/shape.h"

struct gateway_rule;

struct gateway_rule_member {
	struct text name;
	const struct gateway_rule *shape;
};

struct gateway_rule {
	enum shape_type types;
	bool has_minimum, has_maximum;
	double minimum, maximum;
	size_t least, most; /* characters, items or members; most 0: no limit */
	bool is_unique;     /* no item twice; most is said, too */
	const char *pattern;
	bool (*matches)(struct text text); /* does a text match it? */
	bool is_true;                      /* it can only be that */
	bool is_constant;                  /* only the one word; without words only this number */
	double constant;
	const struct text *words; /* it is one of these */
	size_t word_count;
	const struct gateway_rule *items;
	const struct text *required;
	size_t required_count;
	const struct gateway_rule_member *members;
	size_t member_count;
	bool is_closed;                          /* no others */
	const struct gateway_rule *others;       /* of every member */
	bool (*others_match)(struct text name);  /* of those alone whose name does */
	const struct gateway_rule *const *forms; /* it has one of these, besides */
	size_t form_count;
	const struct gateway_rule *const *refused; /* it has none of these */
	size_t refused_count;
};

/* value may be NULL, which is of no type. */
bool gateway_rule_check(const struct gateway_rule *rule, yyjson_val *value, struct error *why);

#endif

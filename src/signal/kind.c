/* kind.c - from the name of a type to its kind, with one comparison.
 *
 * tools/schema-tables picks a multiplier with which the well-known names fall
 * into slots of their own; so at most one name can be the right one.
 */
#include "signal/kind.h"

#include "signal/inside.h"

static unsigned slot_of(struct text type)
{
	unsigned char c = (unsigned char)type.at[type.len * 5 / 8];

	return ((unsigned)type.len * schema_mix + c) % SCHEMA_SLOTS;
}

enum signal_kind kind_of(struct text type)
{
	enum signal_kind kind;

	if (type.len == 0)
		return KIND_OTHER;
	kind = (enum signal_kind)schema_slots[slot_of(type)];
	return text_equal(type, schema_kinds[kind]) ? kind : KIND_OTHER;
}

const char *kind_name(enum signal_kind kind)
{
	return schema_kinds[kind].at;
}

/* inside.h - the schema of signals as tables, for this room alone.
 *
 * tools/schema-tables writes them from schema/signal.schema.json when the
 * program is built.
 */
#ifndef SIGNAL_INSIDE_H
#define SIGNAL_INSIDE_H

#include "base/text.h"
#include "signal/kind.h"

enum schema_type {
	SCHEMA_STRING,
	SCHEMA_NUMBER,
	SCHEMA_INTEGER,
	SCHEMA_BOOLEAN,
	SCHEMA_OBJECT,
};

struct schema_object;

struct schema_member {
	struct text name;
	enum schema_type type;
	bool has_minimum;
	double minimum;
	const struct text *words; /* what a string may be; NULL: anything */
	unsigned word_count;
	const struct schema_object *object; /* what an object is like; NULL: anything */
};

/* No other member than these is allowed. */
struct schema_object {
	const struct schema_member *members;
	unsigned count;
	uint32_t required; /* bit i: members[i] must be there */
};

extern const struct schema_object *const schema_envelope;
extern const struct schema_object *const schema_payloads[KIND_COUNT]; /* NULL: anything */

extern const struct text schema_kinds[KIND_COUNT];

/* Finds a kind by its name without comparing with all of them; see kind.c. */
#define SCHEMA_SLOTS 64
extern const unsigned schema_mix;
extern const unsigned char schema_slots[SCHEMA_SLOTS];

#endif

/* inside.h - the schema of signals as tables, for this room alone.
 *
 * tools/schema-tables writes them from schema/signal.schema.json when the
 * program is built.
 */
#ifndef SIGNAL_INSIDE_H
#define SIGNAL_INSIDE_H

#include "base/text.h"
#include "signal/kind.h"
#include "signal/shape.h"

extern const struct shape *const schema_envelope;
extern const struct shape *const schema_payloads[KIND_COUNT];

extern const struct text schema_kinds[KIND_COUNT];

/* Finds a kind by its name without comparing with all of them; see kind.c. */
#define SCHEMA_SLOTS 64
extern const unsigned schema_mix;
extern const unsigned char schema_slots[SCHEMA_SLOTS];

#endif

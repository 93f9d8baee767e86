/* once.h - which payloads have left in a turn, and which of them were accepted. */
#ifndef DELIVER_ONCE_H
#define DELIVER_ONCE_H

#include "base/map.h"
#include "deliver/payload.h"

enum once_state { ONCE_UNKNOWN, ONCE_LEFT, ONCE_ACCEPTED };

#define ONCE_SEEDS 2

struct once {
	struct map states; /* by a hash of what makes two payloads the same */
	uint64_t seeds[ONCE_SEEDS];
};

void once_init(struct once *o);
void once_finish(struct once *o);

enum once_state once_look(const struct once *o, const struct payload *payload);
void once_set(struct once *o, const struct payload *payload, enum once_state state);

#endif

/* others.h - sessions of which somebody else tells: programs whose output we read. */
#ifndef SOURCE_OTHERS_H
#define SOURCE_OTHERS_H

#include "bus/bus.h"

#define OTHERS_MAX 64 /* the newest */

struct others {
	struct bus *bus;
	struct bus_listener listener;
	uint64_t all[OTHERS_MAX]; /* hashes of ids */
	unsigned count;
};

void others_init(struct others *others, struct bus *bus);
void others_finish(struct others *others);
bool others_tell_of(const struct others *others, struct text session);

#endif

/* said.h - what an agent said in a turn, kept as numbers, to know a final again.
 *
 * Space makes no difference: it is the chunker's to change.
 */
#ifndef DELIVER_SAID_H
#define DELIVER_SAID_H

#include "base/text.h"

/* A turn of more messages compares with the newest. */
#define SAID_MESSAGES 64

/* All zero at birth. */
struct said_turn {
	uint64_t turn, message, messages[SAID_MESSAGES];
	unsigned count;
};

void said_add(struct said_turn *s, struct text t);
void said_begin_message(struct said_turn *s);

bool said_whole_turn(const struct said_turn *s, struct text t);
/* It is the whole turn, or one of its messages. */
bool said_before(const struct said_turn *s, struct text t);

#endif

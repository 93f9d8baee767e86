/* held.c - the newest signals of a source that cannot be made to wait. */
#include "source/midi/held.h"

#include <assert.h>
#include <stdlib.h>

#include "base/must.h"

bool held_put(struct midi_held *held, struct text envelope)
{
	bool has_room = held->count < HELD_MAX;

	if (!has_room)
		free(held_take(held));
	held->signals[(held->first + held->count++) % HELD_MAX] = text_dup(envelope);
	return has_room;
}

char *held_take(struct midi_held *held)
{
	char *oldest = held->signals[held->first];

	if (held->count == 0)
		return NULL;
	held->first = (held->first + 1) % HELD_MAX;
	assert(held->count > 0);
	held->count--;
	return oldest;
}

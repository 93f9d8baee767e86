/* others.c - listening for them. */
#include "source/transcript/others.h"

#include <xxhash.h>

#include "base/list.h"
#include "signal/signal.h"

bool others_tell_of(const struct others *others, struct text session)
{
	uint64_t hash = XXH3_64bits(session.len ? session.at : "", session.len);

	for (unsigned i = 0; i < OTHERS_MAX && i < others->count; i++)
		if (others->all[i] == hash)
			return true;
	return false;
}

static void others_heard(struct bus_listener *listener, const struct signal *s)
{
	struct others *others = list_of(listener, struct others, listener);

	if (s->correlation.len && text_starts(s->source, TEXT("adapter:tap:")) &&
	    !others_tell_of(others, s->correlation))
		others->all[others->count++ % OTHERS_MAX] =
			XXH3_64bits(s->correlation.at, s->correlation.len);
}

void others_init(struct others *others, struct bus *bus)
{
	*others =
		(struct others){.bus = bus, .listener = {.name = "others", .heard = others_heard}};
	bus_add_listener(bus, &others->listener);
}

void others_finish(struct others *others)
{
	bus_remove_listener(others->bus, &others->listener);
}

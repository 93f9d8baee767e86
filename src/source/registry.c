/* registry.c - every transport. */
#include "source/transport.h"

extern const struct transport transport_scenario;

const struct transport *const transports[] = {
	&transport_scenario,
	NULL,
};

const struct transport *transport_find(struct text protocol)
{
	for (const struct transport *const *t = transports; *t; t++)
		if (text_is(protocol, (*t)->protocol))
			return *t;
	return NULL;
}

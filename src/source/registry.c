/* registry.c - every transport. */
#include "source/transport.h"

extern const struct transport transport_anthropic, transport_midi, transport_ollama,
	transport_openai, transport_openclaw, transport_opencode, transport_responses,
	transport_run, transport_scenario, transport_sse, transport_websocket;

const struct transport *const transports[] = {
	&transport_websocket, &transport_sse,      &transport_openai,   &transport_responses,
	&transport_anthropic, &transport_ollama,   &transport_openclaw, &transport_opencode,
	&transport_run,       &transport_scenario, &transport_midi,     NULL,
};

const struct transport *transport_find(struct text protocol)
{
	for (const struct transport *const *t = transports; *t; t++)
		if (text_is(protocol, (*t)->protocol))
			return *t;
	return NULL;
}

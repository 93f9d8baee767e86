/* ollama.c - Ollama's own API.  It speaks like OpenAI too, and that is what it is
 * taken for unless this is chosen. */
#include "source/models/backend.h"

static const struct backend_kind native = {
	.parser = "ollama",
	.models_path = "/api/tags",
	.list = "models",
	.name = "name",
	.ask_path = "/api/chat",
	.messages = "messages",
	.more = ",\"stream\":true",
	.key = "Authorization: Bearer ",
};

static void *open_native(struct source *source, struct error *why)
{
	return backend_open(source, &native, why);
}

const struct transport transport_ollama = {
	.protocol = "ollama",
	.label = "Ollama's own protocol",
	.schemes = source_schemes_http,
	.open = open_native,
	.close = backend_close,
	.ask = backend_ask,
	.cancel = backend_cancel,
	.forget = backend_forget,
	.hush = backend_hush,
};

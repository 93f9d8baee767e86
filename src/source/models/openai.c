/* openai.c - what speaks like OpenAI: its own servers, LM Studio, Ollama, vLLM,
 * llama.cpp and many more.  Chat Completions; the Responses API when it is chosen. */
#include "source/models/backend.h"
#include "source/models/models.h"

static const struct backend_kind chat = {
	.parser = "openai",
	.models_path = "/v1/models",
	.list = "data",
	.name = "id",
	.ask_path = "/v1/chat/completions",
	.messages = "messages",
	.more = ",\"stream\":true,\"stream_options\":{\"include_usage\":true}",
	.key = "Authorization: Bearer ",
};

static void *open_chat(struct source *source, struct error *why)
{
	return backend_open(source, &chat, why);
}

const struct transport transport_openai = {
	.protocol = MODELS_PROTOCOL,
	.label = "a server like OpenAI's, with a list of models",
	.schemes = source_schemes_http,
	.credential = "key",
	.open = open_chat,
	.close = backend_close,
	.ask = backend_ask,
	.cancel = backend_cancel,
	.forget = backend_forget,
	.hush = backend_hush,
};

static const struct backend_kind responses = {
	.parser = "responses",
	.models_path = "/v1/models",
	.list = "data",
	.name = "id",
	.ask_path = "/v1/responses",
	.messages = "input",
	.more = ",\"stream\":true,\"store\":false",
	.key = "Authorization: Bearer ",
};

static void *open_responses(struct source *source, struct error *why)
{
	return backend_open(source, &responses, why);
}

const struct transport transport_responses = {
	.protocol = "responses",
	.label = "OpenAI's Responses",
	.schemes = source_schemes_http,
	.credential = "key",
	.open = open_responses,
	.close = backend_close,
	.ask = backend_ask,
	.cancel = backend_cancel,
	.forget = backend_forget,
	.hush = backend_hush,
};

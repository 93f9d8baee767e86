/* trust.c - what the configuration lets people's programs decide without a token. */
#include "config/trust.h"

#include <stdio.h>

#include "base/scope.h"
#include "config/config.h"

#define WORDS_MAX 512
#define NAMES_MAX 64
#define HARMLESS ((unsigned)SCOPE_OBSERVE | (unsigned)SCOPE_EMIT)

static void join_names(unsigned scopes, char names[NAMES_MAX])
{
	size_t len = 0;

	for (unsigned bit = 1; bit <= SCOPE_ALL; bit <<= 1)
		if (scopes & bit)
			len += (size_t)snprintf(names + len, NAMES_MAX - len, "%s%s",
			                        len ? " and " : "", scope_name((enum scope)bit));
}

void trust_each(const struct config *config, void (*fn)(void *self, const char *words), void *self)
{
	for (size_t i = 0; i < config->listen_count; i++) {
		const struct config_listen *listen = &config->listen[i];
		unsigned more =
			(listen->has_local ? listen->local : config->auth.local) & ~HARMLESS;
		char names[NAMES_MAX], words[WORDS_MAX];

		if (!more || listen->source)
			continue;
		join_names(more, names);
		snprintf(words, sizeof(words),
		         "%.200s gives %s to every program of this user without a token (%s): an "
		         "agent could approve itself",
		         listen->address, names, listen->has_local ? "local" : "auth.local");
		fn(self, words);
	}
}

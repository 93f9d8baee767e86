/* ports.c - where paired devices come in, and what is in the way of that. */
#include "config/ports.h"

#include <stdio.h>

#include "config/check.h"
#include "config/config.h"

#define WORDS_MAX 512

bool ports_let_devices_in(const struct config *config, const struct config_listen *listen)
{
	return listen->cert && (!check_local_address(text_of(listen->address), NULL) ||
	                        check_is_same_address(listen->address, config->phone.listen));
}

bool ports_clash(const char *address, const char *other)
{
	return check_is_same_address(address, other) || check_covers_address(address, other) ||
	       check_covers_address(other, address);
}

void ports_each_clash(const struct config *config, void (*fn)(void *self, const char *words),
                      void *self)
{
	for (size_t i = 0; i < config->listen_count; i++)
		if (ports_let_devices_in(config, &config->listen[i]))
			return;
	for (size_t i = 0; i < config->listen_count; i++) {
		const char *address = config->listen[i].address;
		char words[WORDS_MAX];

		if (!ports_clash(address, config->phone.listen))
			continue;
		snprintf(words, sizeof(words),
		         "%.200s has the port of phone.listen (%.200s), so that no device can be "
		         "paired: give one of them another",
		         address, config->phone.listen);
		fn(self, words);
	}
}

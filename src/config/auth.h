/* auth.h - who may come in, as a part of struct config. */
#ifndef CONFIG_AUTH_H
#define CONFIG_AUTH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/scope.h"

struct config_token {
	char *name;
	char *file;      /* holds 64 hexadecimal characters */
	unsigned scopes; /* of enum scope; at least one */
};

struct config_auth {
	unsigned local; /* scopes of a loopback peer of our uid without a token */
	char **hosts;   /* more values that Host may have */
	size_t host_count;
	char **origins; /* more values that Origin may have */
	size_t origin_count;
	bool query; /* ?token= on WebSocket upgrades */
	struct config_token *tokens;
	size_t token_count;
};

#endif

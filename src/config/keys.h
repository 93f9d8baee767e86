/* keys.h - all keys of the configuration, one after the other.
 *
 * For reading the environment, for flags, and for the help.
 */
#ifndef CONFIG_KEYS_H
#define CONFIG_KEYS_H

#include <stdbool.h>

struct config;
struct field;

#define KEY_MAX 64

struct config_key {
	char path[KEY_MAX];     /* "limits.header_timeout" */
	char env[KEY_MAX + 16]; /* "SIGNALBOX_LIMITS_HEADER_TIMEOUT"; empty: file only */
	const struct field *field;
	void *base; /* the struct the field is in, within the config */
};

/* Stops when fn answers false, and then answers false too. */
bool keys_each(struct config *config, bool (*fn)(void *self, const struct config_key *key),
               void *self);

/* The variables of this environment that are called as if they were ours, say something, and
 * are neither keys nor what a credential of the configuration comes from.  words: which one
 * that is, and which was probably meant. */
void keys_strays(struct config *config, const char *const *env,
                 void (*fn)(void *self, const char *words), void *self);

#endif

/* trust.h - what the configuration lets people's programs decide without a token.
 *
 * Any process of a user could then answer what an agent asks, the agent's own tools among
 * them.  It may be wanted, for a screen that cannot send a token; so it is said.
 */
#ifndef CONFIG_TRUST_H
#define CONFIG_TRUST_H

struct config;

/* For each listener that gives more than to watch and to emit. */
void trust_each(const struct config *config, void (*fn)(void *self, const char *words), void *self);

#endif

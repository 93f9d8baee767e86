/* ports.h - where paired devices come in, and listeners that are in the way of that.
 *
 * Devices use a listener of the configuration that has a certificate and is open to other
 * machines, or stands at phone.listen; else one is opened at phone.listen for them.
 */
#ifndef CONFIG_PORTS_H
#define CONFIG_PORTS_H

#include <stdbool.h>

struct config;
struct config_listen;

/* Can devices come in at this listener of the configuration? */
bool ports_let_devices_in(const struct config *config, const struct config_listen *listen);

/* Could only one of them be opened?  "0.0.0.0:7447" and "127.0.0.1:7447". */
bool ports_clash(const char *address, const char *other);

/* For each listener with which phone.listen could not be opened, if it were wanted. */
void ports_each_clash(const struct config *config, void (*fn)(void *self, const char *words),
                      void *self);

#endif

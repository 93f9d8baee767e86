/* check.h - is what a box would start with good? */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include "cli/command.h"

/* Who lets other machines in has a token. */
bool check_reach(const struct config *config, struct error *why);

/* The certificate and the key of a listener, if it has them, are good and go together. */
bool check_pair(const struct config_listen *listen, struct error *why);

/* A box would start with it, as the box itself says, and `serve` would let it. */
bool check_config(const struct command_context *context, const struct config *config,
                  struct error *why);

/* How to end because of it: with STATUS_CONFIG if a person has to change something, after
 * which systemd does not try again, and with STATUS_FAILED if it may pass by itself. */
int check_status(const struct error *why);

/* DATA/show.json; is_there: there is one, which is not needed. */
bool check_show(const char *data, bool *is_there, struct error *why);

#endif

/* pair.h - inviting a device: `signalbox pair`, and `signalbox open --lan`. */
#ifndef CLI_PAIR_H
#define CLI_PAIR_H

#include "cli/command.h"

extern const struct option_group options_pair; /* --name, --scopes, --host */

/* The verb's exit status. */
int pair_device(const struct command *command, struct command_context *context,
                const struct options *options);

#endif

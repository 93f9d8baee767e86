/* pair.h - inviting a device: `signalbox pair`, and `signalbox open --lan`. */
#ifndef CLI_PAIR_H
#define CLI_PAIR_H

#include "cli/command.h"

/* clang-format off */
#define PAIR_OPTIONS \
	{"name", 0, "NAME", "what the device is called", "phone"}, \
	{"scopes", 's', "LIST", "observe, emit, answer, control, admin; or all", \
	 "observe,answer"}, \
	{"host", 0, "HOST", "this machine's name or address for the device", \
	 "found out"}
/* clang-format on */

/* The verb's exit status. */
int pair_device(const struct command *command, struct command_context *context,
                const struct options *options);

#endif

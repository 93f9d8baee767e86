/* usage.h - the help, made from the tables of the verbs. */
#ifndef CLI_USAGE_H
#define CLI_USAGE_H

#include "cli/command.h"

/* The list of verbs. */
void usage_overview(struct out *out);

/* -h: how it is called and its options; --help: examples first, and all there
 * is to say. */
void usage_short(struct out *out, const struct command *command);
void usage_long(struct out *out, const struct command *command);

/* Every key of the configuration: type, default, variable. */
void usage_config(struct out *out);

#endif

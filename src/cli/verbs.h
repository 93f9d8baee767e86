/* verbs.h - verbs that are more than one file, or that others know by name. */
#ifndef CLI_VERBS_H
#define CLI_VERBS_H

#include "cli/command.h"

extern const struct command command_help;
extern const struct command command_journal;
extern const struct command command_parse;
extern const struct command command_run;
extern const struct command command_show;
extern const struct command command_version;

/* parse.c, for every verb that takes a protocol: command_unknown() of one. */
int parse_no_protocol(const struct command *command, const char *given);

#endif

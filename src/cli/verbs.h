/* verbs.h - the tables of the verbs, one file each. */
#ifndef CLI_VERBS_H
#define CLI_VERBS_H

#include "cli/command.h"

extern const struct command command_serve;
extern const struct command command_emit;
extern const struct command command_run;
extern const struct command command_tap;
extern const struct command command_hook;
extern const struct command command_tail;
extern const struct command command_ask;
extern const struct command command_cancel;
extern const struct command command_prompts;
extern const struct command command_answer;
extern const struct command command_control;
extern const struct command command_open_run;
extern const struct command command_discover;
extern const struct command command_sources;
extern const struct command command_status;
extern const struct command command_top;
extern const struct command command_open;
extern const struct command command_parse;
/* parse.c, for every verb that takes a protocol: command_unknown() of one. */
int parse_no_protocol(const struct command *command, const char *given);
extern const struct command command_show;
extern const struct command command_token;
extern const struct command command_service;
extern const struct command command_journal;
extern const struct command command_replay;
extern const struct command command_check;
extern const struct command command_config_verb;
extern const struct command command_completion;
extern const struct command command_doctor;
extern const struct command command_bench;
extern const struct command command_version;
extern const struct command command_help;

#endif

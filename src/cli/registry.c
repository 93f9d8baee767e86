/* registry.c - every verb, in the order of the help. */
#include "cli/verbs.h"

const struct command *const commands[] = {
	&command_serve,    &command_emit,        &command_run,
	&command_tap,      &command_hook,        &command_tail,
	&command_ask,      &command_cancel,      &command_prompts,
	&command_answer,   &command_control,     &command_sources,
	&command_discover, &command_status,      &command_top,
	&command_open_run, &command_open,        &command_token,
	&command_service,  &command_journal,     &command_replay,
	&command_check,    &command_config_verb, &command_doctor,
	&command_parse,    &command_show,        &command_completion,
	&command_version,  &command_help,        NULL,
};

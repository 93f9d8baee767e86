/* registry.c - every verb, in the order of the help. */
#include "cli/command.h"

extern const struct command command_answer, command_ask, command_bench, command_cancel,
	command_check, command_completion, command_config_verb, command_control, command_discover,
	command_doctor, command_emit, command_help, command_hook, command_import, command_journal,
	command_open, command_open_run, command_parse, command_prompts, command_replay, command_run,
	command_serve, command_service, command_show, command_sources, command_status, command_tail,
	command_tap, command_token, command_top, command_usage, command_version;

/* clang-format off */
const struct command *const commands[] = {
	&command_serve,
	&command_emit,
	&command_run,
	&command_tap,
	&command_hook,
	&command_tail,
	&command_ask,
	&command_cancel,
	&command_prompts,
	&command_answer,
	&command_control,
	&command_sources,
	&command_discover,
	&command_status,
	&command_top,
	&command_usage,
	&command_import,
	&command_open_run,
	&command_open,
	&command_token,
	&command_service,
	&command_journal,
	&command_replay,
	&command_check,
	&command_config_verb,
	&command_doctor,
	&command_bench,
	&command_parse,
	&command_show,
	&command_completion,
	&command_version,
	&command_help,
	NULL,
};
/* clang-format on */

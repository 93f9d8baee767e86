/* help.c - `signalbox help`. */
#include "base/near.h"
#include "cli/usage.h"
#include "cli/verbs.h"

static int help(struct command_context *context, const struct options *options)
{
	const struct command *command;
	struct near near;

	if (options->word_count == 0) {
		usage_overview(&context->out);
		return STATUS_DONE;
	}
	if (options->word_count > 1)
		return command_misused(&command_help, "unexpected argument '%s'",
		                       options->words[1]);
	if (strcmp(options->words[0], "config") == 0) {
		usage_config(&context->out);
		return STATUS_DONE;
	}
	command = command_find(text_of(options->words[0]));
	if (command) {
		usage_long(&context->out, command);
		return STATUS_DONE;
	}
	near_init(&near, text_of(options->words[0]));
	for (const struct command *const *c = commands; *c; c++)
		near_offer(&near, (*c)->name);
	near_offer(&near, "config");
	return command_misused(&command_help, "there is nothing about '%s'%s%s%s",
	                       options->words[0], near_best(&near) ? ", did you mean '" : "",
	                       near_best(&near) ? near_best(&near) : "",
	                       near_best(&near) ? "'?" : "");
}

static const struct option_group *const groups[] = {&options_common, NULL};

const struct command command_help = {
	.name = "help",
	.summary = "show how to use a command",
	.usage = "[COMMAND|config]",
	.examples = "  signalbox help\n"
		    "  signalbox help tail\n"
		    "  signalbox help config      every key of the configuration\n",
	.groups = groups,
	.run = help,
};

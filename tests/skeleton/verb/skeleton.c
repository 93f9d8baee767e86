/* skeleton.c - `signalbox skeleton`: the least that a verb can be. */
#include "cli/command.h"

/* Its words of failure name it, so it is declared before it is written. */
extern const struct command command_skeleton;

static int skeleton(struct command_context *context, const struct options *options)
{
	if (options->word_count != 1)
		return command_misused(&command_skeleton, "one NAME is wanted");
	out_print(&context->out, "%s, %s\n", options_has(options, "shout") ? "HELLO" : "hello",
	          options->words[0]);
	return STATUS_DONE;
}

/* Help, completion and the checks of what was typed come from these tables. */
static const struct option own[] = {{"shout", 's', .help = "say it louder"}, {0}};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_common, NULL};

const struct command command_skeleton = {
	.name = "skeleton",
	.summary = "greet somebody",
	.usage = "[--shout] NAME",
	.examples = "  signalbox skeleton world\n"
		    "  signalbox skeleton --shout world\n",
	.groups = groups,
	.run = skeleton,
};

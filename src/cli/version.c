/* version.c - `signalbox version`. */
#include <sys/utsname.h>

#include "cli/verbs.h"

#include "base/put.h"

static int version(struct command_context *context, const struct options *options)
{
	struct utsname machine;

	if (options->word_count > 0)
		return command_misused(&command_version, "unexpected argument '%s'",
		                       options->words[0]);
	if (!options_has(options, "json")) {
		out_print(&context->out, "signalbox %s\n", SIGNALBOX_VERSION);
		return STATUS_DONE;
	}
	if (uname(&machine) != 0)
		machine = (struct utsname){.machine = "unknown"};
	put_object(&context->out.bytes, NULL);
	put_word(&context->out.bytes, "name", "signalbox");
	put_word(&context->out.bytes, "version", SIGNALBOX_VERSION);
	put_word(&context->out.bytes, "machine", machine.machine);
	put_end(&context->out.bytes);
	buf_add_char(&context->out.bytes, '\n');
	return STATUS_DONE;
}

static const struct option own[] = {{"json", 'j', .help = "as one JSON object"}, {0}};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_common, NULL};

const struct command command_version = {
	.name = "version",
	.summary = "print the version",
	.usage = "[--json]",
	.examples = "  signalbox version\n"
		    "  signalbox version --json\n",
	.groups = groups,
	.run = version,
};

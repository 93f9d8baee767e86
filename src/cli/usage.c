/* usage.c - the help, made from the tables of the verbs. */
#include "cli/usage.h"

#include <stdio.h>
#include <stdlib.h>

#include "config/field.h"
#include "config/keys.h"

#define BOLD "\033[1m"
#define PLAIN "\033[0m"
#define HELP_COLUMN 28

static void heading(struct out *out, const char *title)
{
	out_paint(out, BOLD);
	out_print(out, "%s:", title);
	out_paint(out, PLAIN);
	out_print(out, "\n");
}

void usage_overview(struct out *out)
{
	out_print(out, "signalbox - every agent's signals, one log, any screen\n\n");
	heading(out, "Examples");
	out_print(out, "  signalbox serve --demo\n"
	               "  signalbox emit '{\"type\":\"hello\",\"payload\":{\"to\":\"world\"}}'\n"
	               "  signalbox tail --type 'tool_*'\n\n");
	heading(out, "Commands");
	for (const struct command *const *c = commands; *c; c++)
		out_print(out, "  %-10s %s\n", (*c)->name, (*c)->summary);
	out_print(out,
	          "\n`signalbox COMMAND --help` says more, `signalbox help config` lists every "
	          "key of the configuration.\n");
}

static void option_line(struct out *out, const struct option *o)
{
	char left[80];
	int n = snprintf(left, sizeof(left), "  %c%c%s--%s%s%s", o->letter ? '-' : ' ',
	                 o->letter ? o->letter : ' ', o->letter ? ", " : "  ", o->name,
	                 o->value ? " " : "", o->value ? o->value : "");

	if (n >= HELP_COLUMN)
		out_print(out, "%s\n%*s%s", left, HELP_COLUMN, "", o->help);
	else
		out_print(out, "%-*s%s", HELP_COLUMN, left, o->help);
	if (o->preset)
		out_print(out, " (default: %s)", o->preset);
	out_print(out, "\n");
}

static void option_lines(struct out *out, const struct command *command)
{
	for (const struct option_group *const *g = command->groups; *g; g++) {
		out_print(out, "\n");
		heading(out, (*g)->title);
		for (const struct option *o = (*g)->options; o->name; o++)
			option_line(out, o);
	}
}

static void usage_line(struct out *out, const struct command *command)
{
	out_print(out, "usage: signalbox %s%s%s\n", command->name, *command->usage ? " " : "",
	          command->usage);
}

void usage_short(struct out *out, const struct command *command)
{
	usage_line(out, command);
	option_lines(out, command);
}

void usage_long(struct out *out, const struct command *command)
{
	out_print(out, "signalbox %s - %s\n\n", command->name, command->summary);
	heading(out, "Examples");
	out_print(out, "%s\n", command->examples);
	usage_line(out, command);
	if (command->about)
		out_print(out, "\n%s", command->about);
	option_lines(out, command);
	out_print(out, "\n");
	heading(out, "Exit codes");
	out_print(out, "  0   done\n"
	               "  1   it failed; standard error says why\n"
	               "  2   wrong use\n"
	               "  78  the configuration is wrong\n");
	out_print(out, "\nMore: man signalbox-%s\n", command->name);
}

static bool key_line(void *self, const struct config_key *key)
{
	struct out *out = self;
	const struct field *field = key->field;
	char *range = field_range(field);

	out_paint(out, BOLD);
	out_print(out, "%s", key->path);
	out_paint(out, PLAIN);
	out_print(out, "\n    %s\n    %s", field->help, field_wants(field));
	if (range)
		out_print(out, "; %s", range);
	if (field->preset)
		out_print(out, "; default %s", field->preset);
	if (key->env[0])
		out_print(out, "; %s", key->env);
	out_print(out, "\n");
	free(range);
	return true;
}

void usage_config(struct out *out)
{
	struct config config = {0};

	out_print(out,
	          "Keys of signalbox.yaml. A flag wins over the environment, that over the file, "
	          "that over the default.\n\n");
	keys_each(&config, key_line, out);
}

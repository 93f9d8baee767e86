/* command.c - from argv to the verb, and what verbs share. */
#include "cli/command.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/must.h"
#include "base/near.h"
#include "cli/usage.h"
#include "cli/verbs.h"

#define SHOWN_MAX 120 /* of a word that is not known: what is known is to fit behind it */

static const struct option common[] = {
	{"help", 'h', .help = "this help; -h is the short one"},
	{"color", 0, "WHEN", "auto, always or never", "auto, and never with NO_COLOR"},
	{0},
};
const struct option_group options_common = {"Common options", common};

#define DATA_OPTION \
	{ \
		"data", 'd', "DIR", "the box's directory", "~/.local/state/signalbox", "data" \
	}
#define CONFIG_OPTION \
	{ \
		"config", 'c', "FILE", "read this configuration", \
			"~/.config/signalbox/signalbox.yaml" \
	}

static const struct option where[] = {DATA_OPTION, CONFIG_OPTION, {0}};
const struct option_group options_where = {"Where things are", where};

static const struct option box[] = {
	DATA_OPTION,
	CONFIG_OPTION,
	{"url", 0, "URL", "speak to this address and not to the box's Unix socket"},
	{"token-file", 0, "FILE", "with --url: send the token in this file"},
	{0},
};
const struct option_group options_box = {"Which box", box};

const struct command *command_find(struct text name)
{
	for (const struct command *const *c = commands; *c; c++)
		if (text_is(name, (*c)->name))
			return *c;
	return NULL;
}

const char *command_env(const struct command_context *context, const char *name)
{
	size_t n = strlen(name);

	for (const char *const *e = context->env; *e; e++)
		if (strncmp(*e, name, n) == 0 && (*e)[n] == '=')
			return (*e)[n + 1] ? *e + n + 1 : NULL;
	return NULL;
}

int command_misused(const struct command *command, const char *format, ...)
{
	char words[512];
	va_list args;

	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	out_say("%s: %s", command->name, words);
	out_say("try `signalbox %s --help`", command->name);
	return STATUS_USAGE;
}

static void add_words(struct buf *out, const char *const *words)
{
	for (size_t i = 0; words[i]; i++)
		buf_print(out, "%s%s", i == 0 ? "" : words[i + 1] ? ", " : " and ", words[i]);
}

int command_unknown(const struct command *command, const char *what, const char *given,
                    const char *const *known)
{
	struct buf all;
	struct near near;

	near_init(&near, text_of(given));
	for (size_t i = 0; known[i]; i++)
		near_offer(&near, known[i]);
	if (near_best(&near))
		return command_misused(command, "there is no %s'%.*s', did you mean '%s'?", what,
		                       SHOWN_MAX, given, near_best(&near));
	buf_init(&all, KIB);
	add_words(&all, known);
	command_misused(command, "there is no %s'%.*s'; there are %.*s", what, SHOWN_MAX, given,
	                TEXT_ARG(buf_text(&all)));
	buf_finish(&all);
	return STATUS_USAGE;
}

int command_misworded(const struct command *command, const struct options *options)
{
	const char *given = options->word_count ? options->words[0] : NULL;
	struct buf known;

	for (size_t i = 0; given && command->words[i]; i++)
		if (options->word_count > 1 && strcmp(given, command->words[i]) == 0)
			return command_misused(command, "unexpected argument '%s'",
			                       options->words[1]);
	if (given)
		return command_unknown(command, "", given, command->words);
	buf_init(&known, KIB);
	add_words(&known, command->words);
	command_misused(command, "do what? There are %.*s", TEXT_ARG(buf_text(&known)));
	buf_finish(&known);
	return STATUS_USAGE;
}

bool command_load(const struct command_context *context, const struct options *options,
                  struct config *config, struct error *why)
{
	struct config_flag *flags = must_zero(options->given_count, sizeof(*flags));
	char **names = must_zero(options->given_count, sizeof(*names));
	struct config_sources sources = {
		.file = options_value(options, "config"),
		.env = context->env,
		.flags = flags,
		.is_demo = options_has(options, "demo"),
	};
	bool good;

	for (size_t i = 0; i < options->given_count; i++) {
		const struct option_given *given = &options->given[i];

		if (!given->option->key)
			continue;
		names[sources.flag_count] = must_print("--%s", given->option->name);
		flags[sources.flag_count] = (struct config_flag){names[sources.flag_count],
		                                                 given->option->key, given->value};
		sources.flag_count++;
	}
	good = config_load(config, &sources, why);
	for (size_t i = 0; i < sources.flag_count; i++)
		free(names[i]);
	free(names);
	free(flags);
	return good;
}

bool command_config(const struct command_context *context, const struct options *options,
                    struct config *config)
{
	struct error why;
	bool good = command_load(context, options, config, &why);

	if (!good)
		out_say("%s", why.words);
	return good;
}

static int unknown_verb(const char *verb)
{
	struct near near;

	near_init(&near, text_of(verb));
	for (const struct command *const *c = commands; *c; c++)
		near_offer(&near, (*c)->name);
	if (verb[0] == '-')
		out_say("unknown option '%s'; options go after the command", verb);
	else if (near_best(&near))
		out_say("unknown command '%s', did you mean '%s'?", verb, near_best(&near));
	else
		out_say("unknown command '%s'", verb);
	out_say("try `signalbox help`");
	return STATUS_USAGE;
}

/* -h is short and --help is long, whichever comes first. */
static bool wants_short_help(int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0)
			return false;
		if (argv[i][0] == '-' && argv[i][1] != '-' && strchr(argv[i], 'h'))
			return true;
	}
	return false;
}

static int run_command(struct command_context *context, const struct command *command, int argc,
                       char **argv)
{
	struct options options;
	struct error why;
	const char *color;
	int status;

	if (!options_parse(&options, command->groups, argc, argv, &why))
		return command_misused(command, "%s", why.words);
	color = options_value(&options, "color");
	if (!out_set_color(&context->out, color ? color : "auto",
	                   command_env(context, "NO_COLOR") != NULL, &why)) {
		status = command_misused(command, "%s", why.words);
	} else if (options_has(&options, "help")) {
		(wants_short_help(argc, argv) ? usage_short : usage_long)(&context->out, command);
		status = STATUS_DONE;
	} else {
		status = command->run(context, &options);
	}
	options_finish(&options);
	return status;
}

static int dispatch(struct command_context *context, int argc, char **argv)
{
	const struct command *command;
	const char *verb = argc > 1 ? argv[1] : NULL;
	int status;

	if (!verb) {
		struct out words;

		out_init(&words, 2);
		usage_overview(&words);
		out_finish(&words, STATUS_DONE);
		return STATUS_USAGE;
	}
	if (strcmp(verb, "--help") == 0 || strcmp(verb, "-h") == 0)
		verb = command_help.name;
	else if (strcmp(verb, "--version") == 0 || strcmp(verb, "-V") == 0)
		verb = command_version.name;
	command = command_find(text_of(verb));
	if (!command)
		return unknown_verb(verb);
	status = run_command(context, command, argc - 2, argv + 2);
	return command->is_harmless ? STATUS_DONE : status;
}

int command_main(struct command_context *context, int argc, char **argv)
{
	out_init(&context->out, 1);
	return out_finish(&context->out, dispatch(context, argc, argv));
}

/* ---- words about where the box is ---- */

static bool is_plain(const char *text)
{
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && !strchr("/._-+,:@", *text))
			return false;
	return true;
}

static char *quote(const char *text)
{
	struct buf out;
	char *quoted;

	if (is_plain(text))
		return must_dup(text);
	buf_init(&out, MIB);
	buf_add_char(&out, '\'');
	for (; *text; text++) {
		if (*text == '\'')
			buf_add(&out, TEXT("'\\'"));
		buf_add_char(&out, *text);
	}
	buf_add_char(&out, '\'');
	quoted = text_dup(buf_text(&out));
	buf_finish(&out);
	return quoted;
}

char *command_data_words(const struct command_context *context, const char *data)
{
	const struct config_sources sources = {.env = context->env};
	char *whole = realpath(data, NULL), *quoted, *words;
	struct config config;
	bool is_same = false;

	/* Whoever reads it may not have the variable. */
	if (!command_env(context, "SIGNALBOX_DATA") && config_load(&config, &sources, NULL)) {
		is_same = strcmp(config.data, data) == 0;
		config_finish(&config);
	}
	quoted = quote(whole ? whole : data);
	words = is_same ? must_dup("") : must_print(" --data %s", quoted);
	free(quoted);
	free(whole);
	return words;
}

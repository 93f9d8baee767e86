/* completion_scripts.c - the scripts of `signalbox completion`, one shell after the other. */
#include "cli/completion.h"

#include <stdio.h>

#define WORDS_MAX (16 * KIB)
#define HANDLES "signalbox run list --handles 2>/dev/null" /* of the box there is, if any */

typedef void command_fn(struct out *out, const struct command *command);
typedef void option_fn(struct out *out, const struct command *command, const struct option *option);

static void each_command(struct out *out, command_fn *fn)
{
	for (const struct command *const *c = commands; *c; c++)
		fn(out, *c);
}

static void each_option(struct out *out, const struct command *command, option_fn *fn)
{
	for (const struct option_group *const *g = command->groups; *g; g++)
		for (const struct option *o = (*g)->options; o->name; o++)
			fn(out, command, o);
}

/* ---- bash ---- */

static void bash_name(struct out *out, const struct command *command)
{
	out_print(out, "%s ", command->name);
}

static void bash_option(struct out *out, const struct command *command, const struct option *o)
{
	out_print(out, "--%s ", o->name);
	if (o->letter)
		out_print(out, "-%c ", o->letter);
}

/* What comes behind an option that takes a value. */
static void bash_value(struct out *out, const struct command *command, const struct option *o)
{
	const char *verb = command->name;
	struct buf words;
	enum completion_offer offer;

	if (!o->value)
		return;
	buf_init(&words, WORDS_MAX);
	offer = completion_offer_value(o, &words);
	out_print(out, "\t%s:--%s", verb, o->name);
	if (o->letter)
		out_print(out, "|%s:-%c", verb, o->letter);
	out_print(out, ") ");
	if (offer == OFFER_WORDS)
		out_print(out, "_signalbox_offer -W '%.*s'; ", TEXT_ARG(buf_text(&words)));
	else if (offer == OFFER_HANDLES)
		out_print(out, "_signalbox_offer -W \"$(" HANDLES ")\"; ");
	else if (offer != OFFER_NOTHING)
		out_print(out, "_signalbox_offer %s; ", offer == OFFER_FILES ? "-f" : "-d");
	out_print(out, "return ;;\n");
	buf_finish(&words);
}

static void bash_values(struct out *out, const struct command *command)
{
	each_option(out, command, bash_value);
}

static void bash_verb(struct out *out, const struct command *command)
{
	struct buf words;

	buf_init(&words, WORDS_MAX);
	completion_offer_words(command, &words);
	out_print(out, "\t%s)\n\t\toptions='", command->name);
	each_option(out, command, bash_option);
	out_print(out, "' words='%.*s' files=%s handles=%u ;;\n", TEXT_ARG(buf_text(&words)),
	          completion_offer_files(command) ? "yes" : "", completion_offer_handles(command));
	buf_finish(&words);
}

void completion_bash(struct out *out)
{
	out_print(out, "# bash completion of signalbox, by `signalbox completion bash`\n"
	               "_signalbox_offer() {\n"
	               "\t[[ $1 == -W ]] || compopt -o filenames 2>/dev/null\n"
	               "\tmapfile -t COMPREPLY < <(compgen \"$@\" -- \"$cur\")\n"
	               "}\n"
	               "_signalbox() {\n"
	               "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
	               "\tlocal verb=${COMP_WORDS[1]} options= words= files= handles=0\n"
	               "\tCOMPREPLY=()\n"
	               "\tif [[ $cur == = ]]; then\n"
	               "\t\tcur=\n"
	               "\telif [[ $prev == = ]]; then\n"
	               "\t\tprev=${COMP_WORDS[COMP_CWORD-2]}\n"
	               "\tfi\n"
	               "\tif ((COMP_CWORD == 1)); then\n"
	               "\t\t_signalbox_offer -W '");
	each_command(out, bash_name);
	out_print(out, "--help --version'\n"
	               "\t\treturn\n"
	               "\tfi\n"
	               "\tcase $verb:$prev in\n");
	each_command(out, bash_values);
	out_print(out, "\tesac\n"
	               "\tcase $verb in\n");
	each_command(out, bash_verb);
	out_print(out, "\tesac\n"
	               "\tif [[ $cur == -* ]]; then\n"
	               "\t\t_signalbox_offer -W \"$options\"\n"
	               "\telif [[ -n $words ]] && ((COMP_CWORD == 2)); then\n"
	               "\t\t_signalbox_offer -W \"$words\"\n"
	               "\telif ((handles && COMP_CWORD == handles + 1)); then\n"
	               "\t\t_signalbox_offer -W \"$(" HANDLES ")\"\n"
	               "\telif [[ -n $files ]]; then\n"
	               "\t\t_signalbox_offer -f\n"
	               "\tfi\n"
	               "}\n"
	               "complete -F _signalbox signalbox\n");
}

/* ---- zsh ---- */

/* In single quotes, and where `special` has a meaning to zsh, with a backslash before it. */
static void zsh_add(struct out *out, const char *words, const char *special)
{
	for (; *words; words++) {
		if (*words == '\'') {
			out_add(out, TEXT("'\\''"));
			continue;
		}
		if (strchr(special, *words))
			out_add(out, TEXT("\\"));
		out_add(out, (struct text){words, 1});
	}
}

static void zsh_value(struct out *out, const struct option *o)
{
	struct buf words;

	buf_init(&words, WORDS_MAX);
	out_print(out, ":%s:", o->value);
	switch (completion_offer_value(o, &words)) {
	case OFFER_WORDS:
		out_print(out, "(%.*s)", TEXT_ARG(buf_text(&words)));
		break;
	case OFFER_FILES:
		out_print(out, "_files");
		break;
	case OFFER_DIRS:
		out_print(out, "_files -/");
		break;
	case OFFER_HANDLES:
		out_print(out, "_signalbox_handles");
		break;
	case OFFER_NOTHING:
		out_print(out, " ");
	}
	buf_finish(&words);
}

static void zsh_form(struct out *out, const char *form, const struct option *o)
{
	out_print(out, " \\\n\t\t\t'*-%s[", form);
	zsh_add(out, o->help, "[]:\\");
	out_print(out, "]");
	if (o->value)
		zsh_value(out, o);
	out_print(out, "'");
}

static void zsh_option(struct out *out, const struct command *command, const struct option *o)
{
	char form[64];

	snprintf(form, sizeof(form), "-%s", o->name);
	zsh_form(out, form, o);
	if (o->letter)
		zsh_form(out, (char[]){o->letter, '\0'}, o);
}

static void zsh_summary(struct out *out, const struct command *command)
{
	out_print(out, "\t\t'%s:", command->name);
	zsh_add(out, command->summary, ":\\");
	out_print(out, "'\n");
}

static void zsh_verb(struct out *out, const struct command *command)
{
	struct buf words;

	buf_init(&words, WORDS_MAX);
	completion_offer_words(command, &words);
	out_print(out, "\t%s)\n\t\t_arguments -s", command->name);
	each_option(out, command, zsh_option);
	if (words.len)
		out_print(out, " \\\n\t\t\t'1: :(%.*s)'", TEXT_ARG(buf_text(&words)));
	if (completion_offer_handles(command))
		out_print(out, " \\\n\t\t\t'%u: :_signalbox_handles'",
		          completion_offer_handles(command));
	out_print(out, " \\\n\t\t\t'*: :%s' ;;\n",
	          completion_offer_files(command) ? "_files" : " ");
	buf_finish(&words);
}

void completion_zsh(struct out *out)
{
	out_print(out, "#compdef signalbox\n"
	               "# zsh completion of signalbox, by `signalbox completion zsh`\n"
	               "_signalbox_handles() {\n"
	               "\tcompadd -- ${(f)\"$(" HANDLES ")\"}\n"
	               "}\n"
	               "_signalbox() {\n"
	               "\tlocal -a verbs\n"
	               "\tverbs=(\n");
	each_command(out, zsh_summary);
	out_print(out, "\t)\n"
	               "\tif ((CURRENT == 2)); then\n"
	               "\t\t_describe command verbs\n"
	               "\t\treturn\n"
	               "\tfi\n"
	               "\tshift words\n"
	               "\t((CURRENT--))\n"
	               "\tcase ${words[1]} in\n");
	each_command(out, zsh_verb);
	out_print(out, "\tesac\n"
	               "}\n"
	               "if [[ ${funcstack[1]} == _signalbox ]]; then\n"
	               "\t_signalbox \"$@\"\n"
	               "else\n"
	               "\tcompdef _signalbox signalbox\n"
	               "fi\n");
}

/* ---- fish ---- */

static void fish_add(struct out *out, const char *words)
{
	for (; *words; words++) {
		if (*words == '\'' || *words == '\\')
			out_add(out, TEXT("\\"));
		out_add(out, (struct text){words, 1});
	}
}

static void fish_value(struct out *out, const struct option *o)
{
	struct buf words;

	buf_init(&words, WORDS_MAX);
	switch (completion_offer_value(o, &words)) {
	case OFFER_WORDS:
		out_print(out, " -x -a '%.*s'", TEXT_ARG(buf_text(&words)));
		break;
	case OFFER_FILES:
		out_print(out, " -r -F");
		break;
	case OFFER_DIRS:
		out_print(out, " -x -a '(__fish_complete_directories)'");
		break;
	case OFFER_HANDLES:
		out_print(out, " -x -a '(" HANDLES ")'");
		break;
	case OFFER_NOTHING:
		out_print(out, " -x");
	}
	buf_finish(&words);
}

static void fish_option(struct out *out, const struct command *command, const struct option *o)
{
	out_print(out, "complete -c signalbox -n '__signalbox_is %s' -l %s", command->name,
	          o->name);
	if (o->letter)
		out_print(out, " -s %c", o->letter);
	if (o->value)
		fish_value(out, o);
	out_print(out, " -d '");
	fish_add(out, o->help);
	out_print(out, "'\n");
}

static void fish_verb(struct out *out, const struct command *command)
{
	struct buf words;

	buf_init(&words, WORDS_MAX);
	completion_offer_words(command, &words);
	out_print(out, "complete -c signalbox -n __signalbox_is -a %s -d '", command->name);
	fish_add(out, command->summary);
	out_print(out, "'\n");
	each_option(out, command, fish_option);
	if (words.len)
		out_print(out, "complete -c signalbox -n '__signalbox_is %s 2' -a '%.*s'\n",
		          command->name, TEXT_ARG(buf_text(&words)));
	if (completion_offer_handles(command))
		out_print(out,
		          "complete -c signalbox -n '__signalbox_is %s %u' -a '(" HANDLES ")'\n",
		          command->name, completion_offer_handles(command) + 1);
	if (completion_offer_files(command))
		out_print(out, "complete -c signalbox -n '__signalbox_is %s' -F\n", command->name);
	buf_finish(&words);
}

void completion_fish(struct out *out)
{
	out_print(out,
	          "# fish completion of signalbox, by `signalbox completion fish`\n"
	          "# Is this the verb, and so many words behind it?  Without: is there none yet?\n"
	          "function __signalbox_is\n"
	          "\tset -l words (commandline -opc)\n"
	          "\tif not set -q argv[1]\n"
	          "\t\ttest (count $words) -eq 1\n"
	          "\t\treturn\n"
	          "\tend\n"
	          "\tset -q words[2]; and test $words[2] = $argv[1]; or return 1\n"
	          "\tnot set -q argv[2]; or test (count $words) -eq $argv[2]\n"
	          "end\n"
	          "complete -c signalbox -f\n");
	each_command(out, fish_verb);
}

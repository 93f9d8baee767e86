/* options.c - reading argv. */
#include "cli/options.h"

#include <stdlib.h>

#include "base/must.h"
#include "base/near.h"

struct options_parse {
	struct options *options;
	const struct option_group *const *groups;
	int argc, at;
	char **argv;
	struct error *why;
};

static const struct option *find_name(const struct options_parse *p, struct text name)
{
	for (const struct option_group *const *g = p->groups; *g; g++)
		for (const struct option *o = (*g)->options; o->name; o++)
			if (text_is(name, o->name))
				return o;
	return NULL;
}

static const struct option *find_letter(const struct options_parse *p, char letter)
{
	for (const struct option_group *const *g = p->groups; *g; g++)
		for (const struct option *o = (*g)->options; o->name; o++)
			if (o->letter == letter)
				return o;
	return NULL;
}

static bool unknown(const struct options_parse *p, struct text name)
{
	struct near near;

	near_init(&near, name);
	for (const struct option_group *const *g = p->groups; *g; g++)
		for (const struct option *o = (*g)->options; o->name; o++)
			near_offer(&near, o->name);
	if (near_best(&near))
		return error_set(p->why, "unknown option '--%.*s', did you mean '--%s'?",
		                 TEXT_ARG(name), near_best(&near));
	return error_set(p->why, "unknown option '--%.*s'", TEXT_ARG(name));
}

static void note_option(struct options_parse *p, const struct option *option, const char *value)
{
	p->options->given[p->options->given_count++] = (struct option_given){option, value};
}

/* The value is the rest of this argument or the next one. */
static bool give_value(struct options_parse *p, const struct option *option, const char *here)
{
	if (!here && p->at == p->argc)
		return error_set(p->why, "--%s wants %s", option->name, option->value);
	note_option(p, option, here ? here : p->argv[p->at++]);
	return true;
}

static bool parse_long(struct options_parse *p, const char *arg)
{
	struct text rest, name = text_cut(text_of(arg), '=', &rest);
	const struct option *option = find_name(p, name);

	if (!option)
		return unknown(p, name);
	if (option->value)
		return give_value(p, option, rest.at);
	if (rest.at)
		return error_set(p->why, "--%s takes no value", option->name);
	note_option(p, option, NULL);
	return true;
}

static bool parse_short(struct options_parse *p, const char *letters)
{
	for (; *letters; letters++) {
		const struct option *option = find_letter(p, *letters);

		if (!option)
			return error_set(p->why, "unknown option '-%c'", *letters);
		if (option->value)
			return give_value(p, option, letters[1] ? letters + 1 : NULL);
		note_option(p, option, NULL);
	}
	return true;
}

static bool parse_one(struct options_parse *p, const char *arg, bool *is_over)
{
	if (*is_over || arg[0] != '-' || arg[1] == '\0') {
		p->options->words[p->options->word_count++] = arg;
		return true;
	}
	if (arg[1] != '-')
		return parse_short(p, arg + 1);
	if (arg[2] != '\0')
		return parse_long(p, arg + 2);
	*is_over = true;
	return true;
}

/* An argument of short options may hold one of them for each of its letters. */
static size_t most_given(int argc, char **argv)
{
	size_t most = 1;

	for (int i = 0; i < argc; i++)
		most += argv[i][0] == '-' ? strlen(argv[i]) : 0;
	return most;
}

bool options_parse(struct options *options, const struct option_group *const *groups, int argc,
                   char **argv, struct error *why)
{
	struct options_parse p = {options, groups, argc, 0, argv, why};
	bool is_over = false;

	*options = (struct options){
		.given = must_zero(most_given(argc, argv), sizeof(*options->given)),
		.words = must_zero((size_t)argc + 1, sizeof(*options->words)),
	};
	while (p.at < argc) {
		const char *arg = argv[p.at++];

		if (!parse_one(&p, arg, &is_over)) {
			options_finish(options);
			return false;
		}
	}
	return true;
}

void options_finish(struct options *options)
{
	free(options->given);
	free(options->words);
	*options = (struct options){0};
}

static const struct option_given *last_given(const struct options *options, const char *name)
{
	for (size_t i = options->given_count; i > 0; i--)
		if (strcmp(options->given[i - 1].option->name, name) == 0)
			return &options->given[i - 1];
	return NULL;
}

bool options_has(const struct options *options, const char *name)
{
	return last_given(options, name) != NULL;
}

const char *options_value(const struct options *options, const char *name)
{
	const struct option_given *given = last_given(options, name);

	return given ? given->value : NULL;
}

/* completion.c - `signalbox completion`: what shells may offer, from the tables of verbs and
 * options.  The scripts themselves are in completion_scripts.c. */
#include "cli/completion.h"

#include "cli/verbs.h"
#include "config/field.h"
#include "config/keys.h"
#include "parse/parse.h"

extern const struct command command_completion;

/* ---- what is offered ---- */

static void add_word(struct buf *words, const char *word)
{
	if (words->len)
		buf_add_char(words, ' ');
	buf_add(words, text_of(word));
}

static void add_words(struct buf *words, const char *const *all)
{
	for (; all && *all; all++)
		add_word(words, *all);
}

static void add_protocols(struct buf *words)
{
	for (const struct parse_kind *const *kind = parse_kinds; *kind; kind++)
		add_word(words, (*kind)->name);
}

struct key_search {
	const char *key;
	const struct field *field;
};

static bool is_key(void *self, const struct config_key *key)
{
	struct key_search *search = self;

	if (strcmp(key->path, search->key) != 0)
		return true;
	search->field = key->field;
	return false;
}

/* An option that sets a key of a few words takes those. */
static const char *const *choices_of(const struct option *option)
{
	struct key_search search = {.key = option->key};
	struct config config = {0};

	if (option->key)
		keys_each(&config, is_key, &search);
	return search.field ? search.field->choices : NULL;
}

enum completion_offer completion_offer_value(const struct option *option, struct buf *words)
{
	static const char *const when[] = {"auto", "always", "never", NULL};
	static const char *const paces[] = {"instant", "paced", "wallclock", NULL};
	const char *const *choices = choices_of(option);

	if (strcmp(option->value, "FILE") == 0)
		return OFFER_FILES;
	if (strcmp(option->value, "DIR") == 0)
		return OFFER_DIRS;
	if (strcmp(option->value, "RUN") == 0)
		return OFFER_HANDLES;
	if (strcmp(option->value, "WHEN") == 0)
		choices = when;
	else if (strcmp(option->value, "PACE") == 0)
		choices = paces;
	add_words(words, choices);
	if (strcmp(option->value, "PROTOCOL") == 0)
		add_protocols(words);
	return words->len ? OFFER_WORDS : OFFER_NOTHING;
}

void completion_offer_words(const struct command *command, struct buf *words)
{
	add_words(words, command->words);
	if (command == &command_parse)
		add_protocols(words);
	if (command != &command_help)
		return;
	for (const struct command *const *c = commands; *c; c++)
		add_word(words, (*c)->name);
}

bool completion_offer_files(const struct command *command)
{
	return strstr(command->usage, "FILE") != NULL;
}

unsigned completion_offer_handles(const struct command *command)
{
	if (!strstr(command->usage, "RUN"))
		return 0;
	return command->words ? 2 : 1; /* behind a word of its own */
}

/* ---- the verb ---- */

static const struct {
	const char *name;
	void (*write)(struct out *out);
} shells[] = {{"bash", completion_bash}, {"zsh", completion_zsh}, {"fish", completion_fish}};

static int completion(struct command_context *context, const struct options *options)
{
	const char *word = options->word_count == 1 ? options->words[0] : "";

	for (size_t i = 0; i < sizeof(shells) / sizeof(*shells); i++) {
		if (strcmp(word, shells[i].name) != 0)
			continue;
		shells[i].write(&context->out);
		return STATUS_DONE;
	}
	return command_misworded(&command_completion, options);
}

static const struct option_group *const groups[] = {&options_common, NULL};
static const char *const words[] = {"bash", "zsh", "fish", NULL};

const struct command command_completion = {
	.name = "completion",
	.summary = "print a completion script for a shell",
	.usage = "bash | zsh | fish",
	.examples = "  signalbox completion bash > ~/.local/share/bash-completion/completions/"
		    "signalbox\n"
		    "  signalbox completion zsh > ~/.zfunc/_signalbox\n"
		    "  signalbox completion fish > ~/.config/fish/completions/signalbox.fish\n",
	.about = "The script knows every command, its options and what they take. For the names\n"
		 "of sessions alone it asks the box, by `signalbox run list --handles`. For one\n"
		 "session: `source <(signalbox completion bash)`.\n",
	.words = words,
	.groups = groups,
	.run = completion,
};

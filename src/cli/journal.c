/* journal.c - `signalbox journal`: what can be done with all of it. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/must.h"
#include "cli/journal_verbs.h"
#include "cli/verbs.h"
#include "signal/position.h"

struct journal_verb {
	const char *name;
	int (*run)(struct command_context *context, const struct options *options);
	size_t words;        /* behind its name */
	const char *options; /* those of its own, each with a space on both sides */
};

static const struct journal_verb verbs[] = {
	{"verify", journal_verb_verify, 0, " json "},
	{"repair", journal_verb_repair, 0, " json "},
	{"export", journal_verb_export, 0, " json from to output url token-file "},
	{"import", journal_verb_import, 1, " json skip url token-file "},
	{"forget", journal_verb_forget, 0, " json correlation seq dry-run yes "},
	{0},
};

bool journal_stretch_read(const struct options *options, struct journal_stretch *out,
                          struct error *why)
{
	const char *from = options_value(options, "from"), *to = options_value(options, "to");
	struct positions positions;
	struct position position;

	if (from && !positions_parse(text_of(from), &positions))
		return error_set(why, "--from wants SEQ or EPOCH-SEQ, not '%s'", from);
	*out = (struct journal_stretch){.after = from ? from : "0"};
	if (!to)
		return true;
	if (!position_parse(text_of(to), &position) || position.seq == 0)
		return error_set(why, "--to wants SEQ or EPOCH-SEQ, not '%s'", to);
	out->to = position.seq;
	return true;
}

bool journal_is_absent(const char *data, struct error *why)
{
	char *path = must_print("%s/journal", data);

	if (why->code == ENOENT && access(path, F_OK) != 0)
		error_set(why,
		          "there is no journal at %.130s; --data DIR names a box's directory, and "
		          "`signalbox serve` makes one",
		          path);
	free(path);
	return false;
}

static bool is_in_list(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = list; (at = strstr(at, name)); at++)
		if (at[-1] == ' ' && at[len] == ' ')
			return true;
	return false;
}

/* An option of another verb; NULL: there is none. */
static const char *stray(const struct journal_verb *verb, const struct options *options)
{
	static const char common[] = " data config help color ";

	for (size_t i = 0; i < options->given_count; i++) {
		const char *name = options->given[i].option->name;

		if (!is_in_list(common, name) && !is_in_list(verb->options, name))
			return name;
	}
	return NULL;
}

static int journal(struct command_context *context, const struct options *options)
{
	const struct journal_verb *verb = verbs;
	const char *word = options->word_count ? options->words[0] : "";

	while (verb->name && strcmp(verb->name, word) != 0)
		verb++;
	if (!verb->name)
		return command_misworded(&command_journal, options);
	if (options->word_count - 1 > verb->words)
		return command_misused(&command_journal, "unexpected argument '%s'",
		                       options->words[verb->words + 1]);
	if (options->word_count - 1 < verb->words)
		return command_misused(&command_journal,
		                       "import what? A file, or - for standard input");
	if (stray(verb, options))
		return command_misused(&command_journal, "--%s is not for `journal %s`",
		                       stray(verb, options), verb->name);
	return verb->run(context, options);
}

static const struct option own[] = {
	{"from", 'f', "POS", "export: begin after this SEQ or EPOCH-SEQ", "0, all there is"},
	{"to", 't', "POS", "export: this is the last one", "the present"},
	{"output", 'o', "FILE", "export: write here; compressed if it ends in .zst", "-"},
	{"skip", 0, "N", "import: leave out the first N lines", "0"},
	{"correlation", 0, "ID", "forget: what belongs to this; may be repeated"},
	{"seq", 's', "POS[..POS]", "forget: this one, or from here to there; may be repeated"},
	{"dry-run", 'n', .help = "forget: only say how many"},
	{"yes", 'y', .help = "forget: do not ask"},
	{"json", 'j', .help = "what came of it, as one JSON object"},
	{0},
};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_box, &options_common,
                                                    NULL};

static const char *const words[] = {"verify", "repair", "export", "import", "forget", NULL};

const struct command command_journal = {
	.name = "journal",
	.summary = "verify, repair, export, import the journal; forget a part of it",
	.usage = "verify | repair | export | import FILE | forget [options]",
	.examples = "  signalbox journal verify --json\n"
		    "  signalbox journal export -o all.ndjson.zst\n"
		    "  signalbox journal export --from 1000 --to 2000 | jq .type\n"
		    "  signalbox journal import all.ndjson.zst\n"
		    "  signalbox journal forget --correlation run-7 --dry-run\n",
	.about =
		"verify reads every batch and compares it with its checksum. It changes nothing,\n"
		"and the box may be running. Each problem is a line on standard error; any\n"
		"problem ends it with 1.\n"
		"\n"
		"repair puts right what verify finds. The box must be stopped. Segments with\n"
		"damage are written anew, with a gap for each stretch that is gone; damaged bytes\n"
		"are kept in SEQ.quarantine. Nothing else changes.\n"
		"\n"
		"export writes the lines as they are, of a running box or from the files of one\n"
		"that is stopped. What is missing is said on standard error.\n"
		"\n"
		"import gives lines, compressed or not, to a running box. They get new seqs. A\n"
		"line that the box has had lately is stored once, so an import may be repeated;\n"
		"one that was cut short says which --skip goes on. What the box itself said when\n"
		"it was recorded (source signalbox) is left out.\n"
		"\n"
		"forget takes signals out for good, for a secret that leaked into them. The box\n"
		"must be stopped. Whoever reads there gets a gap with why `forgotten`; all else\n"
		"keeps its seq.\n",
	.words = words,
	.groups = groups,
	.run = journal,
};

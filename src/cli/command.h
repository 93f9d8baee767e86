/* command.h - a verb of the program, as one table.
 *
 * To add one: write cli/NAME.c with one `const struct command command_NAME`, and its page.
 * ARCHITECTURE.md lists the files; tests/skeleton/verb is the least that one can be.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "cli/options.h"
#include "cli/out.h"
#include "config/config.h"
#include "config/serve.h"

/* How the program ends. */
enum {
	STATUS_DONE = 0,
	STATUS_FAILED = 1,
	STATUS_USAGE = 2,
	STATUS_CONFIG = 78, /* EX_CONFIG of sysexits.h */
};

/* What main() gives, and what every verb needs. */
struct command_context {
	box_run_fn *serve;   /* the running program, which this room may not know */
	box_check_fn *check; /* and whether it would start */
	const char *const *env;
	struct out out;
};

struct command {
	const char *name;
	const char *summary;      /* half a line */
	const char *usage;        /* what stands behind the name */
	const char *examples;     /* whole lines, each with two spaces in front */
	const char *about;        /* paragraphs for the long help */
	const char *const *words; /* what its first word can be, ended by NULL; NULL: not said */
	const struct option_group *const *groups; /* ended by NULL */
	/* It ends with 0 even when it is misused: whoever runs it takes a status for a
	 * decision. */
	bool is_harmless;

	/* Answers with the exit status.  Words of failure are its own to say. */
	int (*run)(struct command_context *context, const struct options *options);
};

/* Ended by NULL. */
extern const struct command *const commands[];

const struct command *command_find(struct text name);

/* argv as main() got it; the exit status. */
int command_main(struct command_context *context, int argc, char **argv);

/* ---- for verbs ---- */

extern const struct option_group options_common; /* --help, --color */
extern const struct option_group options_where;  /* --data, --config */
extern const struct option_group options_box;    /* the same, --url, --token-file */

/* A wrong use: says so, and where the help is.  STATUS_USAGE. */
int command_misused(const struct command *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The same when there is no such thing: says which are near, or all that are known.  what is
 * empty, or ends with a space. */
int command_unknown(const struct command *command, const char *what, const char *given,
                    const char *const *known);

/* The same when the first word is none of command->words, or is, and another is too much. */
int command_misworded(const struct command *command, const struct options *options);

/* The configuration that the options, the environment and the file make.  On
 * failure it has said why; end with STATUS_CONFIG. */
bool command_config(const struct command_context *context, const struct options *options,
                    struct config *config);
bool command_load(const struct command_context *context, const struct options *options,
                  struct config *config, struct error *why); /* the same, in silence */

/* " --data DIR", as a shell reads it, for words that tell somebody to run a command; empty
 * where that command finds the same box without it.  The caller frees it. */
char *command_data_words(const struct command_context *context, const char *data);

const char *command_env(const struct command_context *context, const char *name);

#endif

/* options.h - the words behind a verb: options and the rest.
 *
 * Long (--json, --data DIR, --data=DIR) and short (-q, -n 5, -n5, -qn5) ones, in
 * any place; `--` ends them.  A lone `-` is a word.  What is not known is an
 * error that names the near one.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "base/error.h"
#include "base/text.h"

struct option {
	const char *name;  /* "listen", without its dashes */
	char letter;       /* its short form, or 0 */
	const char *value; /* what its value is called, "ADDR"; NULL: it has none */
	const char *help;
	const char *preset; /* the default, for the help; NULL: not said */
	const char *key;    /* the key of the configuration it sets, or NULL */
};

/* Options that belong together in the help. */
struct option_group {
	const char *title;
	const struct option *options; /* ended by a NULL name */
};

struct option_given {
	const struct option *option;
	const char *value; /* of argv; NULL for one without */
};

struct options {
	struct option_given *given; /* in the order of argv */
	size_t given_count;
	const char **words;
	size_t word_count;
};

/* argv is what stands behind the verb.  Borrows argv. */
bool options_parse(struct options *options, const struct option_group *const *groups, int argc,
                   char **argv, struct error *why);
void options_finish(struct options *options);

bool options_has(const struct options *options, const char *name);

/* The value of the last one; NULL when it was not given. */
const char *options_value(const struct options *options, const char *name);

#endif

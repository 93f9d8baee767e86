/* journal_verbs.h - what stands behind `signalbox journal`.  All give the exit status, and
 * say themselves what is wrong. */
#ifndef CLI_JOURNAL_VERBS_H
#define CLI_JOURNAL_VERBS_H

#include "cli/command.h"

int journal_verb_verify(struct command_context *context, const struct options *options);
int journal_verb_repair(struct command_context *context, const struct options *options);
int journal_verb_export(struct command_context *context, const struct options *options);
int journal_verb_import(struct command_context *context, const struct options *options);
int journal_verb_forget(struct command_context *context, const struct options *options);

/* Where reading failed because DATA has no journal at all, why says what to do.  False. */
bool journal_is_absent(const char *data, struct error *why);

/* --from and --to: signals after the one, up to and with the other. */
struct journal_stretch {
	const char *after; /* as it was given; "0" when not */
	uint64_t to;       /* seq; 0: to the present */
};

bool journal_stretch_read(const struct options *options, struct journal_stretch *out,
                          struct error *why);

#endif

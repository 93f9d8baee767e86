/* completion.h - what a shell may offer behind a verb, for the scripts that are made of it. */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include "base/buf.h"
#include "cli/command.h"

/* What a value can be. */
enum completion_offer {
	OFFER_NOTHING, /* anything: nobody knows */
	OFFER_WORDS,   /* one of these */
	OFFER_FILES,
	OFFER_DIRS,
	OFFER_HANDLES, /* of the sessions of the box that runs here */
};

/* Words parted by spaces are added to `words`, if it is that. */
enum completion_offer completion_offer_value(const struct option *option, struct buf *words);

/* What may stand behind a verb that is no option: its own first words, if it has such... */
void completion_offer_words(const struct command *command, struct buf *words);
/* ...and does it take files? */
bool completion_offer_files(const struct command *command);
/* ...and the name of a session?  As which word behind the verb: 0 is none. */
unsigned completion_offer_handles(const struct command *command);

/* Each script, whole. */
void completion_bash(struct out *out);
void completion_zsh(struct out *out);
void completion_fish(struct out *out);

#endif

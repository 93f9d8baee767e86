/* asked.h - a prompt of `GET /api/prompts`, for who shows and who answers it.
 *
 * Where its words are cut, all of a tool's input is fetched by who wants to see it; what was
 * printed then has a word of its own, and only who gives that word can allow it.
 */
#ifndef CLI_ASKED_H
#define CLI_ASKED_H

#include <yyjson.h>

#include "cli/remote.h"
#include "crew/roll.h"

/* Do its words not say all that there is to know? */
bool asked_is_cut(yyjson_val *prompt);

/* The answer of `GET /api/prompts/ID/input`, which the caller frees; NULL: why says it. */
yyjson_doc *asked_input(struct remote *remote, yyjson_val *prompt, struct error *why);

/* What stands for having seen this input. */
#define ASKED_WORD_LEN 8
void asked_word(yyjson_val *input, char word[ASKED_WORD_LEN + 1]);

/* Among the open ones, by its id or the beginning of it; NULL: it is not there, or not the
 * only one. */
yyjson_val *asked_find(yyjson_val *prompts, struct text id);
/* The same, or the oldest one of the session that has this name. */
yyjson_val *asked_find_of(yyjson_val *prompts, const struct roll *roll, struct text name);

#endif

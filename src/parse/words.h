/* words.h - texts in the files that agents keep, for their parsers, where they are wanted. */
#ifndef PARSE_WORDS_H
#define PARSE_WORDS_H

#include "parse/make.h"

#define WORDS_SAID_MAX (64 * KIB) /* of a prompt, an answer, a thought; the rest is cut off */
#define WORDS_TOOL_MAX (32 * KIB) /* of what a tool is given, or gives back */

/* Of what is read now, whose moment is set: parse_set_moment(). */
bool words_are_wanted(const struct parse *p);

/* What a tool is given: whole, or not at all where it is too long.  False: it was not added. */
bool words_add_input(struct make *m, yyjson_val *input);
/* What it gives back: a text, texts in a list, or anything else as JSON. */
void words_add_output(struct make *m, yyjson_val *output);

/* A text, or those in a list of blocks, each a paragraph of its own. */
void words_join(struct buf *out, yyjson_val *content);

#endif

/* tool_words.h - what a tool is about to do, in words that hide nothing; pure.
 *
 *	Bash: make
 *	description: Builds it
 *	env.CC: clang
 *	script:
 *	  | first line
 *	  | second line
 *
 * Every member of its input has a line of its own, with the path to it, and a text of
 * several lines has a mark before each, so that no text passes for a member.  Only a command
 * of one line stands behind the name.  What cannot be seen is made visible.
 */
#ifndef PARSE_TOOL_WORDS_H
#define PARSE_TOOL_WORDS_H

#include <yyjson.h>

#include "base/buf.h"

/* Appends at most max bytes, 256 or more; when that is not all, the last of them say how
 * many are missing. */
void tool_words(struct buf *out, struct text tool, yyjson_val *input, size_t max);

#endif

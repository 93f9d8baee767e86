/* grapheme.h - where a text may be parted without breaking what a reader sees as one
 * character.
 *
 * A letter with its accents, a flag, a family of emoji and CR LF are each one grapheme cluster
 * (UAX 29) and many code points.  Most places are decided by a small table; PCRE2, whose \X is a
 * cluster, decides the others.
 */
#ifndef BASE_GRAPHEME_H
#define BASE_GRAPHEME_H

#include "base/text.h"

/* The last place at or before `at` where no cluster of the text is broken: the end of the text
 * is one, and 0 is always one.  Only the clusters of the GRAPHEME_REACH bytes before it are looked
 * at.  In bytes that are no UTF-8 it is the beginning of a character. */
#define GRAPHEME_REACH 4096
size_t grapheme_before(struct text t, size_t at);

/* A character that no cluster takes in unless what stands before it asks for that, as a joiner
 * does. */
bool grapheme_is_plain(uint32_t c);

#endif

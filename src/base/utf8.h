/* utf8.h - is this text, and can it be shown?
 *
 * The validator takes bytes as they arrive, in pieces of any size, and fails at
 * the first byte that no valid text could continue with (RFC 3629: no overlong
 * forms, no surrogates, nothing above U+10FFFF).
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/buf.h"
#include "base/text.h"

struct utf8 {
	uint8_t need; /* continuation bytes still to come */
	uint8_t low;  /* the next one lies between these */
	uint8_t high;
};

void utf8_init(struct utf8 *u);
bool utf8_feed(struct utf8 *u, struct text piece);
bool utf8_is_whole(const struct utf8 *u); /* no character is half there */

bool utf8_is_valid(struct text t);

/* The length of the one valid character at the start of t; 0 if there is none. */
size_t utf8_length(struct text t);

/* The code point that these bytes, one whole character, stand for. */
uint32_t utf8_decode(struct text character);

/* How many characters a valid text has. */
size_t utf8_count(struct text t);

/* The beginning of a text, in at most max bytes and whole characters. */
struct text utf8_cut(struct text t, size_t max);

/* Appends t so that it is safe on a terminal and in a log line, for texts on which
 * nobody decides (those go through base/visible.h): controls and bad bytes are
 * shown as U+FFFD, LF and TAB as a space; what has no shape is left out, but for
 * the joiners and selectors that scripts and emoji need. */
bool utf8_add_shown(struct buf *out, struct text t);

#endif

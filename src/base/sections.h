/* sections.h - named pieces of bytes in one, as a checkpoint is made of them.
 *
 * `name\0` and eight bytes of length, little end first, then the bytes; one after the
 * other.  A piece is written in place: begin, append to the same buffer, end.
 */
#ifndef BASE_SECTIONS_H
#define BASE_SECTIONS_H

#include "base/buf.h"
#include "base/text.h"

#define SECTION_NAME_MAX 32

/* Where the piece begins, for section_end. */
size_t section_begin(struct buf *out, const char *name);
void section_end(struct buf *out, size_t begun);

/* Empty when there is no such piece, or when the whole is damaged before it. */
struct text section_find(struct text all, const char *name);

#endif

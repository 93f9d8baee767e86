/* visible.h - somebody else's text, with nothing in it that cannot be seen.
 *
 * People decide on what they read, so what they are shown may hide nothing: a
 * control, a mark that turns the reading order round, a character without a
 * shape, a blank that is no space and a byte that is no text are each written
 * out as the escape that stands for it.  What comes out may be put in again and
 * stays the same.
 */
#ifndef BASE_VISIBLE_H
#define BASE_VISIBLE_H

#include "base/buf.h"
#include "base/text.h"

/* What a code point does where it is shown. */
enum visible_kind {
	VISIBLE_SHAPE,     /* it has a shape of its own, or is the space */
	VISIBLE_CONTROL,   /* C0, DEL, C1, line separators, bidirectional controls, surrogates */
	VISIBLE_SHAPELESS, /* takes no room: zero width, default-ignorable, tag characters */
	VISIBLE_BLANK,     /* takes room and looks like a space, but is none */
};
enum visible_kind visible_kind(uint32_t c);

enum visible_lines {
	VISIBLE_KEEP_LINES, /* LF stays a line break */
	VISIBLE_MARK_LINES, /* LF is the sign U+21B5, so that a line stays a line */
};

/* Appends t.  TAB is the sign U+21E5, what is not seen a JSON escape (two above
 * U+FFFF), a byte that is not UTF-8 \xNN.  One byte becomes at most
 * VISIBLE_GROWTH. */
#define VISIBLE_GROWTH 6
bool visible_add(struct buf *out, struct text t, enum visible_lines lines);

/* How every text ends that is not all there: behind the number of bytes. */
#define VISIBLE_MISSING " BYTES MORE THAT ARE NOT SHOWN"

#endif

/* origin.h - a stored line as those see it who do not speak the dialect it came in.
 *
 * A signal that came as a frame of a foreign dialect keeps it in `metadata.origin`, the last
 * member of the last member of its envelope: so leaving it out is a cut.
 */
#ifndef SIGNAL_ORIGIN_H
#define SIGNAL_ORIGIN_H

#include "base/text.h"

/* What it is without its origin: head, then tail.  A line that has none is all head. */
void origin_cut(struct text line, struct text *head, struct text *tail);

#endif

/* show.h - a signal as one line for people.
 *
 * Everything in it comes from agents, and agents may be told to do harm: no
 * control sequence of theirs reaches the terminal.
 */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include "base/text.h"
#include "cli/out.h"

/* Time, seq, source, type and the beginning of the payload, cut to `columns`
 * bytes or so.  What is no envelope is shown as it is. */
void show_signal(struct out *out, struct text envelope, unsigned columns);

#endif

/* show.h - a signal as one line for people.
 *
 * Everything in it comes from agents, and agents may be told to do harm: no
 * control sequence of theirs reaches the terminal.
 */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include "base/text.h"
#include "cli/out.h"

/* What the session of a signal is called; empty: not known. */
struct show_names {
	void *self;
	struct text (*name)(void *self, struct text correlation);
};

/* Time, seq, who, type and the beginning of the payload, cut to `columns` bytes or so.  Who is
 * the session, else the source; names: NULL is no session.  What is no envelope is shown as it
 * is. */
void show_signal(struct out *out, struct text envelope, unsigned columns,
                 const struct show_names *names);

#endif

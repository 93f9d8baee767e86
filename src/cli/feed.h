/* feed.h - standard input, line by line, into the box. */
#ifndef CLI_FEED_H
#define CLI_FEED_H

#include "cli/dial.h"

/* What is printed for what was stored. */
enum feed_ack { ACK_SEQ, ACK_JSON, ACK_NOTHING };

/* Until the input ends; the exit status.  Lines that are refused are named on
 * standard error, by their number in the input. */
int feed_input(struct out *out, struct dial *dial, enum feed_ack ack);

#endif

/* feed.h - standard input, line by line, into the box. */
#ifndef CLI_FEED_H
#define CLI_FEED_H

#include "cli/remote.h"
#include "parse/parse.h"

/* What is printed for what was stored. */
enum feed_ack { ACK_SEQ, ACK_JSON, ACK_NOTHING };

/* Until the input ends; the exit status.  Lines that are refused are named on
 * standard error, by their number in the input. */
int feed_input(struct out *out, struct remote *remote, enum feed_ack ack);

/* The same with what an agent prints, or a back end sends.  Of the options only the
 * texts are looked at. */
int feed_parsed(struct out *out, struct remote *remote, enum feed_ack ack,
                const struct parse_kind *kind, const struct parse_options *options);

#endif

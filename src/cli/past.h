/* past.h - the signals of a stretch of a box's journal, one after the other, at any pace.
 *
 * Asked for a page at a time: whoever takes an hour between two lines keeps nobody's
 * connection open.
 */
#ifndef CLI_PAST_H
#define CLI_PAST_H

#include "cli/journal_verbs.h"
#include "cli/remote.h"
#include "signal/position.h"

struct past;

enum past_answer { PAST_ONE, PAST_END, PAST_BAD };

/* Its end is known at once: what comes while it is read is not part of it.  NULL: there
 * is no box, or it refused. */
struct past *past_open(struct remote *remote, const struct journal_stretch *stretch,
                       struct error *why);
void past_close(struct past *past);

/* The line is valid until the next call.  Gaps are said on standard error. */
enum past_answer past_next(struct past *past, struct text *line, struct error *why);

/* With a seq of it, a position that the box knows: EPOCH-SEQ. */
const char *past_epoch(const struct past *past);

/* In seqs: how far it got, and how far it goes. */
uint64_t past_done(const struct past *past);
uint64_t past_total(const struct past *past);

#endif

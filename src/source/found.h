/* found.h - a credential that is not given but found: OpenClaw's own configuration
 * names it.
 *
 * It is not copied.  A source that takes it has it read each time it is dialled, so a
 * new one is found by itself, and it goes only to a socket of this machine that belongs
 * to our own user.  The gateway that was found on this machine takes it unless it was
 * given another; others are told to.
 */
#ifndef SOURCE_FOUND_H
#define SOURCE_FOUND_H

#include "source/source.h"

#define FOUND_OPENCLAW "openclaw" /* where from, as clients say it */

/* May a source take it, if the wish says so?  It has to be a gateway of this machine, and
 * there has to be a token.  source: the one that is changed; NULL: a new one. */
enum back_answer found_agree(struct sources *sources, const struct source *source,
                             const struct source_wish *wish, struct error *why);
/* Is there one?  Reads the file, and whoever takes it is told when that is news. */
bool found_is_there(struct sources *sources, struct error *why);

/* NULL: it takes none.  The caller wipes and frees it. */
char *found_token(struct source *source);

/* Where its credential comes from, as clients see it; NULL: it has none. */
const char *found_from(const struct source *source);

#endif

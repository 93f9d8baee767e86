/* found.h - a credential that is not given but found: the configuration of the producer
 * itself names it (transport.own_credential).
 *
 * It is not copied.  A source that takes it has it read each time it is dialled, so a
 * new one is found by itself, and it goes only to a socket of this machine that belongs
 * to our own user.  A producer that was found on this machine takes it unless it was
 * given another; others are told to.
 */
#ifndef SOURCE_FOUND_H
#define SOURCE_FOUND_H

#include "source/source.h"

/* Whose protocol it is, as clients say where a credential is from; NULL: there is none. */
const struct transport *found_giver(struct text from);
bool found_is_from(struct text from, struct error *why); /* the same, with the names of all */

/* May a source take it, if the wish says so?  It has to be at this machine, and there has to
 * be one.  source: the one that is changed; NULL: a new one. */
enum back_answer found_agree(struct sources *sources, const struct source *source,
                             const struct source_wish *wish, struct error *why);
/* Reads them all again, and whoever takes one is told when it is news. */
void found_look(struct sources *sources);

/* NULL: it takes none.  The caller wipes and frees it. */
char *found_token(struct source *source);

/* Where its credential comes from, as clients see it; NULL: it has none. */
const char *found_from(const struct source *source);

#endif

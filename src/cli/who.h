/* who.h - which source somebody means. */
#ifndef CLI_WHO_H
#define CLI_WHO_H

#include "cli/remote.h"

/* Its id; people may say its name too, if only one has it.  NULL: there is none.  The
 * caller frees it. */
char *who_is(struct remote *remote, const char *word, struct error *why);

#endif

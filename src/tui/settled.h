/* settled.h - what became of a question, in words; pure.
 *
 * Who answers here is not alone: the agent's own dialog may be open beside ours.  So what
 * counts is what the agent did, which the box tells when it knows.
 */
#ifndef TUI_SETTLED_H
#define TUI_SETTLED_H

#include <yyjson.h>

#include "base/buf.h"

/* " by USER (PROCESS, SCREEN)" */
void settled_add_who(struct buf *out, yyjson_val *by);

/* settled is {"by","decision"}; was_answered: somebody answered here, too. */
void settled_add(struct buf *out, yyjson_val *settled, bool was_answered);

/* A frame `prompt-closed`, which the caller frees; NULL: it is another one. */
yyjson_doc *settled_read(struct text raw);

/* Says what an agent did, when that is what the frame tells.  Its question may have left the
 * screen long ago. */
struct tui;
void settled_hear(struct tui *tui, struct text raw);

#endif

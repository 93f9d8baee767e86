/* attached.h - pictures and files of a reply, as an agent names them; pure.
 *
 * Each is an address of the web or a path; in a letter they are a list, a line each.
 */
#ifndef DELIVER_ATTACHED_H
#define DELIVER_ATTACHED_H

#include "base/buf.h"
#include "deliver/wrote.h"

/* One that can be written down: not too long, and of one line. */
bool attached_fits(struct text where);

unsigned attached_count(struct text list);
struct text attached_get(struct text list, unsigned number); /* from 1 on; empty: there is none */

bool attached_is_web(struct text where); /* http or https */
/* The path of it below a directory, which is whole.  NULL in it: it is none. */
struct text attached_below(struct text where, struct text directory);

/* What it is by its name; recordings are voice notes if they are said to be. */
struct channel_file attached_file(struct text where, bool is_voice);

/* "[picture: map.png]" for each, in lines behind a text. */
void attached_put_names(struct text list, bool is_voice, struct buf *out);

#endif

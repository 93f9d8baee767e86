/* bare.h - dialects that are no HTTP: a listener is for one of them alone, and names a source. */
#ifndef BOX_BARE_H
#define BOX_BARE_H

#include "base/text.h"

struct box;
struct conn;

/* Is that the name of one?  It has no credentials. */
bool box_is_bare(struct text dialect);

void box_make_bare(struct box *box);  /* before anybody is accepted */
void box_close_bare(struct box *box); /* before the bus and the listeners go */

/* True: its listener is for one, and it is taken. */
bool box_take_bare(struct box *box, struct conn *conn);

#endif

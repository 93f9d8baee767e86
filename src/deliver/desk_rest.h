/* desk_rest.h - requests of which nothing is left but a letter that waits for its channel. */
#ifndef DELIVER_DESK_REST_H
#define DELIVER_DESK_REST_H

#include "deliver/desk_inside.h"

bool desk_rest(struct nexus *x); /* true: only its letter waits, and it is freed */
struct nexus *desk_rouse(struct desk *d, struct text id); /* NULL: it does not rest */
void desk_free_rests(struct desk *d);

#endif

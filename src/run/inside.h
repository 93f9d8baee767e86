/* inside.h - what the files of this room share. */
#ifndef RUN_INSIDE_H
#define RUN_INSIDE_H

#include "run/fold.h"

/* Found or made; NULL when it cannot be named. */
struct invocation *fold_invocation(struct fold *fold, struct text invoke, struct text session);

/* Instead of what is there; an array of strings, or anything else for none. */
void states_read(struct states *states, yyjson_val *array);

#endif

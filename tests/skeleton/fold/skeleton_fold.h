/* skeleton_fold.h - the least that a fold can be: how many signals there were, and which types. */
#ifndef SKELETON_FOLD_SKELETON_FOLD_H
#define SKELETON_FOLD_SKELETON_FOLD_H

#include "bus/folds.h"

extern const struct fold_kind skeleton_fold; /* its self is what create gives */

void *skeleton_fold_create(void);
void skeleton_fold_destroy(void *self);

#endif

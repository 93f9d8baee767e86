/* skeleton_back.h - the least that a back end can be: whatever it is asked, it says again. */
#ifndef SKELETON_BACK_SKELETON_BACK_H
#define SKELETON_BACK_SKELETON_BACK_H

#include "bus/backs.h"

struct bus;

struct back_end *skeleton_back_create(struct bus *bus);
void skeleton_back_destroy(struct back_end *end);

#endif

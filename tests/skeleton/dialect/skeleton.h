/* skeleton.h - a dialect with all that one can have, and as little of it as can be. */
#ifndef SKELETON_SKELETON_H
#define SKELETON_SKELETON_H

#include "hub/dialect.h"

struct config;
struct skeleton;

extern const struct dialect dialect_skeleton; /* hub_dialect.of is a struct skeleton */
extern const struct dialect dialect_skeleton_door, dialect_skeleton_post; /* need nothing */

extern const struct config_group skeleton_settings;

/* With what the configuration says. */
void *skeleton_create(const struct config *config);
void skeleton_destroy(void *of);

#endif

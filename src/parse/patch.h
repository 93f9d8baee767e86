/* patch.h - which files a patch of apply_patch touches, and how many lines; pure. */
#ifndef PARSE_PATCH_H
#define PARSE_PATCH_H

#include "base/text.h"

#define PATCH_FILES_MAX 200

/* `[{"path":..,"kind":"create"|"update"|"delete","added":n,"removed":n},..]`, which the caller
 * frees; NULL: it touches none. */
char *patch_changes(struct text patch);

#endif

/* version.h - a version of Claude Code: three numbers. */
#ifndef TAP_VERSION_H
#define TAP_VERSION_H

#include "base/text.h"

struct version {
	uint32_t major, minor, patch;
};

/* "2.1.97", or with something behind it: "2.1.97-beta.1", "2.1.50-linux-x64". */
bool version_read(struct text text, struct version *out);

/* Less than, equal to or greater than 0. */
int version_compare(struct version a, struct version b);

#define VERSION_ROOM 36
const char *version_print(struct version version, char out[VERSION_ROOM]);

#endif

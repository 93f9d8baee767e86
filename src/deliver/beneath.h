/* beneath.h - files below a directory, and nothing else: no links, no way up. */
#ifndef DELIVER_BENEATH_H
#define DELIVER_BENEATH_H

#include <stdint.h>

#include "base/error.h"

/* A regular file, to be read, of at most max bytes; -1: why, in words for people. */
int beneath_open(const char *directory, const char *path, uint64_t max, struct error *why);

#endif

/* palette.h - a source's identity colour. */
#ifndef SOURCE_PALETTE_H
#define SOURCE_PALETTE_H

#include "base/text.h"

#define PALETTE_SIZE 8

/* The fixed colour of a service that is found on this machine; NULL: it has none
 * and takes one of the palette. */
const char *palette_local(struct text id);

/* Round and round. */
const char *palette_color(unsigned turn);

bool palette_is_color(struct text t); /* "#5B8DEF" */

#endif

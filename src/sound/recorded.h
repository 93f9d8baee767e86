/* recorded.h - a whole file of sound, as a person has it, made mono and of our rate; pure. */
#ifndef SOUND_RECORDED_H
#define SOUND_RECORDED_H

#include "base/buf.h"
#include "base/error.h"

/* Appends PCM of 16 bits; out->full: there is more of it than `out` takes.  False: it is no file
 * that can be read. */
bool recorded_read(struct text file, int rate_out, struct buf *out, struct error *why);

#endif

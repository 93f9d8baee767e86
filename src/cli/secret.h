/* secret.h - the files that tokens are in.
 *
 * 256 bits as 64 hexadecimal characters and a newline, readable by their owner
 * alone.
 */
#ifndef CLI_SECRET_H
#define CLI_SECRET_H

#include "base/error.h"

#define SECRET_LEN 64

/* Refuses a file that others can read or that is somebody else's. */
bool secret_read(const char *path, char out[SECRET_LEN + 1], struct error *why);

/* A new one, which must not be there yet. */
bool secret_create(const char *path, struct error *why);

/* A new one in the place of the old, in one step and on the disk. */
bool secret_replace(const char *path, struct error *why);

#endif

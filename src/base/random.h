/* random.h - unguessable bytes from the kernel, and numbers of a seed. */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

#define RANDOM_UUID_LEN 36

void random_bytes(void *out, size_t n);

/* A version 4 UUID, 36 characters, no NUL.  Draws from a per-thread pool, so
 * that a signal without an id does not cost a system call. */
void random_uuid(char out[RANDOM_UUID_LEN]);

/* n bytes of randomness as 2 n hexadecimal characters and a NUL. */
void random_hex(char *out, size_t n);

/* The next number of a seed that is not 0: the same on every run, and no secret. */
uint64_t random_draw(uint64_t *seed);

#endif

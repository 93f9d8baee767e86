/* must.h - memory that is there.
 *
 * A daemon without memory is not saved by a thousand untested branches, so an
 * allocation that fails ends the program with one line.  Hostile sizes are
 * stopped before they get here, by the ceilings of whoever asks.
 */
#ifndef BASE_MUST_H
#define BASE_MUST_H

#include <stddef.h>

void *must_alloc(size_t size);              /* not zeroed; size 0 is fine */
void *must_zero(size_t count, size_t size); /* zeroed */
void *must_grow(void *old, size_t size);
void *must_align(size_t align, size_t size); /* size is a multiple of align */
char *must_dup(const char *s);               /* NULL stays NULL */
char *must_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Likewise for what else we cannot go on without: ends the program, and says what. */
void must_give_up(const char *what) __attribute__((noreturn));

#endif

/* hex.h - bytes as hexadecimal digits, two for each, small letters. */
#ifndef BASE_HEX_H
#define BASE_HEX_H

#include <stddef.h>

#include "base/text.h"

int hex_digit(char c); /* its value, of either case; -1: it is none */

void hex_write(char *out, const void *bytes, size_t n); /* 2 * n characters and a NUL */

/* Exactly n bytes; false: it is something else. */
bool hex_read(struct text hex, void *bytes, size_t n);

#endif

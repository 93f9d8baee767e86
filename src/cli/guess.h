/* guess.h - which protocol a program prints, by its command line; pure. */
#ifndef CLI_GUESS_H
#define CLI_GUESS_H

#include <stddef.h>

/* The name of a parser: `lines` when nothing better is known. */
const char *guess_protocol(const char *const *words, size_t count);

const char *guess_name(const char *program); /* without its directories */

#endif

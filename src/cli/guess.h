/* guess.h - which protocol a program prints, by its command line; pure. */
#ifndef CLI_GUESS_H
#define CLI_GUESS_H

#include <stdbool.h>
#include <stddef.h>

/* The name of a parser: `lines` when nothing better is known. */
const char *guess_protocol(const char *const *words, size_t count);

/* Does it have our hooks where they are installed, and nobody reads its output instead? */
bool guess_has_hooks(const char *const *words, const char *protocol);

const char *guess_name(const char *program); /* without its directories */

#endif

/* What the programs of this directory share: words to die with, a clock and a
 * file limit. They stand apart from src/ on purpose. The yardstick and the load
 * client must not change when the program under test does. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdint.h>

/* Say why on standard error, with errno's words if it is set, and exit 1. */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Monotonic nanoseconds. */
uint64_t now_ns(void);

/* Take all the files the hard limit allows; answers how many that is. */
unsigned raise_file_limit(void);

/* Answer `--name VALUE` out of argv, or `otherwise`. */
const char *option(char **argv, const char *name, const char *otherwise);
uint64_t option_number(char **argv, const char *name, uint64_t otherwise);

#endif

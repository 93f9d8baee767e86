/* lines.h - the lines of a file or of standard input, one after the other.
 *
 * What zstd has compressed is known by its first bytes, whatever its name, and read as
 * what it was.
 */
#ifndef CLI_LINES_H
#define CLI_LINES_H

#include "base/error.h"
#include "base/text.h"

struct lines;

enum lines_answer { LINES_ONE, LINES_END, LINES_BAD, LINES_TOO_LONG };

/* "-" is standard input. */
struct lines *lines_open(const char *path, struct error *why);
void lines_close(struct lines *lines);

/* The next line, without spaces at its ends; empty ones are given too.  It is valid until
 * the next call.  One that is too long is passed over. */
enum lines_answer lines_next(struct lines *lines, struct text *line, struct error *why);

uint64_t lines_number(const struct lines *lines); /* of the line that was given last, from 1 */

/* Of the file, as it is on the disk: how much of it is in the lines that were given, about,
 * and how much there is (0: nobody knows). */
uint64_t lines_done(const struct lines *lines);
uint64_t lines_total(const struct lines *lines);

#endif

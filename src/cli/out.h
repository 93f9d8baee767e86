/* out.h - what the program says: data on standard output, words on the other.
 *
 * Data is gathered and written in large pieces.  When whoever reads it went away
 * (`signalbox tail | head -1`), that is an end and not a failure.
 */
#ifndef CLI_OUT_H
#define CLI_OUT_H

#include "base/buf.h"
#include "base/error.h"
#include "base/text.h"

struct out {
	int fd;
	bool colored;
	bool is_terminal;
	int failure; /* errno of the write that failed */
	struct buf bytes;
	char part[4]; /* on a terminal: of a character whose rest is to come */
	uint8_t part_len;
};

void out_init(struct out *out, int fd);

/* "auto": on a terminal and without NO_COLOR; "always", "never". */
bool out_set_color(struct out *out, const char *mode, bool no_color, struct error *why);

/* On a terminal a control, a mark of reading order or a byte that is no text is written as a
 * JSON escape: what is JSON stays the same JSON.  A file or a pipe gets the bytes. */
void out_add(struct out *out, struct text t);
void out_print(struct out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Text from outside: no control sequence of theirs comes out. */
void out_add_shown(struct out *out, struct text t);

/* A sequence such as "\033[31m", when there are colours. */
void out_paint(struct out *out, const char *sequence);

/* Writes what was gathered; false when nobody can be written to any more. */
bool out_flush(struct out *out);

/* Has the reader gone?  For those who wait before they write again. */
bool out_is_deserted(const struct out *out);

/* Flushes and frees.  The status the program should end with: a reader that left
 * is fine, a full disk is not. */
int out_finish(struct out *out, int status);

/* ---- words for people, on standard error, one line each ---- */

void out_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif

/* error.h - why something failed, in words, written once at the bottom.
 *
 * A function that can fail takes `struct error *why` last and returns false or
 * NULL.  The one that finds the fault writes the words; those above pass them
 * on or put their own context before them; the one at the top logs or answers.
 * `why` may be NULL when nobody wants to know.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>

struct error {
	char words[240]; /* cut when longer; always NUL-terminated */
	int code;        /* the errno that they tell, or 0 */
};

/* Always returns false, so that `return error_set(why, ...)` reads well. */
bool error_set(struct error *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same with ": " and the words of errno behind it. */
bool error_errno(struct error *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* May the same go well a moment later, though nobody changed anything?  So it is with a disk
 * that fails or is full, and with descriptors or memory that are used up. */
bool error_is_passing(const struct error *why);

/* Puts context before the words that are there already. */
bool error_within(struct error *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif

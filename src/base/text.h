/* text.h - a piece of somebody else's bytes.
 *
 * A text is a pointer and a length, never NUL-terminated, never owned: it is
 * valid as long as the memory it points into.  The empty text may have a NULL
 * pointer.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct text {
	const char *at;
	size_t len;
};

#define TEXT(literal) ((struct text){(literal), sizeof(literal) - 1})
/* For printf: "%.*s" with TEXT_ARG(t). */
#define TEXT_ARG(t) (int)(t).len, (t).at

static inline struct text text_of(const char *s)
{
	return (struct text){s, s ? strlen(s) : 0};
}

static inline bool text_equal(struct text a, struct text b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.at, b.at, a.len) == 0);
}

static inline bool text_is(struct text a, const char *s)
{
	return text_equal(a, text_of(s));
}

static inline bool text_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool text_equal_nocase(struct text a, struct text b);  /* ASCII only */
bool text_has_nocase(struct text a, struct text part); /* somewhere in it; likewise */
bool text_starts(struct text a, struct text prefix);
bool text_ends(struct text a, struct text suffix);
int text_find(struct text a, char c); /* its index, or -1 */

/* The text before the first c; rest gets what follows it.  Without a c the
 * whole text is returned and rest is empty with a NULL pointer. */
struct text text_cut(struct text a, char c, struct text *rest);
struct text text_trim(struct text a); /* spaces, tabs, CR and LF at both ends */

/* Decimal digits only, no sign, no spaces; false when it does not fit. */
bool text_to_u64(struct text a, uint64_t *out);

/* n in decimal, written at the end of digits. */
#define TEXT_U64_MAX 20
struct text text_of_u64(uint64_t n, char digits[TEXT_U64_MAX]);

char *text_dup(struct text a); /* heap, NUL-terminated; the caller frees it */

#endif

/* text.c - reading pieces of bytes without copying them. */
#include "base/text.h"

#include "base/must.h"

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

bool text_equal_nocase(struct text a, struct text b)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++)
		if (lower(a.at[i]) != lower(b.at[i]))
			return false;
	return true;
}

bool text_has_nocase(struct text a, struct text part)
{
	for (size_t i = 0; i + part.len <= a.len; i++)
		if (text_equal_nocase((struct text){a.at + i, part.len}, part))
			return true;
	return false;
}

bool text_starts(struct text a, struct text prefix)
{
	return a.len >= prefix.len && text_equal((struct text){a.at, prefix.len}, prefix);
}

bool text_ends(struct text a, struct text suffix)
{
	return a.len >= suffix.len &&
	       text_equal((struct text){a.at + a.len - suffix.len, suffix.len}, suffix);
}

int text_find(struct text a, char c)
{
	const char *hit = a.len ? memchr(a.at, c, a.len) : NULL;

	return hit ? (int)(hit - a.at) : -1;
}

struct text text_cut(struct text a, char c, struct text *rest)
{
	int at = text_find(a, c);

	if (at < 0) {
		*rest = (struct text){NULL, 0};
		return a;
	}
	*rest = (struct text){a.at + at + 1, a.len - (size_t)at - 1};
	return (struct text){a.at, (size_t)at};
}

static bool text_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct text text_trim(struct text a)
{
	while (a.len && text_is_blank(a.at[0])) {
		a.at++;
		a.len--;
	}
	while (a.len && text_is_blank(a.at[a.len - 1]))
		a.len--;
	return a;
}

bool text_to_u64(struct text a, uint64_t *out)
{
	uint64_t n = 0;

	if (a.len == 0)
		return false;
	for (size_t i = 0; i < a.len; i++) {
		if (a.at[i] < '0' || a.at[i] > '9')
			return false;
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(a.at[i] - '0'), &n))
			return false;
	}
	*out = n;
	return true;
}

struct text text_of_u64(uint64_t n, char digits[TEXT_U64_MAX])
{
	size_t at = TEXT_U64_MAX;

	do {
		digits[--at] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	return (struct text){digits + at, TEXT_U64_MAX - at};
}

char *text_dup(struct text a)
{
	char *copy = must_alloc(a.len + 1);

	if (a.len)
		memcpy(copy, a.at, a.len);
	copy[a.len] = '\0';
	return copy;
}

/* pointer.c - a pointer that grows towards the root. */
#include "signal/pointer.h"

#include <stdarg.h>
#include <stdio.h>

#define NAME_SHOWN 60

bool pointer_fault(struct error *why, const char *format, ...)
{
	char words[sizeof(why->words)];
	va_list args;

	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	return error_set(why, ": %.230s", words);
}

static bool put_before(struct error *why, const char *name)
{
	struct error inner;

	if (!why)
		return false;
	inner = *why;
	return error_set(why, "/%s%.170s", name, inner.words);
}

bool pointer_member(struct error *why, struct text name)
{
	char escaped[NAME_SHOWN * 2 + 1];
	size_t n = 0;

	for (size_t i = 0; i < name.len && i < NAME_SHOWN; i++) {
		char c = name.at[i];

		if (c == '~' || c == '/')
			escaped[n++] = '~';
		escaped[n++] = (char)(c == '~' ? '0' : c == '/' ? '1' : c);
	}
	escaped[n] = '\0';
	return put_before(why, escaped);
}

bool pointer_item(struct error *why, size_t index)
{
	char digits[TEXT_U64_MAX + 1];

	snprintf(digits, sizeof(digits), "%zu", index);
	return put_before(why, digits);
}

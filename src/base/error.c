/* error.c - words for failures. */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool error_set(struct error *why, const char *format, ...)
{
	va_list args;

	if (!why)
		return false;
	va_start(args, format);
	vsnprintf(why->words, sizeof(why->words), format, args);
	va_end(args);
	why->code = 0;
	return false;
}

bool error_errno(struct error *why, const char *format, ...)
{
	int code = errno;
	char words[sizeof(why->words)];
	va_list args;

	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	error_set(why, "%.150s: %s", words, strerror(code));
	if (why)
		why->code = code;
	return false;
}

bool error_is_passing(const struct error *why)
{
	static const int passing[] = {EIO,    EAGAIN, EINTR,     EBUSY,  ENFILE, EMFILE,
	                              ENOMEM, ESTALE, ETIMEDOUT, ENOSPC, EDQUOT, ENOBUFS};

	for (size_t i = 0; i < sizeof(passing) / sizeof(*passing); i++)
		if (why->code == passing[i])
			return true;
	return false;
}

bool error_within(struct error *why, const char *format, ...)
{
	char words[sizeof(why->words)];
	struct error inner;
	va_list args;

	if (!why)
		return false;
	inner = *why;
	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	error_set(why, "%.80s: %.150s", words, inner.words);
	why->code = inner.code;
	return false;
}

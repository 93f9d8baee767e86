/* must.c - allocation that succeeds or ends the program. */
#include "base/must.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void must_give_up(const char *what)
{
	fprintf(stderr, "signalbox: %s\n", what);
	abort();
}

static void *checked(void *p)
{
	if (!p)
		must_give_up("out of memory");
	return p;
}

void *must_alloc(size_t size)
{
	return checked(malloc(size ? size : 1));
}

void *must_zero(size_t count, size_t size)
{
	return checked(calloc(count ? count : 1, size ? size : 1));
}

void *must_grow(void *old, size_t size)
{
	return checked(realloc(old, size ? size : 1));
}

void *must_align(size_t align, size_t size)
{
	return checked(aligned_alloc(align, size));
}

char *must_dup(const char *s)
{
	return s ? checked(strdup(s)) : NULL;
}

char *must_print(const char *format, ...)
{
	char *out = NULL;
	va_list args;
	int n;

	va_start(args, format);
	n = vasprintf(&out, format, args);
	va_end(args);
	return checked(n < 0 ? NULL : out);
}

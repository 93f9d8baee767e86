/* memory.c - a library to preload: memory that is refused, once or from then on.
 *
 * torture.h says by what it is led.  Not for programs with a sanitizer in them, which
 * have an allocator of their own.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "torture.h"

/* The C library's own, which it offers for this. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t align, size_t size);

#define CALLER __builtin_return_address(0)

static bool is_refused(const char *call, const void *caller)
{
	bool now = torture_now(caller);

	if (!now && !torture_lasts(caller))
		return false;
	if (now)
		torture_tell(call, "gets nothing", caller);
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return is_refused("malloc", CALLER) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return is_refused("calloc", CALLER) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return is_refused("realloc", CALLER) ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t align, size_t size)
{
	return is_refused("aligned_alloc", CALLER) ? NULL : __libc_memalign(align, size);
}

int posix_memalign(void **out, size_t align, size_t size)
{
	void *got = is_refused("posix_memalign", CALLER) ? NULL : __libc_memalign(align, size);

	if (!got)
		return ENOMEM;
	*out = got;
	return 0;
}

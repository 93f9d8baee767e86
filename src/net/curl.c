/* curl.c - loading libcurl. */
#include "net/curl.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/must.h"

#define LIBRARY "libcurl.so.4"

static void *curl_find(void *library, const char *name)
{
	void *call = dlsym(library, name);

	if (!call)
		must_give_up(LIBRARY);
	return call;
}

const struct curl_calls *curl_calls(void)
{
	static struct curl_calls calls; /* filled by the first, on the program's first thread */
	static bool is_there;
	void *library;

	if (is_there)
		return &calls;
	library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		must_give_up(LIBRARY);
#define FIND(name) calls.name = (__typeof__(calls.name))curl_find(library, "curl_" #name);
	CURL_CALLS(FIND)
#undef FIND
	is_there = true;
	return &calls;
}

/* sdbus.c - finds the functions of libsystemd by their names. */
#include "notify/sdbus.h"

#include <dlfcn.h>
#include <pthread.h>

#define LIBRARY "libsystemd.so.0"

static struct sdbus sdbus;
static pthread_once_t sdbus_once = PTHREAD_ONCE_INIT;

static void find_calls(void)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	bool all = library != NULL;

#define FIND(name) \
	sdbus.name = all ? (__typeof__(sdbus.name))dlsym(library, "sd_bus_" #name) : NULL; \
	all = all && sdbus.name;
	SDBUS_CALLS(FIND)
#undef FIND
	sdbus.is_there = all;
}

const struct sdbus *sdbus_load(void)
{
	pthread_once(&sdbus_once, find_calls);
	return &sdbus;
}

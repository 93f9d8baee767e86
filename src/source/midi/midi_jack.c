/* midi_jack.c - finds JACK's functions by their names. */
#include "source/midi/midi_jack.h"

#include <dlfcn.h>
#include <pthread.h>

#include "base/text.h"

#define LIBRARY "libjack.so.0"

struct midi_jack jack;

static pthread_once_t jack_once = PTHREAD_ONCE_INIT;

/* JACK writes what it thinks to standard error unless somebody listens. */
static void hear_nothing(const char *words)
{
	(void)words;
}

/* JACK 1 calls itself 0.125, and PipeWire 0 or 3 and more. */
static bool is_second(void *library)
{
	const char *(*version)(void) =
		(const char *(*)(void))dlsym(library, "jack_get_version_string");

	return version && text_starts(text_of(version()), TEXT("1."));
}

static void load_jack(void)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	bool all = library != NULL;

#define FIND(name) \
	jack.name = all ? (__typeof__(jack.name))dlsym(library, "jack_" #name) : NULL; \
	all = all && jack.name;
	JACK_CALLS(FIND)
#undef FIND
	jack.is_there = all;
	if (!all)
		return;
	jack.is_second = is_second(library);
	jack.set_error_function(hear_nothing);
	jack.set_info_function(hear_nothing);
}

bool midi_jack_load(void)
{
	pthread_once(&jack_once, load_jack);
	return jack.is_there;
}

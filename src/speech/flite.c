/* flite.c - a voice of flite, whose libraries are loaded and not linked. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/must.h"
#include "speech/mouth.h"

#define LIBRARY "libflite.so.1"

struct voice; /* flite's own */
struct wave {
	const char *type;
	int rate, count, channels;
	short *samples;
};

#define CALLS(X) \
	X(int, flite_init, (void)) \
	X(struct wave *, flite_text_to_wave, (const char *, struct voice *)) \
	X(void, delete_wave, (struct wave *))

#define MEMBER(kind, name, parameters) kind(*name) parameters;
struct flite {
	struct mouth mouth;
	CALLS(MEMBER)
	struct voice *voice;
	pthread_mutex_t busy;
};
#undef MEMBER

static bool find_calls(struct flite *flite)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_GLOBAL); /* the voices want its names */
	bool all = library != NULL;

#define FIND(kind, name, parameters) \
	flite->name = all ? (__typeof__(flite->name))dlsym(library, #name) : NULL; \
	all = all && flite->name;
	CALLS(FIND)
#undef FIND
	return all;
}

static struct voice *load_voice(const char *name)
{
	char *path = must_print("libflite_%s.so.1", name), *entry = must_print("register_%s", name);
	void *library = dlopen(path, RTLD_NOW);
	struct voice *(*open_voice)(const char *) =
		library ? (struct voice * (*)(const char *)) dlsym(library, entry) : NULL;

	free(path);
	free(entry);
	return open_voice ? open_voice(NULL) : NULL;
}

struct mouth *flite_open(const struct mouth_voice *voice, struct error *why)
{
	struct flite *flite = must_zero(1, sizeof(*flite));

	flite->mouth.voice = voice;
	pthread_mutex_init(&flite->busy, NULL);
	if (find_calls(flite)) {
		flite->flite_init();
		flite->voice = load_voice(voice->detail);
	}
	if (flite->voice)
		return &flite->mouth;
	error_set(why, "flite is not there: Debian's package is flite");
	flite_close(&flite->mouth);
	return NULL;
}

void flite_close(struct mouth *mouth)
{
	struct flite *flite = (struct flite *)mouth;

	pthread_mutex_destroy(&flite->busy);
	free(flite);
}

bool flite_say(struct mouth *mouth, const char *plain, struct buf *pcm, int *rate,
               struct error *why)
{
	struct flite *flite = (struct flite *)mouth;
	struct wave *wave;
	bool fits = false;

	pthread_mutex_lock(&flite->busy);
	wave = flite->flite_text_to_wave(plain, flite->voice);
	pthread_mutex_unlock(&flite->busy);
	if (!wave)
		return error_set(why, "flite does not say it");
	*rate = wave->rate;
	if (wave->channels == 1)
		fits = buf_add(pcm,
		               (struct text){(const char *)wave->samples, 2 * (size_t)wave->count});
	flite->delete_wave(wave);
	return fits || error_set(why, "flite says it too long");
}

/* mouth.h - who says a sentence: flite, a library that is loaded, or festival, a program that
 * stays; whichever Debian package is there.  Several threads may ask; one waits for the other. */
#ifndef SPEECH_MOUTH_H
#define SPEECH_MOUTH_H

#include "base/buf.h"
#include "base/error.h"

#define MOUTH_SENTENCE_MAX 2000 /* bytes; the rest of a longer one is not said */
#define MOUTH_WORD_MAX 40       /* letters; a longer word takes minutes, so it is parted */

struct mouth;

struct mouth_voice {
	const char *name; /* "flite-rms" */
	const char *words, *language;
	struct mouth *(*open)(const struct mouth_voice *voice, struct error *why);
	void (*close)(struct mouth *mouth);
	/* Appends PCM of 16 bits, mono, and says its rate. */
	bool (*say)(struct mouth *mouth, const char *plain, struct buf *pcm, int *rate,
	            struct error *why);
	const char *detail; /* for whoever opens it */
};

extern const struct mouth_voice mouth_voices[]; /* ends with a name that is NULL */

/* The named one, or the first that can be opened if the name is empty. */
struct mouth *mouth_open(struct text name, struct error *why);
void mouth_close(struct mouth *mouth); /* NULL is fine */
const struct mouth_voice *mouth_voice(const struct mouth *mouth);
bool mouth_say(struct mouth *mouth, struct text sentence, struct buf *pcm, int *rate,
               struct error *why);

/* How many bytes the first sentence has of words that go on: to its mark with a blank behind it, or
 * MOUTH_SENTENCE_MAX.  0: none is whole. */
size_t mouth_sentence(struct text words);

/* What both can read aloud: printable ASCII on one line.  Typographic quotes and dashes become
 * plain ones, accents are dropped, anything else is a space. */
void mouth_put_plain(struct text sentence, struct buf *out);

/* What each kind of voice begins with. */
struct mouth {
	const struct mouth_voice *voice;
};

struct mouth *flite_open(const struct mouth_voice *voice, struct error *why);
void flite_close(struct mouth *mouth);
bool flite_say(struct mouth *mouth, const char *plain, struct buf *pcm, int *rate,
               struct error *why);
struct mouth *festival_open(const struct mouth_voice *voice, struct error *why);
void festival_close(struct mouth *mouth);
bool festival_say(struct mouth *mouth, const char *plain, struct buf *pcm, int *rate,
                  struct error *why);

#endif

/* ear.h - an utterance: sound in, words out, as they are known.
 *
 * Told sound, it tells words: those of a growing utterance now and then (each replaces the last),
 * whether somebody speaks, and those of the whole at its end.  Whoever feeds it waits while it
 * works, so partial words are made when rest() says that nothing else is to do.
 */
#ifndef SPEECH_EAR_H
#define SPEECH_EAR_H

#include "speech/sherpa.h"

#define EAR_SECONDS_MAX 120
#define EAR_QUIET_MS 300   /* silence that stands before and behind what is decoded */
#define EAR_PARTIAL_MS 400 /* of new sound, before the words are looked at again */

struct ear_options {
	bool partials;
	bool detects; /* whether somebody speaks */
	struct detector_times times;
};

struct ear_listener {
	void *self;
	void (*speaks)(void *self, bool speaks, unsigned at_ms); /* began, or stopped, by then */
};

struct ear;
struct ear *ear_create(struct sherpa *sherpa, const struct ear_options *options,
                       const struct ear_listener *listener);
void ear_destroy(struct ear *ear); /* NULL is fine */

/* PCM of 16 bits, mono, 16,000 a second.  False: the utterance is longer than EAR_SECONDS_MAX. */
bool ear_feed(struct ear *ear, struct text pcm);
/* Appends the words until now, if they were asked for and there is enough new sound. */
bool ear_rest(struct ear *ear, struct buf *words);
/* Appends the words of all of it, and begins anew. */
void ear_end(struct ear *ear, struct buf *words);

#endif

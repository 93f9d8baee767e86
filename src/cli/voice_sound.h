/* voice_sound.h - files of sound, as `signalbox voice` reads and writes them. */
#ifndef CLI_VOICE_SOUND_H
#define CLI_VOICE_SOUND_H

#include "base/buf.h"
#include "base/error.h"

#define VOICE_RATE 16000  /* samples a second that a box hears */
#define VOICE_CHUNK_MS 20 /* of it go there at once */
#define VOICE_CHUNK_BYTES ((size_t)VOICE_RATE / 1000 * VOICE_CHUNK_MS * 2)
#define VOICE_QUESTION_S 120        /* of sound; a box hears no more at once */
#define VOICE_ANSWER_MAX (64 * MIB) /* bytes of sound of one answer: more than ten minutes */

/* A WAV file of any rate and channels, as mono PCM16 of VOICE_RATE in `pcm`. */
bool voice_sound_load(const char *path, struct buf *pcm, struct error *why);

/* In the place of whatever has the name.  rate 0: it has no sound. */
bool voice_sound_save(const char *path, int rate, struct text pcm, struct error *why);

#endif

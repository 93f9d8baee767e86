/* wav.h - files of sound: RIFF WAVE with PCM of 16 bits; pure.
 *
 * Reading takes what microphones and synthesisers write, also by a pipe, where nobody knew how
 * long it would be.  Anything else is refused in words.
 */
#ifndef SOUND_WAV_H
#define SOUND_WAV_H

#include "base/buf.h"
#include "base/error.h"

struct wav {
	int rate, channels;
	struct text pcm; /* little-endian, interleaved, whole frames; within the file's bytes */
};

bool wav_read(struct text file, struct wav *out, struct error *why);

#define WAV_HEAD_BYTES 44
/* The head of a file with so many bytes of mono PCM behind it. */
void wav_put_head(struct buf *out, int rate, size_t pcm_bytes);

#endif

/* wav.h - files of sound: RIFF WAVE with PCM or floating point; pure.
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
	int bits;          /* of a sample: 8 without a sign, 16, 24, 32; floating point: 32, 64 */
	bool is_float;     /* IEEE, 1.0 is the loudest */
	struct text sound; /* little-endian, interleaved, whole frames; within the file's bytes */
};

bool wav_read(struct text file, struct wav *out, struct error *why);
/* Only PCM of 16 bits, as engines speak: everything else is refused. */
bool wav_read_plain(struct text file, struct wav *out, struct error *why);

/* Appends whole samples of a file as PCM of 16 bits.  What is louder than that can say is as
 * loud as it can, what is no number is silence. */
void wav_add_plain(const struct wav *wav, struct text samples, struct buf *out);

#define WAV_HEAD_BYTES 44
/* The head of a file with so many bytes of mono PCM behind it. */
void wav_put_head(struct buf *out, int rate, size_t pcm_bytes);

#endif

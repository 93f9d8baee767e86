/* sound.c - fuzz: files of sound, made mono and of our rate. */
#include <stdlib.h>

#include "sound/resample.h"
#include "sound/wav.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define INPUT_MAX (64 * KIB)
#define RATE 16000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text file = {(const char *)data, size};
	struct resample *resample;
	struct error why;
	struct wav wav;
	struct buf out;
	size_t frames;

	if (size > INPUT_MAX || !wav_read(file, &wav, &why))
		return 0;
	if (wav.pcm.at < file.at || wav.pcm.at + wav.pcm.len > file.at + file.len)
		abort();
	buf_init(&out, 8 * MIB);
	resample = resample_create(wav.rate, wav.channels, RATE);
	resample_feed(resample, wav.pcm, &out);
	resample_end(resample, &out);
	frames = wav.pcm.len / 2 / (size_t)wav.channels;
	if (out.len / 2 > frames * RATE / (size_t)wav.rate + 2)
		abort();
	resample_destroy(resample);
	buf_finish(&out);
	return 0;
}

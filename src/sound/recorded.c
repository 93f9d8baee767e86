/* recorded.c - see recorded.h. */
#include "sound/recorded.h"

#include "sound/resample.h"
#include "sound/wav.h"

#define PIECE_SAMPLES (16 * KIB) /* so that a file of any length takes no more memory than itself */

bool recorded_read(struct text file, int rate_out, struct buf *out, struct error *why)
{
	struct resample *resample;
	struct wav wav;
	struct buf plain;
	size_t piece;

	if (!wav_read(file, &wav, why))
		return false;
	piece = PIECE_SAMPLES * (size_t)wav.bits / 8;
	buf_init(&plain, 2 * PIECE_SAMPLES);
	resample = resample_create(wav.rate, wav.channels, rate_out);
	for (size_t at = 0; at < wav.sound.len && !out->full; at += piece) {
		size_t left = wav.sound.len - at;

		buf_clear(&plain);
		wav_add_plain(&wav, (struct text){wav.sound.at + at, left < piece ? left : piece},
		              &plain);
		resample_feed(resample, buf_text(&plain), out);
	}
	resample_end(resample, out);
	resample_destroy(resample);
	buf_finish(&plain);
	return true;
}

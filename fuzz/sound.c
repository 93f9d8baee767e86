/* sound.c - fuzz: files of sound, made mono and of our rate. */
#include <stdlib.h>

#include "sound/incoming.h"
#include "sound/recorded.h"
#include "sound/wav.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define INPUT_MAX (64 * KIB)
#define RATE 16000

/* However it is cut, the same comes of it. */
static void check_incoming(struct text file)
{
	struct buf whole, parts;
	bool good[2] = {true, true};
	struct error why;

	buf_init(&whole, 8 * MIB);
	buf_init(&parts, 8 * MIB);
	for (int i = 0; i < 2; i++) {
		struct buf *out = i ? &parts : &whole;
		struct incoming *incoming = incoming_create(24000, 1, 24000);
		size_t piece = i ? 1 + file.len % 700 : file.len;

		for (size_t at = 0; good[i] && at < file.len; at += piece)
			good[i] = incoming_feed(incoming,
			                        (struct text){file.at + at, file.len - at < piece
			                                                            ? file.len - at
			                                                            : piece},
			                        out, &why);
		good[i] = good[i] && incoming_end(incoming, out, &why);
		incoming_destroy(incoming);
	}
	if (good[0] != good[1] || !text_equal(buf_text(&whole), buf_text(&parts)))
		abort();
	buf_finish(&whole);
	buf_finish(&parts);
}

/* As many samples as there are in the file, of the rate that is asked for. */
static void check_recorded(struct text file, const struct wav *wav)
{
	size_t frames = wav->sound.len / ((size_t)wav->bits / 8) / (size_t)wav->channels;
	struct error why;
	struct buf out;

	buf_init(&out, 8 * MIB);
	if (!recorded_read(file, RATE, &out, &why) ||
	    out.len / 2 > frames * RATE / (size_t)wav->rate + 2)
		abort();
	buf_finish(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text file = {(const char *)data, size};
	struct error why;
	struct wav wav;

	if (size > INPUT_MAX)
		return 0;
	check_incoming(file);
	if (!wav_read(file, &wav, &why))
		return 0;
	if (wav.sound.at < file.at || wav.sound.at + wav.sound.len > file.at + file.len)
		abort();
	check_recorded(file, &wav);
	return 0;
}

/* wav.c - see wav.h. */
#include "sound/wav.h"

#include <math.h>

#define RIFF_BYTES 12
#define CHUNK_BYTES 8
#define FORMAT_BYTES 16

#define WAVE_PCM 1
#define WAVE_FLOAT 3
#define WAVE_EXTENSIBLE 0xfffe /* says in its extension which of them it is */
#define SUBFORMAT_AT 24        /* within the chunk of an extensible format */

#define RATE_MIN 4000
#define RATE_MAX 192000
#define CHANNELS_MAX 8

static uint64_t read_le64(const char *at, unsigned bytes)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < bytes; i++)
		n |= (uint64_t)(unsigned char)at[i] << (8 * i);
	return n;
}

static uint32_t read_le(const char *at, unsigned bytes)
{
	return (uint32_t)read_le64(at, bytes);
}

/* The chunk at the start of rest, and rest without it.  One that is longer than the file, as
 * pipes leave them, ends with the file. */
static bool next_chunk(struct text *rest, struct text *name, struct text *body)
{
	size_t len, whole;

	if (rest->len < CHUNK_BYTES)
		return false;
	len = read_le(rest->at + 4, 4);
	*name = (struct text){rest->at, 4};
	*body = (struct text){rest->at + CHUNK_BYTES, rest->len - CHUNK_BYTES};
	if (body->len > len)
		body->len = len;
	whole = CHUNK_BYTES + body->len + (body->len & 1);
	if (whole > rest->len)
		whole = rest->len;
	*rest = (struct text){rest->at + whole, rest->len - whole};
	return true;
}

static bool is_known_sample(unsigned format, unsigned bits)
{
	if (format == WAVE_FLOAT)
		return bits == 32 || bits == 64;
	return format == WAVE_PCM && (bits == 8 || bits == 16 || bits == 24 || bits == 32);
}

static bool read_format(struct text body, struct wav *out, struct error *why)
{
	unsigned format, bits;

	if (body.len < FORMAT_BYTES)
		return error_set(why, "a WAV file whose format is cut off");
	format = read_le(body.at, 2);
	if (format == WAVE_EXTENSIBLE && body.len >= SUBFORMAT_AT + 2)
		format = read_le(body.at + SUBFORMAT_AT, 2);
	bits = read_le(body.at + 14, 2);
	if (!is_known_sample(format, bits))
		return error_set(why,
		                 "a WAV file with %u bits of format %u; PCM of 8, 16, 24 and 32 "
		                 "bits and floating point are known",
		                 bits, format);
	out->is_float = format == WAVE_FLOAT;
	out->bits = (int)bits;
	out->channels = (int)read_le(body.at + 2, 2);
	out->rate = (int)read_le(body.at + 4, 4);
	if (out->channels < 1 || out->channels > CHANNELS_MAX)
		return error_set(why, "a WAV file with %d channels", out->channels);
	if (out->rate < RATE_MIN || out->rate > RATE_MAX)
		return error_set(why, "a WAV file with %d samples a second", out->rate);
	return true;
}

/* Who writes into a pipe does not know how long a file gets, and may say 0: then it is the rest. */
static void take_frames(struct text body, struct text rest, struct wav *out)
{
	size_t frame = (size_t)out->bits / 8 * (size_t)out->channels;

	if (!body.len)
		body = rest;
	out->sound = (struct text){body.at, body.len - body.len % frame};
}

bool wav_read(struct text file, struct wav *out, struct error *why)
{
	struct text rest, name, body;

	*out = (struct wav){0};
	if (file.len < RIFF_BYTES || memcmp(file.at, "RIFF", 4) != 0 ||
	    memcmp(file.at + 8, "WAVE", 4) != 0)
		return error_set(why, "no WAV file");
	rest = (struct text){file.at + RIFF_BYTES, file.len - RIFF_BYTES};
	while (next_chunk(&rest, &name, &body)) {
		if (text_is(name, "fmt ") && !read_format(body, out, why))
			return false;
		if (!text_is(name, "data"))
			continue;
		if (!out->rate)
			return error_set(why, "a WAV file that does not say its format");
		take_frames(body, rest, out);
		return true;
	}
	return error_set(why, "a WAV file without sound");
}

bool wav_read_plain(struct text file, struct wav *out, struct error *why)
{
	if (!wav_read(file, out, why))
		return false;
	if (out->bits == 16)
		return true;
	return error_set(why, "a WAV file with %d bits of format %d; PCM of 16 bits is known",
	                 out->bits, out->is_float ? WAVE_FLOAT : WAVE_PCM);
}

static double float_of(uint64_t bits, int width)
{
	uint32_t low = (uint32_t)bits;
	float single;
	double value;

	memcpy(&single, &low, sizeof(single));
	memcpy(&value, &bits, sizeof(value));
	return width == 32 ? (double)single : value;
}

/* Between -1 and 1, unless it is floating point, which may be anything. */
static double value_of(const struct wav *wav, const char *at)
{
	uint64_t bits = read_le64(at, (unsigned)wav->bits / 8);

	if (wav->is_float)
		return float_of(bits, wav->bits);
	if (wav->bits == 8)
		return ((double)bits - 128) / 128;
	/* The sign stands at the top, and the rest counts up from there. */
	bits ^= UINT64_C(1) << (wav->bits - 1);
	return ldexp((double)bits, 1 - wav->bits) - 1;
}

static int16_t plain_of(double value)
{
	if (!isfinite(value))
		return 0;
	if (value >= 1)
		return INT16_MAX;
	if (value <= -1)
		return INT16_MIN;
	value = round(value * -(double)INT16_MIN);
	return (int16_t)(value > INT16_MAX ? INT16_MAX : value);
}

void wav_add_plain(const struct wav *wav, struct text samples, struct buf *out)
{
	size_t width = (size_t)wav->bits / 8;

	if (wav->bits == 16) {
		buf_add(out, samples);
		return;
	}
	for (size_t i = 0; i + width <= samples.len; i += width) {
		uint16_t sample = (uint16_t)plain_of(value_of(wav, samples.at + i));

		buf_add_char(out, (char)(sample & 0xff));
		buf_add_char(out, (char)(sample >> 8));
	}
}

static void put_le(struct buf *out, uint32_t n, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		buf_add_char(out, (char)(n >> (8 * i)));
}

void wav_put_head(struct buf *out, int rate, size_t pcm_bytes)
{
	uint32_t bytes = pcm_bytes > UINT32_MAX - WAV_HEAD_BYTES ? UINT32_MAX - WAV_HEAD_BYTES
	                                                         : (uint32_t)pcm_bytes;

	buf_add(out, TEXT("RIFF"));
	put_le(out, bytes + WAV_HEAD_BYTES - CHUNK_BYTES, 4);
	buf_add(out, TEXT("WAVEfmt "));
	put_le(out, FORMAT_BYTES, 4);
	put_le(out, WAVE_PCM, 2);
	put_le(out, 1, 2); /* channels */
	put_le(out, (uint32_t)rate, 4);
	put_le(out, (uint32_t)rate * 2, 4); /* bytes a second */
	put_le(out, 2, 2);                  /* bytes of a frame */
	put_le(out, 16, 2);                 /* bits of a sample */
	buf_add(out, TEXT("data"));
	put_le(out, bytes, 4);
}

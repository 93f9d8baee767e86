/* wav.c - see wav.h. */
#include "sound/wav.h"

#define RIFF_BYTES 12
#define CHUNK_BYTES 8
#define FORMAT_BYTES 16

#define WAVE_PCM 1
#define WAVE_EXTENSIBLE 0xfffe /* says in its extension what it is: here always PCM or float */
#define SUBFORMAT_AT 24        /* within the chunk of an extensible format */

#define RATE_MIN 4000
#define RATE_MAX 192000
#define CHANNELS_MAX 8

static uint32_t read_le(const char *at, unsigned bytes)
{
	uint32_t n = 0;

	for (unsigned i = 0; i < bytes; i++)
		n |= (uint32_t)(unsigned char)at[i] << (8 * i);
	return n;
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

static bool read_format(struct text body, struct wav *out, struct error *why)
{
	unsigned format, bits;

	if (body.len < FORMAT_BYTES)
		return error_set(why, "a WAV file whose format is cut off");
	format = read_le(body.at, 2);
	if (format == WAVE_EXTENSIBLE && body.len >= SUBFORMAT_AT + 2)
		format = read_le(body.at + SUBFORMAT_AT, 2);
	bits = read_le(body.at + 14, 2);
	if (format != WAVE_PCM || bits != 16)
		return error_set(why,
		                 "a WAV file with %u bits of format %u; PCM of 16 bits is known",
		                 bits, format);
	out->channels = (int)read_le(body.at + 2, 2);
	out->rate = (int)read_le(body.at + 4, 4);
	if (out->channels < 1 || out->channels > CHANNELS_MAX)
		return error_set(why, "a WAV file with %d channels", out->channels);
	if (out->rate < RATE_MIN || out->rate > RATE_MAX)
		return error_set(why, "a WAV file with %d samples a second", out->rate);
	return true;
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
		out->pcm =
			(struct text){body.at, body.len - body.len % (2 * (size_t)out->channels)};
		return true;
	}
	return error_set(why, "a WAV file without sound");
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

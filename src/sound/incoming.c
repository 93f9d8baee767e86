/* incoming.c - see incoming.h. */
#include "sound/incoming.h"

#include <stdlib.h>

#include "base/must.h"
#include "sound/resample.h"
#include "sound/wav.h"

#define MAGIC_BYTES 4 /* by which a file is known */
#define ENDLESS UINT64_MAX

struct incoming {
	int rate, channels, rate_out;
	struct resample *resample; /* NULL: it is not known yet what comes */
	struct buf head;
	uint64_t left; /* bytes of sound; what follows them in a file is none */
};

struct incoming *incoming_create(int rate, int channels, int rate_out)
{
	struct incoming *incoming = must_zero(1, sizeof(*incoming));

	incoming->rate = rate;
	incoming->channels = channels;
	incoming->rate_out = rate_out;
	incoming->left = ENDLESS;
	buf_init(&incoming->head, INCOMING_HEAD_MAX);
	return incoming;
}

void incoming_destroy(struct incoming *incoming)
{
	if (!incoming)
		return;
	resample_destroy(incoming->resample);
	buf_finish(&incoming->head);
	free(incoming);
}

static void take_sound(struct incoming *incoming, struct text bytes, struct buf *out)
{
	if (bytes.len > incoming->left)
		bytes.len = (size_t)incoming->left;
	if (incoming->left != ENDLESS)
		incoming->left -= bytes.len;
	resample_feed(incoming->resample, bytes, out);
}

static void begin_plain(struct incoming *incoming, struct buf *out)
{
	incoming->resample =
		resample_create(incoming->rate, incoming->channels, incoming->rate_out);
	take_sound(incoming, buf_text(&incoming->head), out);
	buf_finish(&incoming->head);
}

/* Who writes into a pipe does not know how long a file gets, and says 0 or more than there is. */
static uint64_t length_before(const char *sound)
{
	uint64_t length = 0;

	for (unsigned i = 0; i < 4; i++)
		length |= (uint64_t)(unsigned char)sound[(int)i - 4] << (8 * i);
	return length ? length : ENDLESS;
}

static void begin_file(struct incoming *incoming, const struct wav *wav, struct buf *out)
{
	struct text head = buf_text(&incoming->head);
	size_t begin = (size_t)(wav->sound.at - head.at);

	incoming->left = length_before(wav->sound.at);
	incoming->resample = resample_create(wav->rate, wav->channels, incoming->rate_out);
	take_sound(incoming, (struct text){wav->sound.at, head.len - begin}, out);
	buf_finish(&incoming->head);
}

static bool is_file(const struct incoming *incoming)
{
	return incoming->head.len >= MAGIC_BYTES &&
	       memcmp(incoming->head.at, "RIFF", MAGIC_BYTES) == 0;
}

bool incoming_feed(struct incoming *incoming, struct text bytes, struct buf *out, struct error *why)
{
	struct text part = bytes;
	struct wav wav;

	if (incoming->resample) {
		take_sound(incoming, bytes, out);
		return true;
	}
	if (part.len > INCOMING_HEAD_MAX - incoming->head.len)
		part.len = INCOMING_HEAD_MAX - incoming->head.len;
	buf_add(&incoming->head, part);
	if (incoming->head.len < MAGIC_BYTES)
		return true;
	if (!is_file(incoming))
		begin_plain(incoming, out);
	else if (wav_read_plain(buf_text(&incoming->head), &wav, why))
		begin_file(incoming, &wav, out);
	else
		return incoming->head.len < INCOMING_HEAD_MAX; /* the rest of it may come */
	take_sound(incoming, (struct text){bytes.at + part.len, bytes.len - part.len}, out);
	return true;
}

bool incoming_end(struct incoming *incoming, struct buf *out, struct error *why)
{
	struct wav wav;

	if (!incoming->resample && is_file(incoming)) /* its head never was whole */
		return wav_read_plain(buf_text(&incoming->head), &wav, why);
	if (!incoming->resample)
		begin_plain(incoming, out);
	resample_end(incoming->resample, out);
	return true;
}

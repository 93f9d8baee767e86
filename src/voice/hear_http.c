/* hear_http.c - hearing by a server with the routes of OpenAI.
 *
 * It takes whole files, so the sound is gathered until all of it came.  It lies where it will be
 * sent from: within the form. */
#include <stdlib.h>

#include "base/base64.h"
#include "base/must.h"
#include "net/loop.h"
#include "sound/wav.h"
#include "voice/transcribe.h"

#define SOUND_MAX ((size_t)VOICE_SECONDS_MAX * VOICE_RATE * 2)
#define CHUNK_MAX (1 * MIB) /* of sound in one piece */

struct http_hearing {
	const struct voice_means *means;
	struct voice_ear ear;
	struct multipart form;
	size_t begin; /* of the file in it */
	bool is_over;
	struct transcribe *transcribe; /* NULL: not all of the sound came */
};

/* Its session may stop it then: it is the last that its caller does. */
static void tell_failure(struct http_hearing *hearing, enum voice_code code, const char *why)
{
	struct voice_fact fact = {.kind = FACT_FAILED,
	                          .code = code,
	                          .retryable = code == VOICE_NO_SPEECH,
	                          .text = text_of(why),
	                          .now_ms = loop_now_ms(hearing->means->around->loop)};

	hearing->is_over = true;
	hearing->ear.told(hearing->ear.self, hearing->ear.turn, &fact);
}

static size_t bytes_of(const struct http_hearing *hearing)
{
	return hearing->form.body.len - hearing->begin - WAV_HEAD_BYTES;
}

static void *begin_hearing(const void *of, const struct voice_ear *ear, uint64_t now_ms)
{
	struct http_hearing *hearing = must_zero(1, sizeof(*hearing));

	(void)now_ms;
	hearing->means = of;
	hearing->ear = *ear;
	transcribe_begin_form(&hearing->form, hearing->means,
	                      SOUND_MAX + CHUNK_MAX + WAV_HEAD_BYTES);
	multipart_begin_file(&hearing->form, &(struct multipart_file){"file", TEXT("speech.wav"),
	                                                              TEXT("audio/wav")});
	hearing->begin = hearing->form.body.len;
	wav_put_head(&hearing->form.body, VOICE_RATE, 0); /* how long it is, is said at the end */
	return hearing;
}

static void feed_hearing(void *work, struct text piece, uint64_t now_ms)
{
	struct http_hearing *hearing = work;

	(void)now_ms;
	if (hearing->is_over)
		return;
	if (piece.len / 4 > CHUNK_MAX / 3 || !base64_read(piece, &hearing->form.body))
		tell_failure(hearing, VOICE_INVALID_MESSAGE,
		             "a chunk is PCM of 16 bits, mono, 16 kHz, in base64, of at most 1 "
		             "MiB");
	else if (bytes_of(hearing) > SOUND_MAX)
		tell_failure(hearing, VOICE_TOO_LONG, "an utterance may last two minutes");
}

/* Half a sample at its end is none. */
static void end_form(struct http_hearing *hearing)
{
	struct multipart *form = &hearing->form;
	size_t bytes = bytes_of(hearing) & ~(size_t)1;
	struct buf head;

	buf_init(&head, WAV_HEAD_BYTES);
	wav_put_head(&head, VOICE_RATE, bytes);
	memcpy(form->body.at + hearing->begin, head.at, WAV_HEAD_BYTES);
	buf_finish(&head);
	form->body.len = hearing->begin + WAV_HEAD_BYTES + bytes;
	multipart_end_file(form);
	multipart_end(form);
}

static void end_hearing(void *work, uint64_t now_ms)
{
	struct http_hearing *hearing = work;
	struct error why;

	(void)now_ms;
	if (hearing->is_over)
		return;
	if (bytes_of(hearing) < 2) {
		tell_failure(hearing, VOICE_NO_SPEECH, "there was no sound");
		return;
	}
	end_form(hearing);
	hearing->transcribe = transcribe_start(hearing->means, &hearing->form, &hearing->ear, &why);
	multipart_finish(&hearing->form);
	if (!hearing->transcribe)
		tell_failure(hearing, VOICE_ENGINE_UNAVAILABLE, why.words);
}

static void stop_hearing(void *work)
{
	struct http_hearing *hearing = work;

	transcribe_stop(hearing->transcribe);
	multipart_finish(&hearing->form);
	free(hearing);
}

const struct voice_role voice_hear_http = {
	.begin = begin_hearing,
	.feed = feed_hearing,
	.end = end_hearing,
	.stop = stop_hearing,
};

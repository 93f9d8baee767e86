/* talk.c - see talk.h. */
#include "speech/talk.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/put.h"
#include "parse/wyoming.h"
#include "sound/resample.h"
#include "speech/ear.h"

#define MORE_MS 10 /* that the end of an utterance may come after its last sound */
#define READ_MAX (64 * KIB)
#define SOUND_MAX (64 * MIB)  /* of one sentence */
#define CHUNK_BYTES (4 * KIB) /* of sound in one event */
#define DATA_MAX (128 * KIB)
#define OUT_MAX (2 * MIB)
#define SPEECH_MS 250
#define SILENCE_MS 500

struct talking {
	const struct engines *engines;
	int fd;
	struct wyoming_reader reader;
	struct buf out;           /* not yet sent */
	struct ear_options wish;  /* of the next utterance */
	struct ear *ear;          /* NULL: no utterance */
	struct resample *convert; /* of its sound */
	struct buf heard;         /* scratch */
	struct buf words;         /* to be said, that are no sentence yet, */
	bool is_told;             /* while they come piece by piece */
	bool is_over;
};

/* ---- saying ---- */

static void send_out(struct talking *talking)
{
	size_t sent = 0;

	while (sent < talking->out.len) {
		ssize_t n = send(talking->fd, talking->out.at + sent, talking->out.len - sent,
		                 MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			talking->is_over = true;
			break;
		}
		sent += (size_t)n;
	}
	buf_clear(&talking->out);
}

static void send_event(struct talking *talking, const char *type, const struct buf *data)
{
	wyoming_write(&talking->out, type, data ? buf_text(data) : TEXT(""), TEXT(""));
	send_out(talking);
}

static void tell_text(struct talking *talking, const char *type, struct text text)
{
	struct buf data;

	buf_init(&data, DATA_MAX);
	put_object(&data, NULL);
	put_text(&data, "text", text);
	put_end(&data);
	send_event(talking, type, &data);
	buf_finish(&data);
}

static void tell_error(struct talking *talking, const struct error *why)
{
	tell_text(talking, "error", text_of(why->words));
}

/* ---- what is here ---- */

static void put_artifact(struct buf *out, const char *name, const char *words, const char *from)
{
	put_word(out, "name", name);
	put_word(out, "description", words);
	put_bool(out, "installed", true);
	put_word(out, "version", SIGNALBOX_VERSION);
	put_object(out, "attribution");
	put_word(out, "name", from);
	put_word(out, "url", "");
	put_end(out);
}

static void put_languages(struct buf *out, const char *language)
{
	put_list(out, "languages");
	put_word(out, NULL, language);
	put_list_end(out);
}

static void put_hearing(struct buf *out, const struct engines *engines)
{
	put_list(out, "asr");
	if (engines->sherpa) {
		put_object(out, NULL);
		put_artifact(out, "moonshine", "hears English", "signalbox");
		put_bool(out, "supports_transcript_streaming", false);
		put_bool(out, "partials", true);
		put_bool(out, "vad", true);
		put_list(out, "models");
		put_object(out, NULL);
		put_artifact(out, "moonshine-tiny", "English", "Useful Sensors");
		put_languages(out, "en");
		put_end(out);
		put_list_end(out);
		put_end(out);
	}
	put_list_end(out);
}

static void put_saying(struct buf *out, const struct engines *engines)
{
	put_list(out, "tts");
	if (engines->mouth) {
		const struct mouth_voice *voice = mouth_voice(engines->mouth);

		put_object(out, NULL);
		put_artifact(out, "signalbox-speech", "speaks English", "signalbox");
		put_bool(out, "supports_synthesize_streaming", true);
		put_list(out, "voices");
		put_object(out, NULL);
		put_artifact(out, voice->name, voice->words, "Carnegie Mellon University");
		put_languages(out, voice->language);
		put_end(out);
		put_list_end(out);
		put_end(out);
	}
	put_list_end(out);
}

static void on_describe(struct talking *talking, const struct wyoming_event *event)
{
	static const char *const none[] = {"handle", "intent", "wake", "mic", "snd"};
	struct buf data;

	buf_init(&data, DATA_MAX);
	put_object(&data, NULL);
	put_hearing(&data, talking->engines);
	put_saying(&data, talking->engines);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		put_list(&data, none[i]);
		put_list_end(&data);
	}
	put_end(&data);
	send_event(talking, "info", &data);
	buf_finish(&data);
}

static void on_ping(struct talking *talking, const struct wyoming_event *event)
{
	tell_text(talking, "pong", wyoming_text(event, "text"));
}

/* ---- hearing ---- */

static void tell_speaking(void *self, bool speaks, unsigned at_ms)
{
	struct buf data;

	buf_init(&data, KIB);
	put_object(&data, NULL);
	put_u64(&data, "timestamp", at_ms);
	put_end(&data);
	send_event(self, speaks ? "voice-started" : "voice-stopped", &data);
	buf_finish(&data);
}

static int clamp_ms(int64_t ms)
{
	return ms < 50 ? 50 : ms > 10000 ? 10000 : (int)ms;
}

static void on_transcribe(struct talking *talking, const struct wyoming_event *event)
{
	talking->wish = (struct ear_options){
		.partials = wyoming_flag(event, "partials"),
		.detects = wyoming_flag(event, "vad"),
		.times = {clamp_ms(wyoming_number(event, "speech_ms", SPEECH_MS)),
	                  clamp_ms(wyoming_number(event, "silence_ms", SILENCE_MS))},
	};
}

static void forget_utterance(struct talking *talking)
{
	ear_destroy(talking->ear);
	resample_destroy(talking->convert);
	talking->ear = NULL;
	talking->convert = NULL;
}

static void on_audio_start(struct talking *talking, const struct wyoming_event *event)
{
	struct ear_listener listener = {talking, tell_speaking};
	struct wyoming_format format;
	struct error why;

	forget_utterance(talking);
	if (!talking->engines->sherpa) {
		tell_error(talking, &talking->engines->no_sherpa);
		return;
	}
	if (!wyoming_format_of(event, &format, &why)) {
		tell_error(talking, &why);
		return;
	}
	talking->ear = ear_create(talking->engines->sherpa, &talking->wish, &listener);
	talking->convert = resample_create(format.rate, format.channels, SHERPA_RATE);
}

static void feed_ear(struct talking *talking)
{
	struct error why;

	if (!ear_feed(talking->ear, buf_text(&talking->heard))) {
		error_set(&why, "an utterance is longer than %d seconds", EAR_SECONDS_MAX);
		tell_error(talking, &why);
		forget_utterance(talking);
	}
	buf_clear(&talking->heard);
}

static void on_audio_chunk(struct talking *talking, const struct wyoming_event *event)
{
	if (!talking->ear)
		return;
	resample_feed(talking->convert, event->payload, &talking->heard);
	feed_ear(talking);
}

static void on_audio_stop(struct talking *talking, const struct wyoming_event *event)
{
	struct buf words;

	if (!talking->ear)
		return;
	resample_end(talking->convert, &talking->heard);
	feed_ear(talking);
	if (!talking->ear)
		return;
	buf_init(&words, DATA_MAX);
	ear_end(talking->ear, &words);
	tell_text(talking, "transcript", buf_text(&words));
	buf_finish(&words);
	forget_utterance(talking);
}

static void make_partial(struct talking *talking)
{
	struct buf words;

	buf_init(&words, DATA_MAX);
	if (talking->ear && ear_rest(talking->ear, &words))
		tell_text(talking, "transcript-partial", buf_text(&words));
	buf_finish(&words);
}

/* ---- speaking ---- */

static void send_sound(struct talking *talking, struct text pcm, int rate)
{
	struct wyoming_format format = {rate, 2, 1};

	wyoming_write_sound(&talking->out, "audio-start", &format, TEXT(""));
	while (pcm.len && !talking->is_over) {
		size_t len = pcm.len < CHUNK_BYTES ? pcm.len : CHUNK_BYTES;

		wyoming_write_sound(&talking->out, "audio-chunk", &format,
		                    (struct text){pcm.at, len});
		send_out(talking);
		pcm = (struct text){pcm.at + len, pcm.len - len};
	}
	wyoming_write_sound(&talking->out, "audio-stop", NULL, TEXT(""));
	send_out(talking);
}

static void say_sentence(struct talking *talking, struct text sentence)
{
	struct error why;
	struct buf pcm;
	int rate;

	if (!talking->engines->mouth) {
		tell_error(talking, &talking->engines->no_mouth);
		return;
	}
	buf_init(&pcm, SOUND_MAX);
	if (mouth_say(talking->engines->mouth, sentence, &pcm, &rate, &why))
		send_sound(talking, buf_text(&pcm), rate);
	else
		tell_error(talking, &why);
	buf_finish(&pcm);
}

/* In a stream it is there for engines that take no pieces: all of it came already. */
static void on_synthesize(struct talking *talking, const struct wyoming_event *event)
{
	if (!talking->is_told)
		say_sentence(talking, wyoming_text(event, "text"));
}

static void on_synthesize_start(struct talking *talking, const struct wyoming_event *event)
{
	buf_clear(&talking->words);
	talking->is_told = true;
}

/* The sentences that are whole; what is longer than one may be is one. */
static void say_sentences(struct talking *talking)
{
	size_t len;

	while (!talking->is_over && (len = mouth_sentence(buf_text(&talking->words))) > 0) {
		say_sentence(talking, (struct text){talking->words.at, len});
		buf_drop(&talking->words, len);
	}
}

static void on_synthesize_chunk(struct talking *talking, const struct wyoming_event *event)
{
	struct text words = wyoming_text(event, "text");

	while (talking->is_told && words.len && !talking->is_over) {
		size_t len = words.len < READ_MAX ? words.len : READ_MAX;

		buf_add(&talking->words, (struct text){words.at, len});
		words = (struct text){words.at + len, words.len - len};
		say_sentences(talking);
	}
}

static void on_synthesize_stop(struct talking *talking, const struct wyoming_event *event)
{
	struct text rest = text_trim(buf_text(&talking->words));

	if (!talking->is_told)
		return;
	if (rest.len)
		say_sentence(talking, rest);
	buf_clear(&talking->words);
	talking->is_told = false;
	send_event(talking, "synthesize-stopped", NULL);
}

/* ---- the connection ---- */

static const struct {
	const char *type;
	void (*take)(struct talking *talking, const struct wyoming_event *event);
} takers[] = {
	{"describe", on_describe},
	{"ping", on_ping},
	{"transcribe", on_transcribe},
	{"audio-start", on_audio_start},
	{"audio-chunk", on_audio_chunk},
	{"audio-stop", on_audio_stop},
	{"synthesize", on_synthesize},
	{"synthesize-start", on_synthesize_start},
	{"synthesize-chunk", on_synthesize_chunk},
	{"synthesize-stop", on_synthesize_stop},
};

static void take_events(struct talking *talking)
{
	struct wyoming_event event;
	enum wyoming_read read;
	struct error why;

	while (!talking->is_over &&
	       (read = wyoming_read(&talking->reader, &event, &why)) != WYOMING_MORE) {
		if (read == WYOMING_BROKEN) {
			tell_error(talking, &why);
			talking->is_over = true;
			return;
		}
		for (size_t i = 0; i < sizeof(takers) / sizeof(takers[0]); i++)
			if (text_is(event.type, takers[i].type))
				takers[i].take(talking, &event);
	}
}

static bool has_more(int fd)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

	return poll(&poll_fd, 1, MORE_MS) > 0;
}

void talk(const struct engines *engines, int fd)
{
	struct talking talking = {.engines = engines, .fd = fd};
	struct timeval quiet = {.tv_sec = TALK_QUIET_S};
	static __thread char bytes[READ_MAX];
	ssize_t n;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &quiet, sizeof(quiet));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &quiet, sizeof(quiet));
	wyoming_reader_init(&talking.reader);
	buf_init(&talking.out, OUT_MAX);
	buf_init(&talking.heard, OUT_MAX * 4);
	buf_init(&talking.words, 2 * READ_MAX);
	while (!talking.is_over && (n = recv(fd, bytes, sizeof(bytes), 0)) > 0) {
		if (!wyoming_reader_add(&talking.reader, (struct text){bytes, (size_t)n}))
			break;
		take_events(&talking);
		if (!has_more(fd))
			make_partial(&talking);
	}
	forget_utterance(&talking);
	wyoming_reader_finish(&talking.reader);
	buf_finish(&talking.out);
	buf_finish(&talking.heard);
	buf_finish(&talking.words);
	close(fd);
}

/* sherpa.c - see sherpa.h.
 *
 * Of the library's C interface we say what we use: functions by name, and two structs with
 * holes where the settings of other models stand.  Both are of the version below, on machines
 * with pointers of 64 bits. */
#include "speech/sherpa.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/must.h"

#define VERSION "1.13.8"
#define LIBRARY "libsherpa-onnx-c-api.so"
#define ENCODER "encoder_model.onnx"
#define DECODER "decoder_model_merged.onnx"
#define TOKENS "tokens.txt"
#define DETECTOR "silero_vad_v5.onnx"

#define FEATURES 80
#define THRESHOLD 0.5F
#define SPEECH_MAX_S 120.0F
#define DETECTOR_BUFFER_S 30.0F

struct recognizer_settings {
	int32_t rate, features;
	char others[96];
	const char *tokens;
	int32_t threads, debug;
	const char *provider;
	char more_others[64];
	const char *encoder;
	char older_decoders[16];
	const char *decoder;
	char rest[1024]; /* more than it has */
};

struct detector_settings {
	struct {
		const char *model;
		float threshold, silence_s, speech_s;
		int32_t window;
		float speech_max_s;
	} silero;
	int32_t rate, threads;
	const char *provider;
	char rest[256];
};

struct recognizer;
struct stream;
struct result {
	const char *text;
};

#define CALLS(X) \
	X(const char *, GetVersionStr, (void)) \
	X(const struct recognizer *, CreateOfflineRecognizer, \
	  (const struct recognizer_settings *)) \
	X(void, DestroyOfflineRecognizer, (const struct recognizer *)) \
	X(const struct stream *, CreateOfflineStream, (const struct recognizer *)) \
	X(void, DestroyOfflineStream, (const struct stream *)) \
	X(void, AcceptWaveformOffline, (const struct stream *, int32_t, const float *, int32_t)) \
	X(void, DecodeOfflineStream, (const struct recognizer *, const struct stream *)) \
	X(const struct result *, GetOfflineStreamResult, (const struct stream *)) \
	X(void, DestroyOfflineRecognizerResult, (const struct result *)) \
	X(const void *, CreateVoiceActivityDetector, (const struct detector_settings *, float)) \
	X(void, DestroyVoiceActivityDetector, (const void *)) \
	X(void, VoiceActivityDetectorAcceptWaveform, (const void *, const float *, int32_t)) \
	X(int32_t, VoiceActivityDetectorDetected, (const void *)) \
	X(void, VoiceActivityDetectorClear, (const void *))

#define MEMBER(kind, name, parameters) kind(*name) parameters;
struct sherpa {
	CALLS(MEMBER)
	void *library;
	const struct recognizer *recognizer;
	pthread_mutex_t busy;
	char *encoder, *decoder, *tokens, *detector;
};
#undef MEMBER

struct detector {
	struct sherpa *sherpa;
	const void *inner;
};

/* ---- opening ---- */

static bool find_calls(struct sherpa *sherpa, struct error *why)
{
	bool all = true;

#define FIND(kind, name, parameters) \
	sherpa->name = (__typeof__(sherpa->name))dlsym(sherpa->library, "SherpaOnnx" #name); \
	all = all && sherpa->name;
	CALLS(FIND)
#undef FIND
	if (!all)
		return error_set(why, LIBRARY " is not the one that we know");
	if (strcmp(sherpa->GetVersionStr(), VERSION) != 0)
		return error_set(why, LIBRARY " is %s, and " VERSION " is wanted",
		                 sherpa->GetVersionStr());
	return true;
}

static bool load_library(struct sherpa *sherpa, const char *directory, struct error *why)
{
	char *path = must_print("%s/" LIBRARY, directory);

	if (sizeof(void *) == 8)
		sherpa->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	free(path);
	if (!sherpa->library)
		return error_set(why, "there is no " LIBRARY " in %s that can be loaded",
		                 directory);
	return find_calls(sherpa, why);
}

static char *file_in(const char *directory, const char *name, struct error *why)
{
	char *path = must_print("%s/%s", directory, name);

	if (access(path, R_OK) == 0)
		return path;
	error_errno(why, "%s", path);
	free(path);
	return NULL;
}

static bool find_files(struct sherpa *sherpa, const char *directory, struct error *why)
{
	return (sherpa->encoder = file_in(directory, ENCODER, why)) &&
	       (sherpa->decoder = file_in(directory, DECODER, why)) &&
	       (sherpa->tokens = file_in(directory, TOKENS, why)) &&
	       (sherpa->detector = file_in(directory, DETECTOR, why));
}

static bool make_recognizer(struct sherpa *sherpa, struct error *why)
{
	struct recognizer_settings settings = {
		.rate = SHERPA_RATE,
		.features = FEATURES,
		.tokens = sherpa->tokens,
		.threads = 1,
		.provider = "cpu",
		.encoder = sherpa->encoder,
		.decoder = sherpa->decoder,
	};

	sherpa->recognizer = sherpa->CreateOfflineRecognizer(&settings);
	return sherpa->recognizer || error_set(why, "the weights cannot be loaded");
}

struct sherpa *sherpa_open(const char *directory, struct error *why)
{
	struct sherpa *sherpa = must_zero(1, sizeof(*sherpa));

	pthread_mutex_init(&sherpa->busy, NULL);
	if (load_library(sherpa, directory, why) && find_files(sherpa, directory, why) &&
	    make_recognizer(sherpa, why))
		return sherpa;
	sherpa_close(sherpa);
	return NULL;
}

void sherpa_close(struct sherpa *sherpa)
{
	if (!sherpa)
		return;
	if (sherpa->recognizer)
		sherpa->DestroyOfflineRecognizer(sherpa->recognizer);
	/* The library stays: its threads may be in it. */
	pthread_mutex_destroy(&sherpa->busy);
	free(sherpa->encoder);
	free(sherpa->decoder);
	free(sherpa->tokens);
	free(sherpa->detector);
	free(sherpa);
}

/* ---- hearing ---- */

static void decode(struct sherpa *sherpa, const float *samples, size_t count, struct buf *words)
{
	const struct stream *stream = sherpa->CreateOfflineStream(sherpa->recognizer);
	const struct result *result;

	sherpa->AcceptWaveformOffline(stream, SHERPA_RATE, samples, (int32_t)count);
	sherpa->DecodeOfflineStream(sherpa->recognizer, stream);
	result = sherpa->GetOfflineStreamResult(stream);
	buf_add(words, text_trim(text_of(result->text)));
	sherpa->DestroyOfflineRecognizerResult(result);
	sherpa->DestroyOfflineStream(stream);
}

bool sherpa_hear(struct sherpa *sherpa, const float *samples, size_t count, struct buf *words,
                 bool wait)
{
	if (wait)
		pthread_mutex_lock(&sherpa->busy);
	else if (pthread_mutex_trylock(&sherpa->busy) != 0)
		return false;
	decode(sherpa, samples, count, words);
	pthread_mutex_unlock(&sherpa->busy);
	return true;
}

/* ---- who speaks ---- */

struct detector *detector_create(struct sherpa *sherpa, const struct detector_times *times)
{
	struct detector_settings settings = {
		.silero.model = sherpa->detector,
		.silero.threshold = THRESHOLD,
		.silero.silence_s = (float)times->silence_ms / 1000,
		.silero.speech_s = (float)times->speech_ms / 1000,
		.silero.window = SHERPA_WINDOW,
		.silero.speech_max_s = SPEECH_MAX_S,
		.rate = SHERPA_RATE,
		.threads = 1,
		.provider = "cpu",
	};
	struct detector *detector = must_zero(1, sizeof(*detector));

	detector->sherpa = sherpa;
	detector->inner = sherpa->CreateVoiceActivityDetector(&settings, DETECTOR_BUFFER_S);
	return detector;
}

void detector_destroy(struct detector *detector)
{
	if (!detector)
		return;
	detector->sherpa->DestroyVoiceActivityDetector(detector->inner);
	free(detector);
}

bool detector_feed(struct detector *detector, const float window[SHERPA_WINDOW])
{
	struct sherpa *sherpa = detector->sherpa;

	sherpa->VoiceActivityDetectorAcceptWaveform(detector->inner, window, SHERPA_WINDOW);
	sherpa->VoiceActivityDetectorClear(detector->inner); /* segments, which nobody wants here */
	return sherpa->VoiceActivityDetectorDetected(detector->inner) != 0;
}

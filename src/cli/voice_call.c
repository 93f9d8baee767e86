/* voice_call.c - see voice_call.h. */
#include "cli/voice_call.h"

#include <stdlib.h>

#include "base/base64.h"
#include "base/must.h"
#include "base/put.h"
#include "net/ws_client.h"
#include "signal/json.h"
#include "sound/resample.h"

#define MESSAGE_MAX (4 * MIB)
#define SEND_MAX (4 * MIB) /* the whole of two minutes, in base64, is less than twice that */
#define CONNECT_MS 10000
#define PING_MS 30000
#define RATE_MIN 4000
#define RATE_MAX 192000

struct voice_call {
	struct voice_call_options options;
	struct ws_client *client;
	int rate; /* of sound that comes; 0: none did */
	bool is_open, is_ready, is_lost;
};

static void tell_news(struct voice_call *call, enum voice_news_kind kind, struct text words)
{
	if (call->is_lost)
		return;
	call->is_lost = kind == VOICE_LOST;
	call->options.told(call->options.self,
	                   &(struct voice_news){.kind = kind, .text = words, .rate = call->rate});
}

/* ---- out ---- */

static bool say_event(struct voice_call *call, const char *type, const char *key, struct text value)
{
	struct buf message;
	bool good;

	buf_init(&message, MESSAGE_MAX);
	put_object(&message, NULL);
	put_word(&message, "type", type);
	put_object(&message, "payload");
	if (key)
		put_text(&message, key, value);
	put_end(&message);
	put_end(&message);
	good = !call->is_lost && ws_client_send(call->client, buf_text(&message));
	buf_finish(&message);
	return good;
}

bool voice_call_speak(struct voice_call *call, struct text pcm)
{
	struct buf chunk;
	bool good;

	buf_init(&chunk, MESSAGE_MAX);
	base64_add(&chunk, pcm);
	good = say_event(call, "input_audio.append", "chunk", buf_text(&chunk));
	buf_finish(&chunk);
	return good;
}

bool voice_call_commit(struct voice_call *call)
{
	return say_event(call, "input_audio.commit", NULL, TEXT(""));
}

bool voice_call_cancel(struct voice_call *call)
{
	return say_event(call, "response.cancel", NULL, TEXT(""));
}

/* ---- in ---- */

/* A box with the mock, or with an engine that is older than this, asks nobody of our choice. */
static bool is_asked(const struct voice_call *call, yyjson_val *payload)
{
	return !call->options.source ||
	       text_is(json_text_at(payload, "source"), call->options.source);
}

static void hear_ready(struct voice_call *call, enum voice_news_kind kind, yyjson_val *payload)
{
	struct error words;

	if (call->is_ready || !yyjson_obj_get(payload, "features"))
		return;
	call->is_ready = true;
	if (is_asked(call, payload)) {
		tell_news(call, kind, TEXT(""));
		return;
	}
	error_set(&words,
	          "%s cannot be asked by voice: the box has no engine that asks a source "
	          "(voice.engine in its configuration)",
	          call->options.source);
	tell_news(call, VOICE_LOST, text_of(words.words));
}

static void hear_value(struct voice_call *call, enum voice_news_kind kind, yyjson_val *payload)
{
	tell_news(call, kind, json_text_at(payload, "value"));
}

static void hear_words(struct voice_call *call, enum voice_news_kind kind, yyjson_val *payload)
{
	tell_news(call, kind, json_text_at(payload, "text"));
}

static void hear_nothing(struct voice_call *call, enum voice_news_kind kind, yyjson_val *payload)
{
	(void)payload;
	tell_news(call, kind, TEXT(""));
}

/* The first piece says the rate of all; another one's is converted. */
static void hear_sound(struct voice_call *call, enum voice_news_kind kind, yyjson_val *payload)
{
	yyjson_val *format = yyjson_obj_get(payload, "format");
	int rate = yyjson_get_int(yyjson_obj_get(format, "rate"));
	struct buf pcm, converted;

	buf_init(&pcm, MESSAGE_MAX);
	if (rate < RATE_MIN || rate > RATE_MAX ||
	    !base64_read(json_text_at(payload, "chunk"), &pcm)) {
		tell_news(call, VOICE_LOST, TEXT("the box sent sound that cannot be read"));
	} else if (call->rate == 0 || call->rate == rate) {
		call->rate = rate;
		tell_news(call, kind, buf_text(&pcm));
	} else {
		struct resample *resample = resample_create(rate, 1, call->rate);

		buf_init(&converted, MESSAGE_MAX * (RATE_MAX / RATE_MIN));
		resample_feed(resample, buf_text(&pcm), &converted);
		resample_end(resample, &converted);
		resample_destroy(resample);
		tell_news(call, kind, buf_text(&converted));
		buf_finish(&converted);
	}
	buf_finish(&pcm);
}

static void hear_trouble(struct voice_call *call, enum voice_news_kind kind, yyjson_val *payload)
{
	struct error words;

	error_set(&words, "%.*s (%.*s)", TEXT_ARG(json_text_at(payload, "message")),
	          TEXT_ARG(json_text_at(payload, "code")));
	tell_news(call, kind, text_of(words.words));
}

static const struct {
	const char *type;
	enum voice_news_kind kind;
	void (*hear)(struct voice_call *call, enum voice_news_kind kind, yyjson_val *payload);
} hears[] = {
	{"session.ready", VOICE_READY, hear_ready},
	{"session.state", VOICE_STATE, hear_value},
	{"transcript.partial", VOICE_PARTIAL, hear_words},
	{"transcript.final", VOICE_FINAL, hear_words},
	{"response.text.delta", VOICE_DELTA, hear_words},
	{"response.completed", VOICE_COMPLETED, hear_nothing},
	{"output_audio.delta", VOICE_SOUND, hear_sound},
	{"output_audio.clear", VOICE_CLEAR, hear_nothing},
	{"error", VOICE_TROUBLE, hear_trouble},
};

static void on_text(void *self, struct text message)
{
	struct voice_call *call = self;
	yyjson_doc *doc = yyjson_read(message.at, message.len, 0);
	yyjson_val *root = yyjson_doc_get_root(doc);
	struct text type = json_text_at(root, "type");

	for (size_t i = 0; i < sizeof(hears) / sizeof(hears[0]); i++)
		if (text_is(type, hears[i].type))
			hears[i].hear(call, hears[i].kind, yyjson_obj_get(root, "payload"));
	yyjson_doc_free(doc);
}

static void on_open(void *self)
{
	struct voice_call *call = self;
	struct buf message;

	call->is_open = true;
	buf_init(&message, 4 * KIB);
	put_object(&message, NULL);
	put_word(&message, "type", "session.start");
	put_object(&message, "payload");
	put_list(&message, "features");
	put_word(&message, NULL, "audio");
	put_list_end(&message);
	if (call->options.source)
		put_word(&message, "source", call->options.source);
	put_end(&message);
	put_end(&message);
	ws_client_send(call->client, buf_text(&message));
	buf_finish(&message);
}

static void on_closed(void *self, uint16_t code, int status, const char *why)
{
	struct voice_call *call = self;
	struct error words;

	(void)code;
	error_set(&words, "%s", why);
	if (!call->is_open && !status && remote_target(call->options.remote).sock)
		remote_tell_nobody(call->options.remote, &words);
	tell_news(call, VOICE_LOST, text_of(words.words));
}

/* ---- its life ---- */

struct voice_call *voice_call_begin(const struct voice_call_options *options, struct error *why)
{
	struct remote_target target = remote_target(options->remote);
	const char *headers[] = {target.authorization, NULL};
	char *url = must_print("ws%s/ws/voice", target.base + strlen("http"));
	struct voice_call *call = must_zero(1, sizeof(*call));
	const struct ws_client_options client = {
		.url = url,
		.path = target.sock,
		.headers = headers,
		.message_max = MESSAGE_MAX,
		.send_max = SEND_MAX,
		.connect_ms = CONNECT_MS,
		.ping_ms = PING_MS,
		.self = call,
		.open = on_open,
		.text = on_text,
		.closed = on_closed,
	};

	call->options = *options;
	call->client = ws_client_create(target.loop, &client, why);
	free(url);
	if (call->client)
		return call;
	free(call);
	return NULL;
}

void voice_call_end(struct voice_call *call)
{
	if (!call)
		return;
	ws_client_destroy(call->client);
	free(call);
}

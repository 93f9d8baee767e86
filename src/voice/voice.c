/* voice.c - the voice dialect: who comes, and what it says. */
#include "voice/voice.h"

#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "hub/hub.h"
#include "net/http.h"
#include "net/pace.h"
#include "voice/inside.h"
#include "voice/local.h"
#include "voice/message.h"

#define EXPIRED "the session is over, or what it said is no longer kept"
#define NO_TRIGGER \
	"mocked.turn.trigger is no longer supported; use input_audio.append and " \
	"input_audio.commit"

static struct voice_line *line_of(struct client *c)
{
	return ((struct voice_view *)client_view(c))->line;
}

/* ---- coming and going ---- */

static void greet(struct client *c, const struct http *http)
{
	struct voice_view *view = client_view(c);

	(void)http;
	view->line = voice_line_create(client_of_dialect(c), c);
	voice_line_hear(view->line, INPUT_START, TEXT(""));
	if (view->line && view->line->waits)
		voice_line_tell_full(view->line);
}

static void leave_talk(struct client *c)
{
	struct voice_view *view = client_has_view(c);

	if (view->line)
		voice_line_lose(view->line);
	view->line = NULL;
}

/* ---- hearing ---- */

static void hear_start(struct voice_line *line, yyjson_val *payload)
{
	voice_line_ask(line, yyjson_obj_get(payload, "features"), json_text_at(payload, "source"));
	voice_line_hear(line, INPUT_START, TEXT(""));
}

static void hear_trigger(struct voice_line *line, yyjson_val *payload)
{
	const struct voice_room *voice = line->voice;

	(void)payload;
	if (voice->config.trigger == VOICE_TRIGGER_OFF || !line->engine.trigger)
		voice_line_refuse(line, VOICE_UNSUPPORTED_MOCKED_TURN_TRIGGER, NO_TRIGGER);
	else
		voice_line_hear(line, INPUT_TRIGGER, TEXT(""));
}

static void hear_append(struct voice_line *line, yyjson_val *payload)
{
	voice_line_hear(line, INPUT_APPEND, json_text_at(payload, "chunk"));
}

static void hear_commit(struct voice_line *line, yyjson_val *payload)
{
	(void)payload;
	voice_line_hear(line, INPUT_COMMIT, TEXT(""));
}

static void hear_cancel(struct voice_line *line, yyjson_val *payload)
{
	(void)payload;
	voice_line_hear(line, INPUT_CANCEL, TEXT(""));
}

static void hear_text(struct voice_line *line, yyjson_val *payload)
{
	voice_line_hear(line, INPUT_TEXT, json_text_at(payload, "text"));
}

static void hear_resume(struct voice_line *line, yyjson_val *payload)
{
	if (!voice_resume(line, json_text_at(payload, "sessionId"),
	                  yyjson_get_uint(yyjson_obj_get(payload, "seq"))))
		voice_line_refuse(line, VOICE_EXPIRED, EXPIRED);
}

static void (*const hears[ASKED_EVENTS])(struct voice_line *line, yyjson_val *payload) = {
	[ASKED_SESSION_START] = hear_start,       [ASKED_MOCKED_TURN_TRIGGER] = hear_trigger,
	[ASKED_INPUT_AUDIO_APPEND] = hear_append, [ASKED_INPUT_AUDIO_COMMIT] = hear_commit,
	[ASKED_RESPONSE_CANCEL] = hear_cancel,    [ASKED_INPUT_TEXT] = hear_text,
	[ASKED_SESSION_RESUME] = hear_resume,
};

static void hear_message(struct client *c, struct text raw)
{
	struct voice_room *voice = client_of_dialect(c);
	struct voice_line *line = line_of(c);
	struct voice_message message;
	struct voice_refusal why;

	if (voice_message_read(&voice->reader, raw, line->features, &message, &why))
		hears[message.event](line, message.payload);
	else
		voice_line_refuse(line, why.code, why.words);
}

static void hear_bytes(struct client *c, struct text message)
{
	struct voice_refusal why = voice_message_binary();

	(void)message;
	voice_line_refuse(line_of(c), why.code, why.words);
}

/* ---- what it is made of ---- */

static void choose_again(void *self)
{
	voice_choices_renew(self);
}

struct voice_room *voice_create(const struct voice_options *options)
{
	struct voice_room *voice = must_zero(1, sizeof(*voice));

	voice->options = *options;
	voice->config = *options->config;
	voice->around = (struct voice_around){
		.loop = options->loop,
		.bus = options->bus,
		.back = options->back,
		.data = options->data,
		.local = voice_local_create(options->loop, options->data),
	};
	voice->check =
		voice_check_create(&voice->around, &(struct voice_check_user){voice, choose_again});
	voice_choices_make(voice);
	json_reader_init(&voice->reader, options->message_max);
	list_init(&voice->lines);
	list_init(&voice->busy);
	voice->pace = pace_create(options->loop, voice_work, voice);
	return voice;
}

void voice_destroy(struct voice_room *voice)
{
	if (!voice)
		return;
	list_each(&voice->lines, l)
		voice_line_end(list_of(l, struct voice_line, in_room));
	voice_choices_drop(voice);
	voice_check_destroy(voice->check);
	voice_local_destroy(voice->around.local);
	pace_destroy(voice->pace);
	json_reader_finish(&voice->reader);
	free(voice);
}

void voice_begin(struct voice_room *voice, struct requests *requests)
{
	voice->around.requests = requests;
}

void voice_stop(struct voice_room *voice)
{
	list_each(&voice->lines, l)
		voice_session_finish(&list_of(l, struct voice_line, in_room)->session);
}

void voice_reload(struct voice_room *voice, const struct voice_config *config)
{
	voice->config = *config;
	voice_choices_renew(voice);
}

void voice_check(struct voice_room *voice)
{
	voice_check_begin(voice->check);
}

/* The mock asks nobody and understands nothing. */
static bool is_harmless(const void *of)
{
	const struct voice_room *voice = of;

	return !voice_choice(voice)->is_real;
}

static void write_root(struct buf *json)
{
	put_object(json, NULL);
	put_word(json, "service", "signalbox");
	put_word(json, "dialect", dialect_voice.name);
	put_word(json, "path", "/ws");
	put_end(json);
}

static void write_health(struct buf *json)
{
	put_object(json, NULL);
	put_word(json, "status", "ok");
	put_end(json);
}

static const struct dialect_page pages[] = {{"/", write_root}, {"/health", write_health}, {0}};

const struct dialect dialect_voice = {
	.name = "voice",
	.path = "/ws/voice",
	.pins = hub_pins,
	.pages = pages,
	.is_open = is_harmless,
	.is_websocket = true,
	.is_held = true,
	.needs = SCOPE_CONTROL,
	.view = sizeof(struct voice_view),
	.settings = &voice_settings,
	.welcome = greet,
	.hear = hear_message,
	.hear_binary = hear_bytes,
	.beat = client_ping,
	.farewell = client_go_away,
	.leave = leave_talk,
};

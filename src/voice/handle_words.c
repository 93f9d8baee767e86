/* handle_words.c - see handle_words.h. */
#include "voice/handle_words.h"

#include <stdio.h>

#include "base/put.h"
#include "signal/json.h"

#define DATA_MAX (2 * MIB) /* a text, with every byte of it escaped */

/* An agent answers in the language that it is asked in, and Home Assistant offers a conversation
 * agent for those alone that it names: these are the languages of its own screens. */
static const char *const languages[] = {
	"af", "ar", "bg", "bn", "bs", "ca", "cs",    "cy",    "da",    "de",    "el",    "en",
	"eo", "es", "et", "eu", "fa", "fi", "fr",    "fy",    "ga",    "gl",    "gu",    "he",
	"hi", "hr", "hu", "hy", "id", "is", "it",    "ja",    "ka",    "kn",    "ko",    "kw",
	"lb", "lt", "lv", "mk", "ml", "mn", "mr",    "ms",    "nb",    "ne",    "nl",    "pa",
	"pl", "pt", "ro", "ru", "sk", "sl", "sq",    "sr",    "sv",    "sw",    "ta",    "te",
	"th", "tr", "uk", "ur", "vi", "zh", "zh-cn", "zh-hk", "zh-tw", "pt-br", "en-us", "en-gb",
};

/* ---- reading ---- */

bool handle_is_wish(struct text type)
{
	return text_is(type, "transcript") || text_is(type, "recognize");
}

/* A name that a log and a screen can show as it is. */
static bool is_plain_id(struct text id)
{
	for (size_t i = 0; i < id.len; i++)
		if (id.at[i] <= ' ' || id.at[i] > '~')
			return false;
	return id.len <= HANDLE_ID_MAX;
}

bool handle_read_wish(const struct wyoming_event *event, struct handle_wish *wish,
                      struct error *why)
{
	struct text id = json_text_at(wyoming_member(event, "context"), "conversation_id");

	*wish = (struct handle_wish){.text = text_trim(wyoming_text(event, "text"))};
	if (!wish->text.len)
		return error_set(why, "there are no words in it");
	if (wish->text.len > HANDLE_TEXT_MAX)
		return error_set(why, "that is longer than %zu bytes", HANDLE_TEXT_MAX);
	if (!is_plain_id(id))
		return error_set(why, "a conversation_id has at most %d letters, digits and signs",
		                 HANDLE_ID_MAX);
	if (id.len)
		snprintf(wish->session, sizeof(wish->session), "wyoming:%.*s", TEXT_ARG(id));
	return true;
}

/* ---- writing ---- */

void handle_write_text(struct buf *out, const char *type, struct text text)
{
	struct buf data;

	buf_init(&data, DATA_MAX);
	if (text.at) {
		put_object(&data, NULL);
		put_text(&data, "text", text);
		put_end(&data);
	}
	wyoming_write(out, type, buf_text(&data), TEXT(""));
	buf_finish(&data);
}

static void put_maker(struct buf *data)
{
	put_object(data, "attribution");
	put_word(data, "name", "signalbox");
	put_word(data, "url", "");
	put_end(data);
	put_bool(data, "installed", true);
	put_word(data, "version", SIGNALBOX_VERSION);
}

static void put_program(struct buf *data, struct text source)
{
	put_object(data, NULL);
	put_word(data, "name", "signalbox");
	put_word(data, "description", "agents of this signalbox");
	put_maker(data);
	put_bool(data, "supports_handled_streaming", true);
	put_list(data, "models");
	put_object(data, NULL);
	put_text(data, "name", source);
	put_text(data, "description", source);
	put_maker(data);
	put_list(data, "languages");
	for (size_t i = 0; i < sizeof(languages) / sizeof(languages[0]); i++)
		put_word(data, NULL, languages[i]);
	put_list_end(data);
	put_end(data);
	put_list_end(data);
	put_end(data);
}

void handle_write_info(struct buf *out, struct text source)
{
	static const char *const none[] = {"asr", "tts", "intent", "wake", "mic", "snd"};
	struct buf data;

	buf_init(&data, DATA_MAX);
	put_object(&data, NULL);
	put_list(&data, "handle");
	put_program(&data, source);
	put_list_end(&data);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		put_list(&data, none[i]);
		put_list_end(&data);
	}
	put_end(&data);
	wyoming_write(out, "info", buf_text(&data), TEXT(""));
	buf_finish(&data);
}
